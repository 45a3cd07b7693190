"""All budgets of a run: all or nothing, narrow ones by key."""

from tests.builders.engine_parts import limit

from postroad.engine import LocalPacer
from postroad.engine.pacing import effective_rates, spent_by
from postroad.spi import Rate, RateLimit, RateScope


def test_without_rates_nothing_waits() -> None:
    pacer = LocalPacer({})
    assert all(pacer.try_take(("domain:a",), 5, 0.0) is None for _ in range(1000))


def test_a_scope_rate_holds_for_each_name_by_itself() -> None:
    pacer = LocalPacer({RateScope.DOMAIN: Rate(1, 10)})
    assert pacer.try_take(("domain:a",), 1, 0.0) is None
    assert pacer.try_take(("domain:b",), 1, 0.0) is None
    assert pacer.try_take(("domain:a",), 1, 1.0) == ("domain:a", 10_050.0)


def test_a_rate_for_one_name_wins_over_its_scope() -> None:
    pacer = LocalPacer({"domain": Rate(1, 10), "domain:big": Rate(1, 1)})
    pacer.try_take(("domain:big",), 1, 0.0)
    assert pacer.try_take(("domain:big",), 1, 0.5) == ("domain:big", 1010.0)


def test_a_refusal_takes_nothing_anywhere() -> None:
    pacer = LocalPacer({"domain": Rate(1, 100), "run": Rate(10, 1)})
    pacer.try_take(("domain:a",), 1, 0.0)
    for _ in range(50):
        assert pacer.try_take(("domain:a",), 1, 200.0) == ("domain:a", 100_050.0)
    assert pacer.try_take(("domain:b",), 1, 200.0) is None


def test_slow_works_for_buckets_without_a_rate() -> None:
    pacer = LocalPacer({})
    pacer.slow(("domain:x", "account"), 5000.0)
    assert pacer.try_take((), 1, 0.0) == ("account", 5000.0)
    assert pacer.try_take(("domain:x",), 1, 5000.0) is None


def test_idle_buckets_go_so_that_names_do_not_pile_up() -> None:
    pacer = LocalPacer({"recipient": Rate(1, 1)})
    for number in range(50_000):
        pacer.try_take((f"recipient:{number}",), 1, float(number))
    assert len(pacer._narrow) <= 8192


def test_the_jobs_rates_stand_before_the_providers() -> None:
    limits = [limit(RateScope.ACCOUNT, 30, 1), limit(RateScope.DOMAIN, 5, 1)]
    given = effective_rates({"account": Rate(100, 1)}, limits, Rate(1, 1))
    assert given == {"account": Rate(100, 1), "domain": Rate(5, 1)}


def test_a_run_without_any_rate_gets_the_providers_safe_one() -> None:
    assert effective_rates({}, [], Rate(20, 60)) == {"run": Rate(20, 60)}


def test_a_new_process_rebuilds_its_buckets_from_the_past() -> None:
    pacer = LocalPacer({"run": Rate(1, 120), "domain": Rate(1, 600)})
    pacer.rebuild([(1000, ("domain:a",), 1)])
    assert pacer.try_take((), 1, 2000.0) == ("run", 121_050.0)
    assert pacer.try_take(("domain:a",), 1, 130_000.0) == ("domain:a", 601_050.0)


def test_regression_a_clock_that_was_set_back_stopped_a_resumed_run_for_as_long() -> None:
    pacer = LocalPacer({"run": Rate(1, 2)})
    pacer.rebuild(spent_by([(3_600_000, (), 1)], 1_000.0))
    assert pacer.try_take((), 1, 1_000.0) == ("run", 3_020.0)


def test_of_several_limits_of_one_scope_the_slowest_holds_whatever_their_order() -> None:
    quick, slow = RateLimit(RateScope.ACCOUNT, Rate(5, 1)), RateLimit(RateScope.ACCOUNT, Rate(100, 60))
    assert effective_rates({}, [quick, slow]) == effective_rates({}, [slow, quick]) == {"account": Rate(100, 60)}
