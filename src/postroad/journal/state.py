"""What the segments of a shard say together: where a send stands, and what nobody can know.

The records are folded in the order of writing. Per item: a FINAL settles it; a RETRY makes it due again; an INTENT
without an answer to that attempt leaves it in doubt. That is all as long as the page cache of the last epoch is intact
(same boot id, same device, not void). Otherwise the power-loss rule holds: every item of the last WINDOW without an
answer is in doubt as well, because its INTENT may have been lost on the way to the disk.

No power loss damages what was durable. Bad bytes in a segment whose page cache is intact, or before an INTENT that only
a later WINDOW can have allowed, are the work of a bad disk or a strange hand and may hide anybody: then everybody up to
the highest who can have been sent to is in doubt, unless an answer is on record. A segment that is gone, overwritten or
under another name than its header says is an error: no guess is safe there.

OPENED ends the doubt of all epochs before it: they are durable then, and what was in doubt is written down as INTENT or
DOUBT lines. An epoch that died while it opened has no OPENED and changes nothing.
"""

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from postroad.journal.filesystem import REAL, FileSystem
from postroad.journal.format import check_version, plain, split_keys
from postroad.journal.reader import DAMAGED, HOLES, read_fields
from postroad.journal.segments import Segment, opened_among, segments_among
from postroad.vocabulary.errors import JournalBroken, SendConflict
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
    first_at_ms: int = 0
    """When its first attempt was made; 0 where that is not on record."""


@dataclass(frozen=True, slots=True)
class DoubtState:
    """An attempt without an answer, made at `at_ms` or later. `may_have_left` speaks of the attempts before it.

    `first_at_ms` is the time of the item's first attempt, 0 where there was none before this one.
    """

    attempt: int
    at_ms: int
    may_have_left: bool = False
    first_at_ms: int = 0


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
    first: int = 0,
    fs: FileSystem = REAL,
) -> ResumeState:
    """What the journal of a shard says now; needs no lock, and a writer may be at work.

    `boot_id` and `device` are this machine's unless given; `first` is the lowest sequence of the shard. Raises
    SendConflict where a segment belongs to another run or was written under another `config_sha256`, both compared only
    if given; JournalBroken where it is of another format, or where one is gone, laid waste or renamed; OSError where it
    cannot be read.
    """
    names = fs.names(folder)
    segments = segments_among(names, shard)
    _check_none_is_gone(shard, segments, opened_among(names, shard))
    boot = fs.boot_id(folder) if boot_id is None else boot_id
    fold = _Fold(boot, fs.device(folder) if device is None else device, first)
    for segment in segments:
        fold.begin(segment.void_name in names)
        for fields in read_fields(folder / segment.name, fs):
            try:
                fold.take(fields)
            except ValueError as error:
                raise JournalBroken(
                    f"journal: a {fields[0]} line of {segment.name} has fields this program cannot read; "
                    "resume with the program that wrote it"
                ) from error
            if fields[0] == "JOURNAL":
                _check_name(fields, segment)
                _check_same_send(fields, segment, config_sha256, run_id)
        if segment.opened_name in names and not fold.has_begun:
            raise JournalBroken(
                f"journal: {segment.name} was overwritten or cut, and no longer says who was sent to; restore it, "
                "nothing is sent until then"
            )
    return fold.result(epochs=len({segment.epoch for segment in segments}))


def _check_none_is_gone(shard: int, segments: list[Segment], opened: list[Segment]) -> None:
    """Epochs are counted from 1 without a gap, and each that began has its first segment."""
    last = max((segment.epoch for segment in segments), default=0)
    wanted = {Segment(shard, epoch, 0) for epoch in range(1, last + 1)}
    for lost in sorted(wanted.union(opened).difference(segments)):
        raise JournalBroken(
            f"journal: {lost.name} is gone, and with it who was sent to; restore it, nothing is sent until then"
        )


