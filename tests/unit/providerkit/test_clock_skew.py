import pytest

from postroad.providerkit.clock_skew import clock_advice, clock_skew_s

DATE = "Mon, 30 Nov 2026 18:00:00 GMT"
REMOTE_MS = 1_796_061_600_000


def test_the_skew_is_ours_minus_theirs() -> None:
    assert clock_skew_s(DATE, REMOTE_MS + 5_000) == 5.0
    assert clock_skew_s(DATE, REMOTE_MS - 5_000) == -5.0


@pytest.mark.parametrize("header", ["", "yesterday", "Mon, 30 Nov 2026 18:00:00"])
def test_a_header_that_is_no_date_says_nothing(header: str) -> None:
    assert clock_skew_s(header, REMOTE_MS) is None
    assert clock_advice(header, REMOTE_MS) == ""


def test_the_advice_names_size_and_side() -> None:
    assert "off by 61 min (ahead of" in clock_advice(DATE, REMOTE_MS + 61 * 60_000)
    assert "off by 90 s (behind" in clock_advice(DATE, REMOTE_MS - 90_000)
    assert "off by 3 days (ahead of" in clock_advice(DATE, REMOTE_MS + 72 * 3_600_000)
    assert clock_advice(DATE, REMOTE_MS + 30_000) == ""
