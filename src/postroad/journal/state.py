"""What the segments of a shard say together: where a send stands, and what nobody can know.

The records are folded in the order of writing. Per item: a FINAL settles it; a RETRY makes it due again; an INTENT
without an answer to that attempt leaves it in doubt. That is all as long as the page cache of the last epoch is intact
(same boot id, same device, not void). Otherwise the power-loss rule holds: every item of the last WINDOW without an
answer is in doubt as well, because its INTENT may have been lost on the way to the disk.

OPENED ends the doubt of all epochs before it: they are durable then, and what was in doubt is written down as INTENT or
DOUBT lines. An epoch that died while it opened has no OPENED and changes nothing.
"""

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from postroad.journal.filesystem import REAL, FileSystem
from postroad.journal.format import plain, split_keys
from postroad.journal.reader import DAMAGED, read_fields
from postroad.journal.segments import Segment, segments_among
from postroad.vocabulary.errors import SendConflict
from postroad.vocabulary.outcomes import Outcome

BUCKET_TIMES_KEPT = 100_000
BUCKET_TIMES_KEPT_FOR_MS = 24 * 3_600_000


class Settled:
    """The sequences with a final outcome: one bit each."""

    __slots__ = ("_bits",)

    def __init__(self) -> None:
        self._bits = bytearray()

    def is_settled(self, sequence: int) -> bool:
        place = sequence >> 3
        return place < len(self._bits) and bool(self._bits[place] >> (sequence & 7) & 1)

    def add(self, sequence: int) -> bool:
        """Whether it was not settled before."""
        place, bit = sequence >> 3, 1 << (sequence & 7)
        if place >= len(self._bits):
            self._bits.extend(bytes(max(place + 1 - len(self._bits), 4096)))
        elif self._bits[place] & bit:
            return False
        self._bits[place] |= bit
        return True

    def gaps(self, start: int, end: int) -> Iterator[int]:
        """The sequences of `[start, end)` that are not settled, in order."""
        sequence = start
        while sequence < end:
            if not sequence & 7 and self._bits[sequence >> 3 : (sequence >> 3) + 1] == b"\xff":
                sequence += 8
                continue
            if not self.is_settled(sequence):
                yield sequence
            sequence += 1


@dataclass(frozen=True, slots=True)
class RetryState:
    """An item that is due again. `may_have_left` is true as soon as one of its attempts may have left."""

    attempt: int
    due_ms: int
    may_have_left: bool
    category: str
    code: str


@dataclass(frozen=True, slots=True)
class DoubtState:
    """An attempt without an answer, made at `at_ms` or later. `may_have_left` speaks of the attempts before it."""

    attempt: int
    at_ms: int
    may_have_left: bool = False


@dataclass(slots=True)
class ResumeState:
    """`counts` holds settled items by outcome. `retried` counts attempts beyond the first, `maybe_doubled` the items
    that succeeded after an attempt that was refused but may have left."""

    settled: Settled = field(default_factory=Settled)
    counts: dict[Outcome, int] = field(default_factory=dict)
    retried: int = 0
    maybe_doubled: int = 0
    retry: dict[int, RetryState] = field(default_factory=dict)
    doubt: dict[int, DoubtState] = field(default_factory=dict)
    next_sequence: int = 0
    """The lowest sequence above everything touched or in doubt: run-ahead goes on here."""
    bucket_times: list[tuple[int, tuple[str, ...], int]] = field(default_factory=list)
    """(time, keys, cost) of the last INTENTs: at most 100,000, none 24 h older than the youngest."""
    power_lost: bool = False
    epochs: int = 0
    corrupt: bool = False
    """A segment has damage in its middle."""
    ended: str = ""
    """State of the last END, empty where the run of this shard was not ended."""
    end_text: str = ""

    def untouched_below(self, end: int, first: int = 0) -> Iterator[int]:
        """The sequences of `[first, end)` of which nothing is on record, in order: held or parked ones, never sent."""
        return (s for s in self.settled.gaps(first, end) if s not in self.retry and s not in self.doubt)


