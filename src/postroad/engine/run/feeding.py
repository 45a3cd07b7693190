"""What a run reads, and in which order: first what an earlier process left, then the rest of the source.

A resumed run settles what is in doubt before anything is sent: UNKNOWN, or once more under the item's idempotency key
where the remote still remembers it. Then come the items that wait for a retry, those that were left out on the way, and
from there on the source in order. The source is read only while few recipients are waiting.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from postroad.engine.items.classify import IN_DOUBT_CODE
from postroad.engine.items.item import Item
from postroad.engine.items.ledger import Ledger
from postroad.engine.items.parking import Parking
from postroad.engine.items.settle import Fate, Settler
from postroad.engine.ports import RecipientSource, ResumableSource
from postroad.engine.reporting.counters import Counters
from postroad.engine.run.dispatch import Dispatcher
from postroad.engine.spec import ShardRange
from postroad.journal import ResumeState
from postroad.spi import Recipient
from postroad.vocabulary.errors import AudienceInvalid
from postroad.vocabulary.outcomes import Category, Outcome

CHUNK = 1000
RESTARTED_CODE = "RESTARTED"
"""In results: the process ended while this attempt had no answer yet."""


class _Again(NamedTuple):
    """An item of an earlier process that is to be tried again."""

    sequence: int
    attempt: int
    due_ms: int
    may_have_left: bool
    in_doubt: bool
    category: str
    code: str
    first_at_ms: int
    """From here on the remote counts how long it keeps the item's idempotency key."""


