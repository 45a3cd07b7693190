import pytest

from postroad.providerkit.retry_after import LONGEST_S, seconds

NOON_MS = 1_445_412_420_000
"""Wed, 21 Oct 2015 07:27:00 GMT."""


@pytest.mark.parametrize(
    ("value", "wait"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 60.0),
        ("Wednesday, 21-Oct-15 07:28:00 GMT", 60.0),
        ("Wed Oct 21 07:28:00 2015", 60.0),
        ("Wed, 21 Oct 2015 07:00:00 GMT", 0.0),
        ("9" * 40, LONGEST_S),
        ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST_S),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("", None),
        ("٣", None),
    ],
)
def test_retry_after_is_read(value: str, wait: float | None) -> None:
    assert seconds(value, NOON_MS) == wait
