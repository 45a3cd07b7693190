"""What becomes of fire times that have come, by the policy for those nobody was there for."""

import pytest

from postroad.modules.schedules.model import Misfire, MisfirePolicy, When
from postroad.modules.schedules.parts.due import RECORDED_MISSES, decide
from postroad.modules.schedules.parts.planning import first_fire, timing_asked
from postroad.modules.schedules.parts.timing import Timing
from postroad.vocabulary.refusals import ValidationFailed

MINUTE = 60_000
HOUR = 60 * MINUTE
EIGHT = 1_799_996_400_000  # 2027-01-15T07:00Z, 08:00 in Berlin

SKIP = Misfire(MisfirePolicy.SKIP)
FIRE_ONCE = Misfire(MisfirePolicy.FIRE_ONCE)


def catch_up(limit: int) -> Misfire:
    return Misfire(MisfirePolicy.CATCH_UP_LIMITED, limit)


def hourly(**bounds: int) -> Timing:
    return timing_asked(
        When("Europe/Berlin", cron="0 * * * *", start_at_ms=bounds.get("start"), end_at_ms=bounds.get("end"))
    )


@pytest.mark.parametrize("misfire", [SKIP, FIRE_ONCE, catch_up(3)])
@pytest.mark.parametrize("late_ms", [0, 1_000, MINUTE])
def test_a_time_that_came_within_a_minute_fires_whatever_the_policy(misfire: Misfire, late_ms: int) -> None:
    decision = decide(hourly(), misfire, EIGHT, EIGHT + late_ms)
    assert (decision.missed, decision.fire_at_ms, decision.next_at_ms) == ((), EIGHT, EIGHT + HOUR)


def test_skip_passes_over_what_is_late() -> None:
    decision = decide(hourly(), SKIP, EIGHT, EIGHT + 2 * HOUR + 5 * MINUTE)
    assert [missed.at_ms for missed in decision.missed] == [EIGHT, EIGHT + HOUR, EIGHT + 2 * HOUR]
    assert decision.fire_at_ms is None
    assert decision.next_at_ms == EIGHT + 3 * HOUR


def test_skip_still_fires_the_time_that_has_just_come() -> None:
    decision = decide(hourly(), SKIP, EIGHT, EIGHT + 2 * HOUR)
    assert [missed.at_ms for missed in decision.missed] == [EIGHT, EIGHT + HOUR]
    assert decision.fire_at_ms == EIGHT + 2 * HOUR


def test_fire_once_makes_one_firing_of_everything_due() -> None:
    decision = decide(hourly(), FIRE_ONCE, EIGHT, EIGHT + 2 * HOUR + 5 * MINUTE)
    assert [missed.at_ms for missed in decision.missed] == [EIGHT, EIGHT + HOUR]
    assert decision.fire_at_ms == EIGHT + 2 * HOUR
    assert decision.next_at_ms == EIGHT + 3 * HOUR


def test_catching_up_fires_the_latest_few_one_after_the_other_oldest_first() -> None:
    now, due, fired, missed = EIGHT + 5 * HOUR + 5 * MINUTE, EIGHT, [], []
    while due <= now:
        decision = decide(hourly(), catch_up(2), due, now)
        missed += [one.at_ms for one in decision.missed]
        fired += [decision.fire_at_ms] if decision.fire_at_ms is not None else []
        assert decision.next_at_ms is not None
        due = decision.next_at_ms
    assert fired == [EIGHT + 4 * HOUR, EIGHT + 5 * HOUR]
    assert missed == [EIGHT + n * HOUR for n in range(4)]


def test_a_year_of_missed_minutes_is_recorded_by_its_last_hundred() -> None:
    timing = timing_asked(When("UTC", cron="* * * * *"))
    decision = decide(timing, FIRE_ONCE, EIGHT, EIGHT + 365 * 24 * HOUR + 90_000)
    assert len(decision.missed) == RECORDED_MISSES
    assert decision.missed[0].reason.endswith("earlier ones are not listed")
    assert decision.fire_at_ms == EIGHT + 365 * 24 * HOUR + MINUTE
    assert decision.next_at_ms == EIGHT + 365 * 24 * HOUR + 2 * MINUTE


def test_nothing_follows_the_end_of_a_schedule() -> None:
    decision = decide(hourly(end=EIGHT + 30 * MINUTE), SKIP, EIGHT, EIGHT)
    assert (decision.fire_at_ms, decision.next_at_ms) == (EIGHT, None)


def test_one_instant_fires_once_and_that_is_all() -> None:
    once = timing_asked(When("Europe/Berlin", at="2027-01-15T08:00"))
    assert first_fire(once, EIGHT - 1) == EIGHT
    decision = decide(once, FIRE_ONCE, EIGHT, EIGHT + HOUR)
    assert (decision.missed, decision.fire_at_ms, decision.next_at_ms) == ((), EIGHT, None)


def test_an_instant_may_bring_its_own_offset() -> None:
    once = timing_asked(When("Europe/Berlin", at="2027-01-15T09:00+02:00"))
    assert once.when == EIGHT


def test_the_start_belongs_to_the_time_in_which_it_fires() -> None:
    assert hourly(start=EIGHT, end=EIGHT + HOUR).upcoming(0, 10) == [EIGHT, EIGHT + HOUR]


@pytest.mark.parametrize(
    ("when", "path"),
    [
        (When("UTC"), "cron"),
        (When("UTC", cron="0 8 * * *", at="2027-01-01T00:00"), "cron"),
        (When("UTC", at="tomorrow"), "at"),
        (When("UTC", at="0001-01-01T00:00"), "at"),
        (When("Mars/Base", cron="0 8 * * *"), "timezone"),
        (When("UTC", cron="0 8 * * *", start_at_ms=2, end_at_ms=1), "endAt"),
        (When("UTC", cron="0 8 * * *", start_at_ms=253_370_764_800_000), "startAt"),
    ],
)
def test_what_cannot_be_planned_is_refused_by_its_field(when: When, path: str) -> None:
    with pytest.raises(ValidationFailed) as refused:
        timing_asked(when)
    assert refused.value.field == path


@pytest.mark.parametrize(
    ("when", "path"),
    [
        (When("UTC", at="2027-01-15T06:59"), "at"),
        (When("UTC", cron="0 8 * * *", end_at_ms=EIGHT), "endAt"),
        (When("UTC", cron="0 8 1 1 *", start_at_ms=EIGHT, end_at_ms=EIGHT + 24 * HOUR), "endAt"),
    ],
)
def test_what_would_never_fire_is_refused(when: When, path: str) -> None:
    with pytest.raises(ValidationFailed) as refused:
        first_fire(timing_asked(when), EIGHT)
    assert refused.value.field == path


@pytest.mark.parametrize(("policy", "limit"), [("CATCH_UP_LIMITED", 0), ("CATCH_UP_LIMITED", 101), ("SKIP", 1)])
def test_the_limit_of_catching_up_goes_with_its_policy(policy: str, limit: int) -> None:
    with pytest.raises(ValidationFailed, match="catchUpLimit"):
        Misfire(MisfirePolicy(policy), limit)
