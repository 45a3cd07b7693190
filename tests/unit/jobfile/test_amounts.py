import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroad.jobfile.amounts import describe_duration, describe_rate, parse_duration, parse_rate
from postroad.spi import Rate


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30s", 30),
        ("5m", 300),
        ("1h30m", 5400),
        ("500ms", 0.5),
        ("PT5S", 5),
        ("P1DT2H", 93_600),
        ("1.5s", 1.5),
        ("2d", 172_800),
    ],
)
def test_a_duration_is_read_with_its_unit(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("value", [30, 30.0, True, None, "30", "", "P", "PT", "-5s", "0s", "5 weeks", "400d", []])
def test_a_duration_without_unit_or_sense_is_refused_with_the_way_out(value: object) -> None:
    with pytest.raises(ValueError, match=r"duration|longer"):
        parse_duration(value)


@pytest.mark.parametrize(
    ("value", "rate"),
    [
        ("100/s", Rate(100, 1)),
        ("20/min", Rate(20, 60)),
        ("5/h", Rate(5, 3600)),
        ("10000/day", Rate(10_000, 86_400)),
        ("1/2m", Rate(1, 120)),
        ("3 / 10s", Rate(3, 10)),
        ("unlimited", Rate(0, 1)),
        ("0/s", Rate(0, 1)),
        (0, Rate(0, 1)),
    ],
)
def test_a_rate_is_a_count_over_a_time(value: object, rate: Rate) -> None:
    assert parse_rate(value) == rate


@pytest.mark.parametrize("value", [5, True, "5", "fast", "/s", "-1/s", "1/", "1/fortnight", "99999999/s", None, "１/s"])
def test_a_rate_without_a_time_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"rate|duration|more than"):
        parse_rate(value)


@given(st.integers(1, 1_000_000), st.floats(0.001, 86_400).map(lambda s: round(s, 3)))
def test_what_is_described_reads_back(count: int, seconds: float) -> None:
    assert parse_duration(describe_duration(seconds)) == seconds
    assert parse_rate(describe_rate(Rate(count, seconds))) == Rate(count, seconds)
