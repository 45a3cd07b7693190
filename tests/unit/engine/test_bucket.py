"""At most so many tokens in any window, and spread evenly."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postroad.engine.pacing.bucket import Bucket
from postroad.spi import Rate


def _drive(bucket: Bucket, costs: list[int], start_ms: float = 0.0, late: list[float] | None = None) -> list[float]:
    """Takes each cost as early as allowed, plus a delay; gives the times."""
    now, times = start_ms, []
    for number, cost in enumerate(costs):
        while due := bucket.due(cost, now):
            assert due > now
            now = due
        if late:
            now += late[number % len(late)]
        while due := bucket.due(cost, now):
            now = due
        bucket.take(cost, now)
        times.append(now)
    return times


def _most_in_any(times: list[float], costs: list[int], window_ms: float) -> int:
    return max(
        sum(cost for at, cost in zip(times, costs, strict=True) if start <= at < start + window_ms) for start in times
    )


def test_one_per_two_minutes_lets_exactly_one_go() -> None:
    bucket = Bucket(Rate(1, 120))
    assert _drive(bucket, [1, 1, 1], start_ms=500) == [500, 120_550, 240_600]


def test_a_high_rate_starts_evenly_and_not_with_a_burst() -> None:
    times = _drive(Bucket(Rate(100, 1.0)), [1] * 200)
    assert times[:4] == [0, 10, 20, 30]
    assert times[-1] == pytest.approx(1990)


def test_zero_is_unlimited() -> None:
    assert _drive(Bucket(Rate(0, 1.0)), [1] * 50) == [0] * 50


def test_a_dispatcher_that_comes_a_little_late_keeps_the_rate() -> None:
    times = _drive(Bucket(Rate(1000, 1.0)), [1] * 3000, late=[0, 3.0, 0, 0, 0, 0, 0, 0])
    assert times[-1] < 3100


def test_one_that_was_idle_does_not_catch_up() -> None:
    bucket = Bucket(Rate(10, 1.0))
    bucket.take(1, 0)
    assert _drive(bucket, [1, 1], start_ms=50_000) == [50_000, 50_100]


def test_slow_holds_everybody_and_a_shorter_wait_does_not_undo_it() -> None:
    bucket = Bucket(Rate(10, 1.0))
    bucket.slow(5000)
    bucket.slow(100)
    assert bucket.due(1, 0) == 5000
    assert bucket.due(1, 5000) == 0


def test_a_cost_above_the_count_waits_for_an_empty_window() -> None:
    bucket = Bucket(Rate(2, 1.0))
    bucket.take(1, 0)
    assert bucket.due(5, 500) == 1000
    bucket.take(5, 1000)
    assert bucket.due(1, 1001) >= 2000


def test_a_new_process_that_is_told_the_past_goes_on_exactly() -> None:
    before = Bucket(Rate(3, 60))
    times = _drive(before, [1] * 4)
    after = Bucket(Rate(3, 60))
    for at in times:
        after.take(1, at)
    assert after.due(1, times[-1]) == before.due(1, times[-1])


def test_another_rate_keeps_what_was_sent() -> None:
    bucket = Bucket(Rate(10, 1.0))
    times = _drive(bucket, [1] * 10)
    slower = bucket.at_rate(Rate(10, 60.0), times[-1])
    assert slower.due(1, times[-1]) >= 60_000


@settings(max_examples=150, deadline=None)
@given(
    count=st.sampled_from([1, 2, 3, 7, 10, 50]),
    per_s=st.sampled_from([0.5, 1.0, 60.0]),
    costs=st.lists(st.integers(1, 4), min_size=5, max_size=120),
    late=st.lists(st.floats(0, 400), min_size=1, max_size=9),
    seed=st.integers(0, 1000),
)
def test_no_window_ever_holds_more(count: int, per_s: float, costs: list[int], late: list[float], seed: int) -> None:
    costs = [min(cost, count) for cost in costs]
    random.Random(seed).shuffle(late)
    times = _drive(Bucket(Rate(count, per_s)), costs, late=late)
    assert _most_in_any(times, costs, per_s * 1000 - 0.001) <= count


def test_a_count_too_big_for_a_log_keeps_the_promise() -> None:
    costs = random.Random(4).choices([1, 1, 1, 3], k=60_000)
    times = _drive(Bucket(Rate(25_000, 1.0)), costs, late=[0.0] * 1999 + [15.0])
    start = total = worst = 0
    for end, at in enumerate(times):
        total += costs[end]
        while times[start] <= at - 1000:
            total -= costs[start]
            start += 1
        worst = max(worst, total)
    assert 20_000 < worst <= 25_000
