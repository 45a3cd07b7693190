"""What is read as a cron expression, and what is said about one that cannot be."""

import pytest

from postroad.modules.schedules.parts.cron import parse_cron
from postroad.vocabulary.refusals import ValidationFailed


@pytest.mark.parametrize(
    ("text", "is_fixed"),
    [
        ("0 8 * * *", True),
        ("0,30 9-17 * * MON-FRI", True),
        ("15/20 8 * * *", True),
        ("*/15 * * * *", False),
        ("0 * * * *", False),
        ("0 */2 * * *", False),
        ("* 3 * * *", False),
    ],
)
def test_fixed_times_are_those_whose_minute_and_hour_begin_with_no_star(text: str, is_fixed: bool) -> None:
    assert parse_cron(text).is_fixed_time is is_fixed


def test_spelling_is_made_one() -> None:
    assert parse_cron("  0 8 *\t* mon-fri ").expression == "0 8 * * MON-FRI"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0 8 * *", "five fields (minute, hour, day of month, month, day of week)"),
        ("0 0 8 * * *", "found 6"),
        ("", "found 0"),
        ("60 8 * * *", "the minute field '60' cannot be read; it takes 0-59"),
        ("0 24 * * *", "the hour field '24'"),
        ("0 8 32 * *", "the day of month field '32'"),
        ("0 8 * FOO *", "the month field 'FOO'"),
        ("0 8 * * 8", "the day of week field '8'"),
        ("*/0 8 * * *", "the minute field '*/0'"),
        ("５ 8 * * *", "the minute field"),
        ("0 8 30 2 *", "never fires: no month it names has that day"),
        ("@daily", "write '0 0 * * *'"),
        ("0 8 * * " + "1," * 200, "five fields"),
    ],
)
def test_a_bad_expression_is_refused_with_its_field(text: str, said: str) -> None:
    with pytest.raises(ValidationFailed) as refused:
        parse_cron(text)
    assert said in refused.value.message
    assert refused.value.field == "cron"
