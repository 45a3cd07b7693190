import pytest

from postroad.providers.aliyun_sms.numbers import normalised


@pytest.mark.parametrize(
    "written",
    [
        "13800138000",
        "+8613800138000",
        "008613800138000",
        "8613800138000",
        "138 0013 8000",
        "+86 138-0013-8000",
        " (+86)13800138000\t",
        "＋86 13800138000",
        "\u202a13800138000\u202c",
        "138\u00a00013\u200b8000",
    ],
)
def test_a_mainland_number_is_eleven_digits_however_it_is_written(written: str) -> None:
    assert normalised(written) == "13800138000"


@pytest.mark.parametrize(
    ("written", "sent"),
    [("+852 6123 4567", "85261234567"), ("0085261234567", "85261234567"), ("+1 212 555 0100", "12125550100")],
)
def test_a_foreign_number_is_country_code_and_number(written: str, sent: str) -> None:
    assert normalised(written) == sent


@pytest.mark.parametrize(
    "written",
    ["", "abc", "12345", "12800138000", "1380013800", "138001380000", "85261234567", "+0123456789", "1.38E+10"],
)
def test_what_is_no_number_is_refused_without_repeating_it(written: str) -> None:
    with pytest.raises(ValueError, match="phone number") as caught:
        normalised(written)
    assert written == "" or written not in str(caught.value)


@pytest.mark.parametrize("written", ["１３８００１３８０００", "١٣٨٠٠١٣٨٠٠٠"])
def test_digits_of_other_scripts_are_refused(written: str) -> None:
    with pytest.raises(ValueError, match="phone number"):
        normalised(written)


def test_a_foreign_number_that_would_reach_a_stranger_in_china_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be told"):
        normalised("+13105550100")


def test_a_landline_behind_86_is_refused() -> None:
    with pytest.raises(ValueError, match="country code 86"):
        normalised("+861012345678")
