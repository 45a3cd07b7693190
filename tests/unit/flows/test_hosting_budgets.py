"""Rates over the runs of an account, as the host lends them."""

from postroad.engine import Lease
from postroad.flows.hosting.budgets import Budgets
from postroad.spi import Rate

NOW = 1_000_000
SLOW, FAST, NONE = Rate(10, 10.0), Rate(1_000, 1.0), Rate(0, 1.0)


def _tokens(budgets: Budgets, run_id: str, key: str, until_ms: int, start_ms: int = NOW) -> int:
    """Everything that can be had until then."""
    taken, now = 0, start_ms
    while now < until_ms:
        lease: Lease = budgets.lend(run_id, key, 1, now)
        assert not lease.unlimited
        taken += lease.tokens
        now = int(max(lease.expires_at_ms, lease.retry_at_ms, now)) + 1
    return taken


def test_two_runs_of_one_account_have_one_budget_and_each_its_own_for_the_run() -> None:
    budgets = Budgets()
    for run in ("a", "b"):
        budgets.open(run, "account-1", {"account": SLOW, "run": FAST}, NOW)
    assert _tokens(budgets, "a", "account", NOW + 4_500) + _tokens(budgets, "b", "account", NOW + 9_000) <= 10
    assert budgets.lend("b", "run", 1, NOW).tokens >= 1


def test_the_slowest_rate_holds_as_long_as_its_run_goes_on() -> None:
    budgets = Budgets()
    budgets.open("a", "account-1", {"account": SLOW}, NOW)
    budgets.open("b", "account-1", {"account": FAST}, NOW)
    assert _tokens(budgets, "b", "account", NOW + 3_000) <= 10
    budgets.close("a", NOW + 3_000)
    assert _tokens(budgets, "b", "account", NOW + 4_000, NOW + 3_000) > 100


def test_a_run_without_a_limit_is_told_of_the_limit_that_another_brings() -> None:
    budgets = Budgets()
    told: list[str] = []
    budgets.open("a", "account-1", {"account": NONE}, NOW)
    budgets.listen("a", told.append)
    assert budgets.lend("a", "account", 1, NOW).unlimited
    budgets.open("b", "account-1", {"account": SLOW, "domain": SLOW}, NOW)
    assert sorted(told) == ["account", "domain"]
    assert not budgets.lend("a", "account", 1, NOW).unlimited
    assert not budgets.lend("a", "domain:example.com", 1, NOW).unlimited
    budgets.close("b", NOW)
    assert budgets.lend("a", "account", 1, NOW).unlimited


def test_a_worker_that_comes_later_hears_of_it_too_and_no_other_account_does() -> None:
    budgets = Budgets()
    budgets.open("a", "account-1", {}, NOW)
    budgets.open("b", "account-1", {"account": SLOW}, NOW)
    budgets.open("c", "account-2", {}, NOW)
    assert budgets.limited_by_others("a") == {"account"}
    assert budgets.limited_by_others("b") == budgets.limited_by_others("c") == frozenset()


def test_silence_that_a_remote_asks_for_holds_for_all_runs_of_the_account() -> None:
    budgets = Budgets()
    told: list[str] = []
    for run in ("a", "b"):
        budgets.open(run, "account-1", {}, NOW)
    deaf = budgets.listen("b", told.append)
    budgets.slow("a", ["account"], NOW + 5_000)
    budgets.slow("a", ["account"], NOW + 6_000)
    assert told == ["account"]
    assert budgets.lend("b", "account", 1, NOW) == Lease(0, NOW, NOW + 6_000)
    assert budgets.lend("b", "account", 1, NOW + 6_001).unlimited
    deaf()


def test_what_was_spent_before_counts_once_however_often_a_run_comes_back() -> None:
    budgets = Budgets()
    assert budgets.known_since("account-1") is None
    assert budgets.open("a", "account-1", {"account": SLOW}, NOW)
    spent = [(NOW - 5_000 + number, (), 1) for number in range(7)]
    budgets.recall("a", spent, spent, NOW - 12_000, NOW)
    assert budgets.known_since("account-1") == NOW - 12_000
    budgets.close("a", NOW)
    assert not budgets.open("a", "account-1", {"account": SLOW}, NOW)
    assert _tokens(budgets, "a", "account", NOW + 5_000) == 3


def test_a_rate_that_a_person_changes_holds_at_once() -> None:
    budgets = Budgets()
    budgets.open("a", "account-1", {"run": SLOW, "account": NONE}, NOW)
    budgets.change("a", "run", NONE, NOW)
    budgets.change("a", "account", SLOW, NOW)
    assert budgets.lend("a", "run", 1, NOW).unlimited
    assert not budgets.lend("a", "account", 1, NOW).unlimited
