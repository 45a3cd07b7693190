"""One answer, one decision."""

import pytest
from tests.builders.engine_parts import OK, in_doubt, not_sent, refused

from postroad.engine import RetryPolicy
from postroad.engine.items.classify import Rules, backoff_ms, decide, even_jitter, is_fatal, outcome_of_waiting
from postroad.engine.items.item import History, Item
from postroad.spi import Recipient, SendResult, Verdict
from postroad.vocabulary.outcomes import Category, Outcome


def _item(attempt: int = 1, history: History | None = None) -> Item:
    item = Item(Recipient(5, {}), None, (), 1, careful=False)
    item.attempt, item.history, item.started_ms = attempt, history, 1000.0
    return item


def _rules(**changes: object) -> Rules:
    rules = Rules(RetryPolicy(jitter=0), lambda sequence, attempt: 0.0)
    for name, value in changes.items():
        setattr(rules, name, value)
    return rules


C = Category


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        (OK, Outcome.SUCCEEDED),
        (refused(C.RATE_LIMITED), None),
        (refused(C.TEMPORARY_REMOTE), None),
        (refused(C.NETWORK), None),
        (refused(C.TIMEOUT), Outcome.FAILED),
        (refused(C.INVALID_REQUEST), Outcome.FAILED),
        (refused(C.RECIPIENT_INVALID), Outcome.FAILED),
        (refused(C.PERMANENT_REMOTE), Outcome.FAILED),
        (refused(C.INTERNAL), Outcome.FAILED),
        (refused(C.UNKNOWN), Outcome.FAILED),
        (refused(C.AUTHENTICATION), Outcome.FAILED),
        (refused(C.AUTHORIZATION), Outcome.FAILED),
        (refused(C.PERMANENT_REMOTE, retry=True), None),
        (refused(C.TEMPORARY_REMOTE, retry=False), Outcome.FAILED),
        (refused(C.TEMPORARY_REMOTE, stop_run=True), Outcome.FAILED),
        (not_sent(C.NETWORK), None),
        (not_sent(C.TIMEOUT), None),
        (not_sent(C.INVALID_REQUEST), Outcome.FAILED),
        (in_doubt(), Outcome.UNKNOWN),
        (in_doubt(retry=True), Outcome.UNKNOWN),
        (in_doubt(category=C.NETWORK), Outcome.UNKNOWN),
        (SendResult(Verdict.REFUSED), Outcome.FAILED),
    ],
)
def test_the_first_answer_decides_by_verdict_and_category(result: SendResult, outcome: Outcome | None) -> None:
    assert decide(result, _item(), _rules(), 2000.0, 0.0).outcome is outcome


def test_the_last_attempt_is_the_last() -> None:
    assert decide(not_sent(), _item(3), _rules(), 2000.0, 0.0).outcome is Outcome.FAILED


def test_a_retry_after_the_deadline_of_the_run_is_not_made() -> None:
    rules = _rules(run_deadline_ms=2500.0)
    assert decide(not_sent(), _item(), rules, 2000.0, 0.0).outcome is Outcome.FAILED
    assert decide(not_sent(retry_after_s=0.1), _item(), rules, 2000.0, 0.0).outcome is None


def test_the_remotes_own_wait_wins_over_the_backoff() -> None:
    assert decide(not_sent(retry_after_s=90), _item(), _rules(), 2000.0, 0.0).due_ms == 92_000.0


@pytest.mark.parametrize(("kept_ms", "outcome"), [(0.0, Outcome.UNKNOWN), (1000.0, Outcome.UNKNOWN), (60_000.0, None)])
def test_doubt_is_asked_again_only_while_the_key_is_young(kept_ms: float, outcome: Outcome | None) -> None:
    assert decide(in_doubt(), _item(), _rules(key_kept_ms=kept_ms), 2000.0, 0.0).outcome is outcome


def test_no_refusal_turns_earlier_doubt_into_certainty() -> None:
    history = History(1000.0, float("inf"))
    history.in_doubt = True
    for result in (refused(C.PERMANENT_REMOTE), refused(C.RATE_LIMITED, retry=False), not_sent(retry=False)):
        assert decide(result, _item(2, history), _rules(), 2000.0, 0.0).outcome is Outcome.UNKNOWN


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        (not_sent(C.CANCELLED), Outcome.UNSENT),
        (not_sent(C.NETWORK), Outcome.UNSENT),
        (refused(C.RATE_LIMITED), Outcome.FAILED),
        (in_doubt(), Outcome.UNKNOWN),
        (OK, Outcome.SUCCEEDED),
    ],
)
def test_while_the_run_stops_nothing_is_tried_again(result: SendResult, outcome: Outcome) -> None:
    assert decide(result, _item(), _rules(stopping=True), 2000.0, 0.0).outcome is outcome


@pytest.mark.parametrize(
    ("category", "may_have_left", "in_doubt_before", "outcome"),
    [
        ("NETWORK", False, False, Outcome.UNSENT),
        ("TIMEOUT", False, False, Outcome.UNSENT),
        ("RATE_LIMITED", False, False, Outcome.FAILED),
        ("TEMPORARY_REMOTE", True, False, Outcome.FAILED),
        ("NETWORK", True, False, Outcome.FAILED),
        ("NETWORK", False, True, Outcome.UNKNOWN),
    ],
)
def test_an_item_that_waits_when_the_run_stops(
    category: str, may_have_left: bool, in_doubt_before: bool, outcome: Outcome
) -> None:
    history = History(0.0, 0.0)
    history.category, history.may_have_left, history.in_doubt = category, may_have_left, in_doubt_before
    assert outcome_of_waiting(_item(2, history)) is outcome
    assert outcome_of_waiting(_item()) is Outcome.UNSENT


def test_the_account_is_wrong_only_when_the_provider_does_not_say_try_again() -> None:
    assert is_fatal(refused(C.AUTHENTICATION))
    assert is_fatal(not_sent(C.AUTHORIZATION))
    assert not is_fatal(refused(C.AUTHENTICATION, retry=True))
    assert is_fatal(refused(C.RATE_LIMITED, stop_run=True))
    assert not is_fatal(OK)


def test_the_delay_grows_to_its_maximum_with_jitter_on_top() -> None:
    policy = RetryPolicy(initial_s=1, multiplier=3, max_delay_s=20, jitter=0.5)
    assert [backoff_ms(policy, attempt, 0.0) for attempt in (1, 2, 3, 4)] == [1000, 3000, 9000, 20_000]
    assert backoff_ms(policy, 4, 0.999) == pytest.approx(30_000, rel=0.01)
    assert backoff_ms(policy, 100_000, 0.0) == 20_000


def test_jitter_differs_between_items_and_is_the_same_again() -> None:
    one, other = even_jitter("run-1"), even_jitter("run-2")
    values = [one(sequence, 1) for sequence in range(1000)]
    assert values == [even_jitter("run-1")(sequence, 1) for sequence in range(1000)]
    assert len(set(values)) == 1000
    assert all(0 <= value < 1 for value in values)
    assert 0.45 < sum(values) / 1000 < 0.55
    assert one(1, 1) != one(1, 2) != other(1, 1)
