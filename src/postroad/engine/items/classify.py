"""One answer, one decision: settled, or tried again at a moment.

Pure. The rules, in order: an accepted message succeeded; what the remote answered is repeated as the provider's word or
the category says; what certainly never left is repeated likewise; what may have left without an answer is UNKNOWN,
unless the remote honours an idempotency key and is young enough to remember it. Repeating ends with the number of
attempts, the item's deadline or the run's. Source: spec wepush §11.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from postroad.engine.items.item import History, Item
from postroad.engine.policies import RetryPolicy
from postroad.spi import SendResult, Verdict
from postroad.vocabulary.outcomes import RETRIED_BY_DEFAULT, RUN_FATAL, Category, Outcome

NEVER = float("inf")
IN_DOUBT_CODE = "IN_DOUBT"
"""Marks, in the journal, a RETRY that is only allowed under the item's idempotency key."""

_BEFORE_COMMIT = frozenset({Category.NETWORK, Category.TIMEOUT, Category.CANCELLED})
_RETRIED_UNSENT = RETRIED_BY_DEFAULT | {Category.TIMEOUT}


class Decision(NamedTuple):
    """`outcome` is None for an item that is to be tried again at `due_ms`."""

    outcome: Outcome | None
    due_ms: float
    category: Category
    code: str


@dataclass(slots=True)
class Rules:
    """What holds for all items of a run."""

    retry: RetryPolicy
    jitter: Callable[[int, int], float]
    """A number in [0, 1) for (sequence, attempt)."""
    key_kept_ms: float = 0.0
    """How long the remote remembers idempotency keys; 0 where it does not know them."""
    run_deadline_ms: float = NEVER
    item_ms: float = NEVER
    """What an item has from its first attempt on."""
    stopping: bool = False
    """The run ends: nothing is tried again."""
    keeps_unsent: bool = False
    """The run may be resumed: what was never sent stays open in the journal."""


def even_jitter(run_id: str) -> Callable[[int, int], float]:
    """Jitter that differs between items, attempts and runs, and is the same again for the same three."""

    def jitter(sequence: int, attempt: int) -> float:
        digest = hashlib.blake2b(f"{run_id}\0{sequence}\0{attempt}".encode(), digest_size=4).digest()
        return int.from_bytes(digest, "big") / 2**32

    return jitter


def backoff_ms(policy: RetryPolicy, attempt: int, jitter: float) -> float:
    """`min(max_delay, initial * multiplier^(attempt - 1)) + jitter`, in milliseconds. Source: spec wepush §11.3."""
    try:
        delay = policy.initial_s * policy.multiplier ** (attempt - 1)
    except OverflowError:
        delay = policy.max_delay_s
    delay = min(policy.max_delay_s, delay)
    return delay * 1000.0 * (1.0 + policy.jitter * jitter)


def is_fatal(result: SendResult) -> bool:
    """Whether the account, not the recipient, is wrong: the run stops."""
    if result.verdict is Verdict.ACCEPTED:
        return False
    return result.stop_run or (result.category in RUN_FATAL and result.retry is not True)


def decide(result: SendResult, item: Item, rules: Rules, now_ms: float, paused_ms: float) -> Decision:
    """`paused_ms` is how long the run has been paused in all: item deadlines are counted without it."""
    verdict = result.verdict
    category = result.category or (Category.TIMEOUT if verdict is Verdict.IN_DOUBT else Category.UNKNOWN)
    if verdict is Verdict.ACCEPTED:
        return Decision(Outcome.SUCCEEDED, 0.0, category, result.code)
    history = item.history
    if _may_repeat(result, category, item, rules):
        wait_ms = backoff_ms(rules.retry, item.attempt, rules.jitter(item.sequence, item.attempt))
        if result.retry_after_s is not None:
            wait_ms = max(0.0, result.retry_after_s * 1000.0)
        due_ms = now_ms + wait_ms
        if due_ms < rules.run_deadline_ms and _within(result, item, rules, due_ms, due_ms - paused_ms):
            code = IN_DOUBT_CODE if _is_keyed(result, history) else result.code
            return Decision(None, due_ms, category, code)
    return Decision(_end(result, category, history, rules), 0.0, category, result.code)


def _is_keyed(result: SendResult, history: History | None) -> bool:
    return result.verdict is Verdict.IN_DOUBT or (history is not None and history.in_doubt)


def _may_repeat(result: SendResult, category: Category, item: Item, rules: Rules) -> bool:
    if rules.stopping or item.attempt >= rules.retry.max_attempts or is_fatal(result) or result.retry is False:
        return False
    if result.verdict is Verdict.IN_DOUBT:
        return rules.key_kept_ms > 0
    if result.may_have_left and rules.retry.retry_after_sent == "never":
        return False
    if result.retry is True:
        return True
    return category in (_RETRIED_UNSENT if result.verdict is Verdict.NOT_SENT else RETRIED_BY_DEFAULT)


def _within(result: SendResult, item: Item, rules: Rules, due_ms: float, active_ms: float) -> bool:
    history = item.history
    deadline_ms = item.started_ms + rules.item_ms if history is None else history.deadline_ms
    if active_ms > deadline_ms:
        return False
    if not _is_keyed(result, history):
        return True
    first_at_ms = history.first_at_ms if history is not None else item.started_ms
    return due_ms - first_at_ms < rules.key_kept_ms / 2


def _end(result: SendResult, category: Category, history: History | None, rules: Rules) -> Outcome:
    if result.verdict is Verdict.IN_DOUBT or (history is not None and history.in_doubt):
        return Outcome.UNKNOWN
    if rules.stopping and result.verdict is Verdict.NOT_SENT and (history is None or not history.may_have_left):
        return Outcome.UNSENT if category in _RETRIED_UNSENT | {Category.CANCELLED} else Outcome.FAILED
    return Outcome.FAILED


def outcome_of_waiting(item: Item) -> Outcome:
    """What becomes of an item that waits for its next attempt when the run stops.

    UNSENT if no attempt passed the commit point, UNKNOWN if one had no answer, else FAILED with its last category.
    """
    history = item.history
    if history is None:
        return Outcome.UNSENT
    if history.in_doubt:
        return Outcome.UNKNOWN
    passed = history.may_have_left or history.category not in _BEFORE_COMMIT
    return Outcome.FAILED if passed else Outcome.UNSENT
