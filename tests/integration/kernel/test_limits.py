"""Both limiters let through and refuse the same."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.builders.databases import Databases

from postroad.kernel.database import Database
from postroad.kernel.limits import DatabaseLimiter, Limiter, MemoryLimiter
from postroad.vocabulary.refusals import RateLimited


class WallClock:
    """A clock whose two times move together."""

    def __init__(self, databases: Databases) -> None:
        self._clock = databases.clock

    def now_ms(self) -> int:
        return self._clock.ms

    def monotonic(self) -> float:
        return self._clock.ms / 1000


@pytest.fixture(params=["memory", "database"])
def limiter(request: pytest.FixtureRequest, databases: Databases) -> Limiter:
    if request.param == "memory":
        return MemoryLimiter(WallClock(databases))
    return DatabaseLimiter(databases.database)


def _taken(limiter: Limiter, key: str, limit: int, per_s: float, n: int = 1) -> float | None:
    try:
        limiter.take(key, limit, per_s, n)
    except RateLimited as refused:
        return refused.retry_after_s
    return None


def test_the_limit_may_be_used_at_once_and_then_comes_back_one_by_one(databases: Databases, limiter: Limiter) -> None:
    assert [_taken(limiter, "k", 3, 60) for _ in range(4)] == [None, None, None, pytest.approx(20)]
    databases.clock.advance(s=19.999)
    assert _taken(limiter, "k", 3, 60) == pytest.approx(0.001, abs=1e-6)
    databases.clock.advance(s=0.001)
    assert [_taken(limiter, "k", 3, 60) for _ in range(2)] == [None, pytest.approx(20)]
    databases.clock.advance(s=3600)
    assert [_taken(limiter, "k", 3, 60) for _ in range(4)] == [None, None, None, pytest.approx(20)]


def test_what_was_refused_was_not_used(databases: Databases, limiter: Limiter) -> None:
    limiter.take("k", 1, 10)
    assert [_taken(limiter, "k", 1, 10) for _ in range(5)] == [pytest.approx(10)] * 5
    databases.clock.advance(s=10)
    assert _taken(limiter, "k", 1, 10) is None


def test_keys_are_limited_apart(limiter: Limiter) -> None:
    limiter.take("a", 1, 60)
    assert _taken(limiter, "b", 1, 60) is None


def test_several_are_taken_whole_or_not_at_all(limiter: Limiter) -> None:
    limiter.take("k", 10, 10, n=8)
    assert _taken(limiter, "k", 10, 10, n=3) == pytest.approx(1.0)
    assert _taken(limiter, "k", 10, 10, n=2) is None


def test_more_than_ever_fits_is_refused(limiter: Limiter) -> None:
    assert _taken(limiter, "k", 10, 10, n=11) is not None


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 3), st.integers(0, 4000)), max_size=12))
def test_both_limiters_agree(databases: Databases, uses: list[tuple[str, int, int]]) -> None:
    memory, shared = MemoryLimiter(WallClock(databases)), DatabaseLimiter(databases.database)
    databases.clock.advance(s=3600)
    for key, n, later_ms in uses:
        first, second = _taken(memory, key, 4, 8.0, n), _taken(shared, key, 4, 8.0, n)
        assert (first is None) == (second is None)
        if first is not None and second is not None:
            assert first == pytest.approx(second, abs=1e-5)
        databases.clock.advance(ms=later_ms)


def test_instances_that_take_at_once_share_the_limit(databases: Databases) -> None:
    other = Database(databases.again(), databases.parts)
    together = threading.Barrier(8)

    def take(number: int) -> int:
        limiter = DatabaseLimiter(other if number % 2 else databases.database)
        together.wait(20)
        return sum(_taken(limiter, "k", 10, 60) is None for _ in range(5))

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(take, range(8))) == 10
    other.close()


def test_keys_that_are_unused_are_swept(databases: Databases) -> None:
    limiter = DatabaseLimiter(databases.database)
    for key in ("a", "b", "c"):
        limiter.take(key, 1, 10)
    assert limiter.sweep() == 0
    databases.clock.advance(s=11)
    assert (limiter.sweep(limit=2), limiter.sweep(limit=2)) == (2, 1)
    assert _taken(limiter, "a", 1, 10) is None


def test_memory_forgets_the_key_that_was_used_longest_ago(databases: Databases) -> None:
    limiter = MemoryLimiter(WallClock(databases), most_keys=2)
    for key in ("a", "b", "a", "c"):
        _taken(limiter, key, 2, 60)
    assert _taken(limiter, "a", 2, 60) is not None
    assert _taken(limiter, "b", 2, 60) is None
