"""Fire times over the changes of clocks, against a brute force reading of the zones."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postroad.modules.schedules.parts.cron import parse_cron
from postroad.modules.schedules.parts.fire_times import (
    latest_fire_times,
    next_fire_time,
    resolve_reading,
    upcoming,
)
from postroad.modules.schedules.parts.zones import local_reading, zone_named
from postroad.vocabulary.refusals import ValidationFailed

MINUTE = 60_000
HOUR = 60 * MINUTE
QUARTER = 15 * MINUTE

ZONES = [
    "Africa/Cairo", "Africa/Casablanca", "Africa/El_Aaiun", "Africa/Johannesburg", "America/Adak", "America/Asuncion",
    "America/Bogota", "America/Caracas", "America/Chicago", "America/Denver", "America/Godthab", "America/Havana",
    "America/Los_Angeles", "America/Mexico_City", "America/Miquelon", "America/New_York", "America/Nuuk",
    "America/Port-au-Prince", "America/Santiago", "America/Sao_Paulo", "America/Scoresbysund", "America/St_Johns",
    "Antarctica/Casey", "Antarctica/Troll", "Asia/Amman", "Asia/Beirut", "Asia/Gaza", "Asia/Jerusalem",
    "Asia/Kathmandu", "Asia/Kolkata", "Asia/Shanghai", "Asia/Tehran", "Atlantic/Azores", "Australia/Adelaide",
    "Australia/Lord_Howe", "Australia/Sydney", "Europe/Berlin", "Europe/Chisinau", "Europe/Dublin", "Europe/London",
    "Pacific/Apia", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Easter", "Pacific/Fiji", "Pacific/Norfolk", "UTC",
]  # fmt: skip
YEARS = [2011, 2024, 2025, 2026]
CLOCK_TIMES = [time(0), time(0, 30), time(1, 45), time(2), time(2, 30), time(8), time(23, 30)]


def millis(text: str, zone: str = "UTC") -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=zone_named(zone)).timestamp()) * 1000


def shown(instants: list[int], zone: str) -> list[str]:
    found = zone_named(zone)
    return [datetime.fromtimestamp(at / 1000, found).isoformat(timespec="minutes") for at in instants]


def fires(cron: str, zone: str, after: str, most: int) -> list[str]:
    return shown(upcoming(parse_cron(cron), zone_named(zone), millis(after), most), zone)


def _readings(zone: ZoneInfo, day: date) -> list[tuple[datetime, int]]:
    """(reading, instant) of every quarter of an hour that may belong to a local day, and of each minute at a change."""
    midnight = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 1000
    quarters = [(local_reading(zone, at), at) for at in range(midnight - 27 * HOUR, midnight + 51 * HOUR, QUARTER)]
    found = quarters[:1]
    for (before, start), (reading, at) in pairwise(quarters):
        is_change = reading - before != timedelta(minutes=15)
        found += [(local_reading(zone, minute), minute) for minute in range(start + MINUTE, at, MINUTE) if is_change]
        found.append((reading, at))
    return found


def _expected(readings: list[tuple[datetime, int]], wanted: datetime) -> int | None:
    """By brute force: the first instant that reads `wanted`, else the first after the gap; None for a day left out."""
    if all(reading.date() != wanted.date() for reading, _ in readings):
        return None
    exact = [at for reading, at in readings if reading == wanted]
    after_gap = [at for (before, _), (reading, at) in pairwise(readings) if before < wanted < reading]
    return (exact or after_gap)[0]


def _days_near_changes(zone: ZoneInfo) -> list[list[date]]:
    """Five days around each change of the offset in some years."""
    weeks = []
    for year in YEARS:
        noons = [datetime(year, 1, 2, 12, tzinfo=UTC) + timedelta(days=n) for n in range(363)]
        for noon, following in pairwise(noons):
            if noon.astimezone(zone).utcoffset() != following.astimezone(zone).utcoffset():
                weeks.append([noon.date() + timedelta(days=n) for n in range(-2, 4)])
    return weeks


@pytest.mark.parametrize("name", ZONES)
def test_a_daily_time_fires_exactly_once_on_every_local_day(name: str) -> None:
    zone = zone_named(name)
    for days in _days_near_changes(zone):
        readings = [_readings(zone, day) for day in days]
        for at_time in CLOCK_TIMES:
            expected = [_expected(near, datetime.combine(d, at_time)) for near, d in zip(readings, days, strict=True)]
            wanted = [at for at in expected if at is not None]
            cron = parse_cron(f"{at_time.minute} {at_time.hour} * * *")
            assert upcoming(cron, zone, wanted[0] - 1, len(wanted)) == wanted


def test_the_golden_table_meets_changes_of_clocks() -> None:
    assert sum(len(_days_near_changes(zone_named(name))) for name in ZONES) > 200


def test_a_time_left_out_by_the_clocks_fires_right_after_the_gap() -> None:
    assert fires("30 2 * * *", "Europe/Berlin", "2026-03-28", 3) == [
        "2026-03-28T02:30+01:00",
        "2026-03-29T03:00+02:00",
        "2026-03-30T02:30+02:00",
    ]


def test_a_time_that_comes_twice_fires_the_first_time() -> None:
    assert fires("30 2 * * *", "Europe/Berlin", "2026-10-24", 3) == [
        "2026-10-24T02:30+02:00",
        "2026-10-25T02:30+02:00",
        "2026-10-26T02:30+01:00",
    ]


def test_asked_in_the_second_pass_of_an_hour_it_does_not_fire_again() -> None:
    second_pass = "2026-10-25T01:10"  # 02:10 in Berlin for the second time
    assert fires("30 2 * * *", "Europe/Berlin", second_pass, 1) == ["2026-10-26T02:30+01:00"]


def test_times_of_one_gap_are_one_firing() -> None:
    assert fires("0,30 2,3 * * *", "Europe/Berlin", "2026-03-28T20:00", 4) == [
        "2026-03-29T03:00+02:00",
        "2026-03-29T03:30+02:00",
        "2026-03-30T02:00+02:00",
        "2026-03-30T02:30+02:00",
    ]


def test_a_day_that_never_was_fires_nothing() -> None:
    assert fires("0 8 * * *", "Pacific/Apia", "2011-12-28T20:00", 3) == [
        "2011-12-29T08:00-10:00",
        "2011-12-31T08:00+14:00",
        "2012-01-01T08:00+14:00",
    ]
    assert fires("0 8 30 12 *", "Pacific/Apia", "2011-12-01", 1) == ["2012-12-30T08:00+14:00"]


def test_a_gap_before_midnight_fires_at_the_first_instant_of_the_next_day() -> None:
    assert fires("30 23 * * SAT", "America/Nuuk", "2026-03-27", 2) == [
        "2026-03-29T00:00-01:00",
        "2026-04-04T23:30-01:00",
    ]


def test_a_gap_at_midnight_fires_at_one() -> None:
    assert fires("0 0 * * *", "Africa/Cairo", "2026-04-23T10:00", 2) == [
        "2026-04-24T01:00+03:00",
        "2026-04-25T00:00+03:00",
    ]


def test_ramadan_in_casablanca_moves_nothing_but_the_offset() -> None:
    assert fires("30 2 * * *", "Africa/Casablanca", "2026-02-14", 3) == [
        "2026-02-14T02:30+01:00",
        "2026-02-15T02:30+01:00",
        "2026-02-16T02:30+00:00",
    ]
    assert fires("30 2 * * *", "Africa/Casablanca", "2026-03-21", 3) == [
        "2026-03-21T02:30+00:00",
        "2026-03-22T03:00+01:00",
        "2026-03-23T02:30+01:00",
    ]


def test_half_an_hour_set_back_repeats_half_an_hour_of_an_interval() -> None:
    assert fires("*/15 * * * *", "Australia/Lord_Howe", "2026-04-04T14:20", 5) == [
        "2026-04-05T01:30+11:00",
        "2026-04-05T01:45+11:00",
        "2026-04-05T01:30+10:30",
        "2026-04-05T01:45+10:30",
        "2026-04-05T02:00+10:30",
    ]


def test_an_even_hour_after_half_an_hour_set_back_is_not_missed() -> None:
    assert fires("0 */2 * * *", "Australia/Lord_Howe", "2026-04-04T13:30", 2) == [
        "2026-04-05T02:00+10:30",
        "2026-04-05T04:00+10:30",
    ]


def test_an_interval_does_not_fire_for_readings_that_never_come() -> None:
    assert fires("*/30 0 * * *", "Africa/Cairo", "2026-04-22T22:45", 2) == [
        "2026-04-25T00:00+03:00",
        "2026-04-25T00:30+03:00",
    ]


@pytest.mark.parametrize("name", ["Europe/Berlin", "Australia/Lord_Howe", "America/Nuuk", "Pacific/Apia", "Asia/Gaza"])
def test_an_interval_goes_by_elapsed_time_over_every_change(name: str) -> None:
    zone = zone_named(name)
    first = millis("2011-01-01") if name == "Pacific/Apia" else millis("2025-01-01")
    found = upcoming(parse_cron("*/30 * * * *"), zone, first, 366 * 48)
    assert {later - earlier for earlier, later in pairwise(found)} == {30 * MINUTE}


def test_regression_a_daily_job_fired_twice_on_the_monday_after_the_clocks_changed() -> None:
    assert fires("0 8 * * 1", "Europe/Amsterdam", "2017-10-29", 2) == [
        "2017-10-30T08:00+01:00",
        "2017-11-06T08:00+01:00",
    ]
    assert fires("0 0 * * *", "Europe/Warsaw", "2017-03-25T12:00", 2) == [
        "2017-03-26T00:00+01:00",
        "2017-03-27T00:00+02:00",
    ]
    assert fires("0 0 * * 0-4", "US/Central", "2021-03-14T12:00", 1) == ["2021-03-15T00:00-05:00"]
    assert fires("30 2 * * *", "America/Los_Angeles", "2020-03-08T01:00", 2) == [
        "2020-03-08T03:00-07:00",
        "2020-03-09T02:30-07:00",
    ]


_CRONS = ["0 8 * * *", "30 2 * * *", "0,30 1-3 * * *", "*/15 * * * *", "0 * * * *", "*/20 2 * * SUN", "0 */6 1 * *"]


@settings(deadline=None, max_examples=80)
@given(
    st.sampled_from(_CRONS),
    st.sampled_from(["Europe/Berlin", "Australia/Lord_Howe", "Africa/Casablanca", "America/Nuuk", "Pacific/Apia"]),
    st.integers(millis("2011-06-01") // MINUTE, millis("2027-06-01") // MINUTE),
)
def test_going_on_from_any_firing_gives_the_same_firings(text: str, name: str, minute: int) -> None:
    cron, zone = parse_cron(text), zone_named(name)
    found = upcoming(cron, zone, minute * MINUTE, 12)
    assert found == sorted(set(found))
    one_by_one = [minute * MINUTE]
    for _ in found:
        following = next_fire_time(cron, zone, one_by_one[-1])
        assert following is not None
        one_by_one.append(following)
    assert one_by_one[1:] == found
    assert latest_fire_times(cron, zone, found[0], found[-1], 3) == found[-3:]


def test_the_latest_of_a_year_of_minutes_are_found_without_reading_the_year() -> None:
    zone, cron = zone_named("Europe/Berlin"), parse_cron("* * * * *")
    last = millis("2026-06-01")
    assert latest_fire_times(cron, zone, millis("2025-06-01"), last, 2) == [last - MINUTE, last]


def test_a_leap_day_waits_for_its_year() -> None:
    assert fires("0 8 29 2 *", "Asia/Shanghai", "2026-01-01", 2) == ["2028-02-29T08:00+08:00", "2032-02-29T08:00+08:00"]


def test_one_reading_follows_the_same_rule() -> None:
    zone = zone_named("Europe/Berlin")
    at = [resolve_reading(zone, datetime.fromisoformat(text)) for text in ("2026-03-29T02:30", "2026-10-25T02:30")]
    assert shown(at, "Europe/Berlin") == ["2026-03-29T03:00+02:00", "2026-10-25T02:30+02:00"]


@pytest.mark.parametrize("name", ["Europe/Berln", "../etc/passwd", "localtime", ""])
def test_an_unknown_zone_is_refused(name: str) -> None:
    with pytest.raises(ValidationFailed) as refused:
        zone_named(name)
    assert refused.value.field == "timezone"


def test_a_zone_nearly_right_is_offered() -> None:
    with pytest.raises(ValidationFailed, match="did you mean Europe/Berlin"):
        zone_named("Europe/Berln")