def read_state(
    folder: Path,
    shard: int,
    boot_id: str | None = None,
    device: str | None = None,
    *,
    config_sha256: str | None = None,
    run_id: str | None = None,
    fs: FileSystem = REAL,
) -> ResumeState:
    """What the journal of a shard says now; needs no lock, and a writer may be at work.

    `boot_id` and `device` are this machine's unless given. Raises SendConflict where a segment belongs to another run
    or was written under another `config_sha256`, both compared only if given.
    """
    names = fs.names(folder)
    boot = fs.boot_id(folder) if boot_id is None else boot_id
    fold = _Fold(boot, fs.device(folder) if device is None else device)
    for segment in segments_among(names, shard):
        fold.begin(segment.void_name in names)
        for fields in read_fields(folder / segment.name, fs):
            fold.take(fields)
            if fields[0] == "JOURNAL":
                _check_same_send(fields, segment, config_sha256, run_id)
    return fold.result(epochs=len({segment.epoch for segment in segments_among(names, shard)}))


def _check_same_send(fields: list[str], segment: Segment, config_sha256: str | None, run_id: str | None) -> None:
    if run_id is not None and plain(fields[2]) != run_id:
        raise SendConflict(
            f"run_id: {segment.name} belongs to run {plain(fields[2])}, not to {run_id}; "
            "resume with the folder of this run, or start a new run in an empty folder"
        )
    if config_sha256 is not None and plain(fields[7]) != config_sha256:
        raise SendConflict(
            f"config_sha256: {segment.name} was written under another configuration; "
            "resume with the frozen one (only secrets, rate and concurrency may change), or start a new run"
        )


