import pytest

from postroad.recipients.reading.dialect import find_dialect
from postroad.vocabulary.errors import AudienceInvalid


@pytest.mark.parametrize(
    ("sample", "delimiter", "quote"),
    [
        ("a,b\n1,2\n", ",", '"'),
        ("a\tb,c\n1\t2\n", "\t", '"'),
        ("a;b\n1,5;2,5\n", ";", '"'),
        ("a|b\n1|2\n", "|", '"'),
        ("a\n1\n", ",", '"'),
        ("a,b\n'x, y','z'\n'1','2'\n", ",", "'"),
        ('a\tb\n5" disk\tx\n', "\t", ""),
        ('a,b\n"x, y",z\n5" disk,x\n', ",", '"'),
        ("id,n\n'138,a\n'139,b\n", ",", '"'),
    ],
)
def test_delimiter_and_quote_are_found(sample: str, delimiter: str, quote: str) -> None:
    found = find_dialect(sample, None, None)

    assert (found.delimiter, found.quote) == (delimiter, quote)


def test_what_is_given_is_taken() -> None:
    found = find_dialect("a,b\n", ";", "")

    assert (found.delimiter, found.quote) == (";", "")


@pytest.mark.parametrize("delimiter", ["", ",,", "\n"])
def test_a_delimiter_is_one_character(delimiter: str) -> None:
    with pytest.raises(AudienceInvalid, match="delimiter must be one character"):
        find_dialect("a,b\n", delimiter, None)