class Feeder:
    def __init__(
        self,
        source: RecipientSource,
        dispatcher: Dispatcher,
        settler: Settler,
        *,
        parking: Parking,
        counters: Counters,
        shard: ShardRange | None,
        total: int | None,
        past: ResumeState | None,
        failed: Callable[[str, Exception], None],
    ) -> None:
        self._source, self._dispatcher, self._settler = source, dispatcher, settler
        self._parking, self._counters = parking, counters
        self._first = shard.first if shard else 0
        self._end = shard.end if shard else None
        self._total = total
        self._past = past
        self._failed = failed
        self._last = -1
        self._again: list[_Again] = []

    def settle_past(self, ledger: Ledger, now_ms: float) -> None:
        """Takes over the counts of earlier processes and settles their doubt, durably. Blocks for a sync.

        A crash in the middle leaves the rest in doubt, for the next process. Raises JournalBroken.
        """
        past = self._past
        if past is None:
            return
        for outcome, number in past.counts.items():
            self._counters.add(outcome, number)
            self._counters.read += number
        self._counters.retried += past.retried
        self._counters.maybe_doubled += past.maybe_doubled
        self._dispatcher.careful_below = past.next_sequence
        rules = self._settler.rules
        for sequence, doubt in past.doubt.items():
            first_at_ms = doubt.first_at_ms or doubt.at_ms
            if not self._is_remembered(now_ms - first_at_ms) or doubt.attempt >= rules.retry.max_attempts:
                self._lose(ledger, sequence, doubt.attempt, now_ms)
                continue
            told = (Category.UNKNOWN.value, IN_DOUBT_CODE)
            ledger.retry(sequence, doubt.attempt, int(now_ms), *told, doubt.may_have_left)
            facts = (int(now_ms), doubt.may_have_left, True, *told, first_at_ms)
            self._again.append(_Again(sequence, doubt.attempt, *facts))
        for sequence, known in past.retry.items():
            in_doubt = known.code == IN_DOUBT_CODE
            first_at_ms = known.first_at_ms or known.due_ms
            if in_doubt and not self._is_remembered(now_ms - first_at_ms):
                self._lose(ledger, sequence, known.attempt, now_ms)
                continue
            told = (known.category, known.code)
            facts = (known.due_ms, known.may_have_left, in_doubt, *told, first_at_ms)
            self._again.append(_Again(sequence, known.attempt, *facts))
        ledger.settle()

    def _is_remembered(self, age_ms: float) -> bool:
        """Whether the remote surely still knows a key. A clock that was set back may give a negative age."""
        return abs(age_ms) < self._settler.rules.key_kept_ms / 2

    def _lose(self, ledger: Ledger, sequence: int, attempt: int, now_ms: float) -> None:
        self._counters.unknown += 1
        self._counters.read += 1
        told = (Outcome.UNKNOWN, Category.UNKNOWN.value, RESTARTED_CODE)
        ledger.final(sequence, attempt, *told, "", 0, "", int(now_ms))
        self._settler.tell(sequence, 0, attempt, Fate(*told), now_ms)

    async def run(self) -> None:
        """Feeds the dispatcher until the source ends. Errors go to `failed`, none is raised."""
        try:
            if self._past is not None and isinstance(self._source, ResumableSource):
                await self._resume(self._source, self._past)
            while True:
                await self._dispatcher.low_water()
                batch = await self._source.next_batch(CHUNK)
                if not batch or not self._take(batch):
                    break
            self._check_total()
        except Exception as error:  # whatever a source raises ends the run, with everybody accounted for  # noqa: BLE001  (engine: what a port raises is an outcome; until 2027-11-30)
            self._failed("recipient source", error)
            return
        self._dispatcher.is_exhausted = True
        self._dispatcher.schedule()

    async def _resume(self, source: ResumableSource, past: ResumeState) -> None:
        again, self._again = iter(self._again), []
        while chunk := list(islice(again, CHUNK)):
            recipients = await self._read(source, [known.sequence for known in chunk])
            for known, recipient in zip(chunk, recipients, strict=True):
                self._park(known, recipient)
            self._counters.read += len(chunk)
            self._dispatcher.schedule()
        gaps: Iterator[int] = past.untouched_below(past.next_sequence, self._first)
        while sequences := list(islice(gaps, CHUNK)):
            await self._dispatcher.low_water()
            recipients = await self._read(source, sequences)
            self._counters.read += len(recipients)
            self._dispatcher.deliver(recipients)
        self._last = max(past.next_sequence, self._first) - 1
        await source.skip_to(self._last + 1)

    async def _read(self, source: ResumableSource, sequences: list[int]) -> list[Recipient]:
        recipients = await source.read(sequences)
        if [recipient.sequence for recipient in recipients] != sequences:
            raise AudienceInvalid(
                f"recipients: the source was asked for {len(sequences)} recipients from sequence {sequences[0]} on and "
                "gave others; resume with the snapshot the run was started with",
                field="recipients",
            )
        return recipients

    def _park(self, known: _Again, recipient: Recipient) -> None:
        item = Item(recipient, None, (), 0, careful=True)
        item.attempt = known.attempt + 1
        item.started_ms = known.due_ms
        item.history = self._settler.history_of(item)
        item.history.first_at_ms = known.first_at_ms
        item.history.may_have_left, item.history.in_doubt = known.may_have_left, known.in_doubt
        item.history.category, item.history.code = known.category, known.code
        self._parking.until(item, known.due_ms)

    def _take(self, batch: Sequence[Recipient]) -> bool:
        """Delivers a batch. False at the end of the shard."""
        last = self._last
        for recipient in batch:
            if recipient.sequence <= last:
                raise AudienceInvalid(
                    f"recipients: sequence {recipient.sequence} comes after {last}; give them in rising order",
                    field="recipients",
                )
            last = recipient.sequence
        self._last = last
        taken: Sequence[Recipient] = batch
        if batch[0].sequence < self._first or (self._end is not None and last >= self._end):
            end = last + 1 if self._end is None else self._end
            taken = [recipient for recipient in batch if self._first <= recipient.sequence < end]
        if self._total is not None and self._counters.read + len(taken) > self._total:
            self._check_total(len(taken))
        self._counters.read += len(taken)
        self._dispatcher.deliver(taken)
        return self._end is None or last < self._end - 1

    def _check_total(self, more: int = 0) -> None:
        read = self._counters.read + more
        if self._total is not None and read != self._total:
            found = f"more than {self._total}" if more else str(read)
            raise AudienceInvalid(
                f"total is {self._total}, but the source holds {found} recipients: give the count of the snapshot",
                field="total",
            )