def _check_name(fields: list[str], segment: Segment) -> None:
    written_as = Segment(int(fields[3]), int(fields[4]), int(fields[5]))
    if written_as != segment:
        raise JournalBroken(
            f"journal: {segment.name} was written as {written_as.name}: files were copied, renamed or exchanged. Give "
            "them back their names, nothing is sent until then"
        )


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
    """Takes the fields of one record after the other."""

    def __init__(self, boot_id: str, device: str, first: int) -> None:
        self._place = (boot_id, device)
        self._first = first
        self._state = ResumeState()
        self._counts: Counter[str] = Counter()
        self._open: dict[int, tuple[int, int]] = {}
        """Attempt and time of attempts without an answer."""
        self._answered: dict[int, tuple[int, list[str]]] = {}
        """Attempt and RETRY record of items that are due again."""
        self._first_at: dict[int, int] = {}
        """Time of the first attempt of items that were answered once and are not settled."""
        self._maybe_left: set[int] = set()
        self._times: deque[tuple[int, str, str]] = deque(maxlen=BUCKET_TIMES_KEPT)
        self._highest = -1
        self._here = ("", "")
        self._void = self._opened_here = self._damaged_here = False
        self.has_begun = False
        """The present segment says more than its header, be it behind damage."""
        self._trusted, self._damaged = True, False
        self._hides_any = False
        """The damage is none that a power loss makes."""
        self._sent_below = 0
        """Where the damage begins, nobody from here on can have been sent to."""
        self._suspects: dict[int, int] = {}
        self._window: tuple[int, int, int] | None = None
        self._began_ms: int | None = None
        self._mark_ms = self._last_ms = 0
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
            HOLES: self._holes,
        }

    def begin(self, void: bool) -> None:
        """The next segment; `void` if its page cache was given up."""
        self._void = void
        self._here = ("", "")
        self._opened_here = self._damaged_here = self.has_begun = False

    def take(self, fields: list[str]) -> None:
        """Raises ValueError for a record whose fields are not those of this format."""
        take = self._takers.get(fields[0])
        if take is not None:
            take(fields)

    def _header(self, fields: list[str]) -> None:
        _, version, _, _, _, part, _, _, boot, device, started = fields
        check_version(version)
        self._here = (plain(boot), plain(device))
        self._last_ms = int(started)
        if self._began_ms is None:
            self._began_ms = self._last_ms
        if part != "0":
            self._opened_here = self.has_begun = True
            self._believe()

    def _opened(self, _fields: list[str]) -> None:
        self._window = None
        self._trusted = self.has_begun = True
        self._damaged = self._hides_any = self._damaged_here
        if not self._damaged_here:
            self._suspects = {}
        self._mark_ms = self._last_ms
        self._opened_here = True
        self._state.ended = self._state.end_text = ""
        self._believe()

    def _believe(self) -> None:
        """This segment belongs to the last opened epoch: its page cache counts."""
        if self._void or not self._here[0] or self._here != self._place:
            self._trusted = False

    def _take_window(self, fields: list[str]) -> None:
        _, frontier, to = fields
        window = (int(frontier), int(to))
        if self._window is None or self._window[:2] != window:
            self._window = (*window, self._mark_ms)
            self._mark_ms = self._last_ms

    def _intent(self, fields: list[str]) -> None:
        _, number, attempt, at, cost, _, keys = fields
        self._last_ms = at_ms = int(at)
        self._times.append((at_ms, keys, cost))
        sequence = int(number)
        if self._damaged and sequence >= self._sent_below:
            self._hides_any = True
        self._try(sequence, int(attempt), at_ms)

    def _doubt(self, fields: list[str]) -> None:
        _, number, attempt, at = fields
        self._try(int(number), int(attempt), int(at))

    def _try(self, sequence: int, attempt: int, at_ms: int) -> None:
        if sequence <= self._highest:
            known = self._open.get(sequence)
            if self._state.settled.is_settled(sequence) or (known is not None and known[0] >= attempt):
                return
            answered = self._answered.get(sequence)
            if answered is not None:
                if answered[0] >= attempt:
                    return
                del self._answered[sequence]
        else:
            self._highest = sequence
        self._open[sequence] = (attempt, at_ms)

    def _retry(self, fields: list[str]) -> None:
        _, number, tries, _, _, _, left, _, _, _ = fields
        sequence, attempt = int(number), int(tries)
        self._highest = max(self._highest, sequence)
        if self._state.settled.is_settled(sequence):
            return
        if left == "1":
            self._maybe_left.add(sequence)
        known = self._open.get(sequence)
        if known is not None:
            if known[0] > attempt:
                return
            del self._open[sequence]
            self._first_at.setdefault(sequence, known[1])
        answered = self._answered.get(sequence)
        if answered is None or attempt >= answered[0]:
            self._answered[sequence] = (attempt, fields)

    def _final(self, fields: list[str]) -> None:
        _, number, tries, outcome, _, _, _, _, _, _ = fields
        sequence, attempt, state = int(number), int(tries), self._state
        self._highest = max(self._highest, sequence)
        if not state.settled.add(sequence):
            return
        self._counts[outcome] += 1
        if attempt > 1:
            state.retried += attempt - 1
        self._open.pop(sequence, None)
        if self._answered:
            self._answered.pop(sequence, None)
        if self._first_at:
            self._first_at.pop(sequence, None)
        if self._maybe_left and sequence in self._maybe_left:
            self._maybe_left.discard(sequence)
            state.maybe_doubled += outcome == Outcome.SUCCEEDED

    def _end(self, fields: list[str]) -> None:
        _, state, _, text = fields
        self._state.ended, self._state.end_text = plain(state), plain(text)

    def _damage(self, _fields: list[str]) -> None:
        self._state.corrupt = self._damaged = self._damaged_here = self.has_begun = True
        self._sent_below = self._reach()
        self._suspects = {sequence: attempt for sequence, (attempt, _) in self._answered.items()}

    def _holes(self, _fields: list[str]) -> None:
        """A failed sync whose void mark is missing; of no weight in an epoch that never opened."""
        if self._opened_here:
            self._trusted = False

    def result(self, epochs: int) -> ResumeState:
        state = self._state
        state.epochs = epochs
        state.power_lost = not self._trusted or self._damaged
        if state.power_lost:
            self._doubt_window()
        if self._hides_any or (self._damaged and self._trusted):
            self._doubt_suspects()
            self._doubt_gaps()
        state.counts = {Outcome(outcome): count for outcome, count in self._counts.items()}
        for sequence, (attempt, at_ms) in self._open.items():
            first_at_ms = self._first_at.get(sequence, 0)
            state.doubt[sequence] = DoubtState(attempt, at_ms, sequence in self._maybe_left, first_at_ms)
            state.retried += attempt - 1
        for sequence, (attempt, fields) in self._answered.items():
            why = (plain(fields[4]), plain(fields[5]))
            first_at_ms = self._first_at.get(sequence, 0)
            state.retry[sequence] = RetryState(attempt, int(fields[3]), sequence in self._maybe_left, *why, first_at_ms)
            state.retried += attempt - 1
        state.next_sequence = self._highest + 1
        oldest = max((at for at, _, _ in self._times), default=0) - BUCKET_TIMES_KEPT_FOR_MS
        state.bucket_times = [(at, split_keys(keys), int(cost)) for at, keys, cost in self._times if at >= oldest]
        return state

    def _doubt_window(self) -> None:
        if self._window is None:
            return
        frontier, to, since_ms = self._window
        for sequence in self._state.settled.gaps(frontier, to):
            if sequence not in self._answered:
                self._try(sequence, 1, since_ms)

    def _reach(self) -> int:
        """The sequence after the last one on record or in the window."""
        return max(self._highest + 1, self._window[1] if self._window else 0)

    def _doubt_gaps(self) -> None:
        """Damage may hide the INTENT of anybody who is not on record."""
        for sequence in self._state.settled.gaps(self._first, self._reach()):
            if sequence not in self._answered and sequence not in self._open:
                self._try(sequence, 1, self._began_ms or 0)

    def _doubt_suspects(self) -> None:
        """The damage may hide the next INTENT of an item that was due at that time, and nothing came after."""
        for sequence, attempt in self._suspects.items():
            known = self._answered.get(sequence)
            if known is not None and known[0] == attempt:
                self._try(sequence, attempt + 1, self._last_ms)