class _Fold:
    def __init__(self, boot_id: str, device: str) -> None:
        self._place = (boot_id, device)
        self._state = ResumeState()
        self._counts: Counter[Outcome] = Counter()
        self._maybe_left: set[int] = set()
        self._times: deque[tuple[int, str, int]] = deque(maxlen=BUCKET_TIMES_KEPT)
        self._highest = -1
        self._void = False
        self._trusted = True
        self._suspects: dict[int, int] = {}
        self._damaged = False
        self._window: tuple[int, int, int] | None = None
        self._mark_ms = self._last_ms = 0
        self._here = ("", "")
        self._takers = {
            "INTENT": self._intent,
            "FINAL": self._final,
            "RETRY": self._retry,
            "WINDOW": self._take_window,
            "DOUBT": self._doubt,
            "OPENED": self._opened,
            "JOURNAL": self._header,
            "END": self._end,
            DAMAGED: self._damage,
        }

    def begin(self, void: bool) -> None:
        self._void = void
        self._here = ("", "")

    def take(self, fields: list[str]) -> None:
        take = self._takers.get(fields[0])
        if take is not None:
            take(fields)

    def _header(self, fields: list[str]) -> None:
        self._here = (plain(fields[8]), plain(fields[9]))
        self._last_ms = int(fields[10])

    def _opened(self, _fields: list[str]) -> None:
        self._window = None
        self._trusted, self._damaged = True, False
        self._suspects = {}
        self._mark_ms = self._last_ms
        self._state.ended = self._state.end_text = ""
        self._believe()

    def _believe(self) -> None:
        """This segment holds records of the last opened epoch: its page cache counts."""
        if self._void or not self._here[0] or self._here != self._place:
            self._trusted = False

    def _take_window(self, fields: list[str]) -> None:
        self._believe()
        frontier, to = int(fields[1]), int(fields[2])
        if self._window is None or self._window[:2] != (frontier, to):
            self._window = (frontier, to, self._mark_ms)
            self._mark_ms = self._last_ms

    def _intent(self, fields: list[str]) -> None:
        _, number, attempt, at_ms, cost, _, keys = fields
        self._last_ms = int(at_ms)
        self._times.append((self._last_ms, keys, int(cost)))
        self._open(int(number), int(attempt), self._last_ms)

    def _doubt(self, fields: list[str]) -> None:
        self._open(int(fields[1]), int(fields[2]), int(fields[3]))

    def _open(self, sequence: int, attempt: int, at_ms: int) -> None:
        state = self._state
        self._highest = max(self._highest, sequence)
        if state.settled.is_settled(sequence):
            return
        known = state.doubt.get(sequence)
        answered = state.retry.get(sequence)
        if (known is None or attempt > known.attempt) and (answered is None or attempt > answered.attempt):
            state.doubt[sequence] = DoubtState(attempt, at_ms, sequence in self._maybe_left)
            state.retry.pop(sequence, None)

    def _retry(self, fields: list[str]) -> None:
        self._believe()
        _, number, tries, due, category, code, left, _, _, _ = fields
        sequence, attempt, state = int(number), int(tries), self._state
        self._highest = max(self._highest, sequence)
        if left == "1":
            self._maybe_left.add(sequence)
        known = state.doubt.get(sequence)
        if state.settled.is_settled(sequence) or (known is not None and known.attempt > attempt):
            return
        if known is not None:
            del state.doubt[sequence]
        answered = state.retry.get(sequence)
        if answered is None or attempt >= answered.attempt:
            texts = (plain(category), plain(code))
            state.retry[sequence] = RetryState(attempt, int(due), sequence in self._maybe_left, *texts)

    def _final(self, fields: list[str]) -> None:
        sequence, attempt, state = int(fields[1]), int(fields[2]), self._state
        self._highest = max(self._highest, sequence)
        if not state.settled.add(sequence):
            return
        outcome = Outcome(fields[3])
        self._counts[outcome] += 1
        if attempt > 1:
            state.retried += attempt - 1
        state.doubt.pop(sequence, None)
        state.retry.pop(sequence, None)
        if sequence in self._maybe_left:
            self._maybe_left.discard(sequence)
            state.maybe_doubled += outcome is Outcome.SUCCEEDED

    def _end(self, fields: list[str]) -> None:
        self._believe()
        self._state.ended, self._state.end_text = plain(fields[1]), plain(fields[3])

    def _damage(self, _fields: list[str]) -> None:
        self._state.corrupt = self._damaged = True
        self._suspects = {sequence: known.attempt for sequence, known in self._state.retry.items()}

    def result(self, epochs: int) -> ResumeState:
        state = self._state
        state.epochs = epochs
        state.power_lost = not self._trusted or self._damaged
        state.counts = dict(self._counts)
        if state.power_lost:
            self._doubt_window()
        if self._damaged and self._trusted:
            self._doubt_suspects()
        attempts = [known.attempt for known in state.doubt.values()] + [known.attempt for known in state.retry.values()]
        state.retried += sum(attempt - 1 for attempt in attempts)
        state.next_sequence = self._highest + 1
        oldest = max((at for at, _, _ in self._times), default=0) - BUCKET_TIMES_KEPT_FOR_MS
        state.bucket_times = [(at, split_keys(keys), cost) for at, keys, cost in self._times if at >= oldest]
        return state

    def _doubt_window(self) -> None:
        if self._window is None:
            return
        frontier, to, since_ms = self._window
        if self._trusted:
            to += to - frontier
        for sequence in list(self._state.untouched_below(to, frontier)):
            self._open(sequence, 1, since_ms)

    def _doubt_suspects(self) -> None:
        """The damage may hide the next INTENT of an item that was due at that time, and nothing came after."""
        for sequence, attempt in self._suspects.items():
            known = self._state.retry.get(sequence)
            if known is not None and known.attempt == attempt:
                self._open(sequence, attempt + 1, self._last_ms)
