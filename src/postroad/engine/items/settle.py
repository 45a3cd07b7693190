"""Where an item's attempt comes to rest: counted, written down, reported, or parked for another one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from postroad.engine.items.classify import NEVER, Decision, Rules, backoff_ms, decide, is_fatal, outcome_of_waiting
from postroad.engine.items.item import History, Item
from postroad.engine.items.ledger import Ledger
from postroad.engine.items.parking import Parking
from postroad.engine.pacing.pacer import WIDE, Pacer
from postroad.engine.reporting.counters import Counters
from postroad.engine.reporting.delivery import ResultDelivery
from postroad.engine.reporting.results import ItemResult
from postroad.engine.spec import RunSpec
from postroad.spi import Recipient, SendResult, Verdict
from postroad.vocabulary.outcomes import Category, Outcome

WITHDRAWN_CODE = "WITHDRAWN"
"""In the journal: an INTENT was written and the item was not handed over after all."""


class Fate(NamedTuple):
    """What became of an item, in the words of journal and sink."""

    outcome: Outcome
    category: str = ""
    code: str = ""
    summary: str = ""


@dataclass(slots=True)
class Settler:
    spec: RunSpec
    rules: Rules
    counters: Counters
    ledger: Ledger
    pacer: Pacer
    parking: Parking
    results: ResultDelivery | None
    stop: Callable[[str], None]
    """The account is wrong, or used up: the run must end."""
    paused_ms: float = 0.0

    def answered(self, item: Item, result: SendResult, now_ms: float) -> None:
        """Takes the answer to the attempt that `item` is on."""
        latency_ms = int(now_ms - item.started_ms)
        if result.verdict is Verdict.ACCEPTED:
            self._succeeded(item, result, latency_ms, int(now_ms))
            return
        self._slow(item, result, now_ms)
        decision = decide(result, item, self.rules, now_ms, self.paused_ms)
        if decision.outcome is None:
            self._again(item, result, decision, latency_ms)
        else:
            self._settled(item, result, decision, latency_ms, int(now_ms))
        if is_fatal(result):
            said = f": {result.summary}" if result.summary else ""
            code = f" {result.code}" if result.code else ""
            self.stop(f"{decision.category}{code}{said}")

    def _succeeded(self, item: Item, result: SendResult, latency_ms: int, now_ms: int) -> None:
        counters = self.counters
        counters.succeeded += 1
        doubled = item.history is not None and item.history.may_have_left
        if doubled:
            counters.maybe_doubled += 1
        self.ledger.final(
            item.sequence,
            item.attempt,
            Outcome.SUCCEEDED,
            "",
            result.code,
            result.request_id,
            latency_ms,
            result.summary,
            now_ms,
        )
        if self.results is not None:
            fate = Fate(Outcome.SUCCEEDED, "", result.code, result.summary)
            self._report(item, result, fate, (latency_ms, now_ms), doubled=doubled)

    def _settled(self, item: Item, result: SendResult, decision: Decision, latency_ms: int, now_ms: int) -> None:
        outcome = decision.outcome
        assert outcome is not None
        self.counters.add(outcome)
        told = (decision.category.value, decision.code)
        came = (result.request_id, latency_ms, result.summary)
        if outcome is Outcome.UNSENT and self.rules.keeps_unsent:
            self.ledger.retry(item.sequence, item.attempt, now_ms, *told, False, *came)
        else:
            self.ledger.final(item.sequence, item.attempt, outcome, *told, *came, now_ms)
        if self.results is not None:
            fate = Fate(outcome, decision.category.value, decision.code, result.summary)
            self._report(item, result, fate, (latency_ms, now_ms))

    def _report(
        self, item: Item, result: SendResult, fate: Fate, times: tuple[int, int], *, doubled: bool = False
    ) -> None:
        """`times` are latency and moment, in milliseconds."""
        assert self.results is not None
        made = ItemResult(
            self.spec.run_id,
            self.spec.snapshot_id,
            item.sequence,
            item.recipient.row,
            item.attempt,
            *(fate.outcome, fate.category, fate.code, result.request_id, fate.summary),
            *times,
            doubled,
            result.body if self.spec.policies.result.save_body else None,
        )
        self.results.add(made)

    def _again(self, item: Item, result: SendResult, decision: Decision, latency_ms: int) -> None:
        history = item.history or self.history_of(item)
        item.history = history
        history.may_have_left = history.may_have_left or result.may_have_left
        history.in_doubt = history.in_doubt or result.verdict is Verdict.IN_DOUBT
        history.category, history.code = decision.category.value, decision.code
        self.ledger.retry(
            item.sequence,
            item.attempt,
            int(decision.due_ms),
            history.category,
            history.code,
            history.may_have_left,
            result.request_id,
            latency_ms,
            result.summary,
        )
        item.attempt += 1
        item.rendered = None
        item.careful = True
        self.parking.until(item, decision.due_ms)

    def history_of(self, item: Item) -> History:
        """A history that begins with the attempt `item` is on."""
        item_s = self.spec.policies.timeout.item_s
        deadline_ms = NEVER if item_s is None else item.started_ms - self.paused_ms + item_s * 1000.0
        return History(item.started_ms, deadline_ms)

    def _slow(self, item: Item, result: SendResult, now_ms: float) -> None:
        wait_s = result.retry_after_s
        if wait_s is None:
            if result.category is not Category.RATE_LIMITED and not result.slow_keys:
                return
            wait_s = backoff_ms(self.rules.retry, item.attempt, 0.0) / 1000.0
        keys = result.slow_keys or ("account",)
        shared = [key for key in keys if key in WIDE or key in item.keys]  # nobody takes tokens of any other
        if wait_s > 0 and shared:
            self.pacer.slow(shared, now_ms + wait_s * 1000.0)

    def without_attempt(self, recipient: Recipient, fate: Fate, now_ms: float) -> None:
        """Settles a recipient that our own side refuses or leaves out: nothing was dispatched."""
        self.counters.add(fate.outcome)
        self.ledger.final(
            recipient.sequence, 0, fate.outcome, fate.category, fate.code, "", 0, fate.summary, int(now_ms)
        )
        self.tell(recipient.sequence, recipient.row, 0, fate, now_ms)

    def tell(self, sequence: int, row: int, attempt: int, fate: Fate, now_ms: float) -> None:
        """Reports to the sink without counting."""
        if self.results is not None:
            result = ItemResult(self.spec.run_id, self.spec.snapshot_id, sequence, row, attempt, fate.outcome)
            result.category, result.code, result.summary = fate.category, fate.code, fate.summary
            result.at_ms = int(now_ms)
            self.results.add(result)

    def left_over(self, item: Item, *, intended: bool, keep: bool, now_ms: float) -> None:
        """Settles an item that waited when the run stopped.

        `intended` says that its INTENT is written though it was never handed over: that must be taken back. With
        `keep` the run may be resumed, so what was never sent stays open in the journal; otherwise it is final there.
        """
        outcome = outcome_of_waiting(item)
        category, code = (item.history.category, item.history.code) if item.history else ("", "")
        made = item.attempt - 1
        self.counters.add(outcome)
        if outcome is not Outcome.UNSENT or not keep:
            if outcome is not Outcome.UNSENT or made or intended:
                self.ledger.final(item.sequence, made, outcome, category, code, "", 0, "", int(now_ms))
        elif intended:
            left = item.history is not None and item.history.may_have_left
            taken_back = (Category.CANCELLED.value, WITHDRAWN_CODE)
            self.ledger.retry(item.sequence, item.attempt, int(now_ms), *taken_back, left)
        self.tell(item.sequence, item.recipient.row, made, Fate(outcome, category, code), now_ms)
