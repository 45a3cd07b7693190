"""The journal's game: random histories of sends, kills, power losses and disk errors, played on the real journal.

The player stands for the engine and keeps the protocol; the disk stands for the machine. A world of 60 items is sent by
processes that die, at a call of the operating system or between two steps, and are followed by others until all is
settled. None dies between a failed sync and the void mark that answers it: that gap is known. The game counts the items
accepted twice and those nobody settled, and checks how much is in doubt. Each mutant leaves one rule out; a game with a
mutant must show second copies, or the rule is not needed.

`play(histories, seed)` gives the figures; `python -m tests.behaviour.journal_game 20000` is the long campaign.
"""

import errno
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.builders.journal_disk import JournalDisk, JournalProcess, Killed

from postroad.journal import Doubt, Final, Intent, Journal, Retry, open_journal, read_records, read_state
from postroad.journal.segments import segments_among
from postroad.vocabulary.errors import AlreadyRunning, JournalBroken
from postroad.vocabulary.outcomes import Outcome

ITEMS, WINDOW, IN_FLIGHT, BATCH = 60, 8, 4, 2
LIVES = 12
FOLDER = Path("/sends/one")

PLAYER_MUTANTS = ("intent-after-send", "window-not-synced", "window-from-high", "retry-not-synced", "no-window-doubt")
DISK_MUTANTS = ("no-folder-sync", "no-chain-sync", "sync-error-swallowed", "no-void-mark", "no-doubt-lines", "no-flock")
MUTANTS = PLAYER_MUTANTS + DISK_MUTANTS


@dataclass
class Figures:
    histories: int = 0
    with_second_copies: int = 0
    lives: Counter[str] = field(default_factory=Counter)
    unsettled: int = 0
    most_doubt: int = 0
    unknown: int = 0
    complaints: list[str] = field(default_factory=list)


def play(histories: int, seed: int = 0, mutant: str | None = None) -> Figures:
    """Plays that many histories; the same seed plays the same ones."""
    figures = Figures()
    for number in range(histories):
        _History(seed * 1_000_003 + number, mutant, figures).play()
    return figures


class _Death(Exception):
    """The life ends between two steps."""


class _MutantProcess(JournalProcess):
    """A process whose journal lacks one rule."""

    def __init__(self, disk: JournalDisk, mutant: str | None) -> None:
        super().__init__(disk)
        self.mutant = mutant

    def lock(self, path: Path) -> int:
        if self.mutant == "no-flock":
            self.disk.locks.pop(path, None)
        return super().lock(path)

    def write(self, handle: int, data: bytes) -> int:
        if self.mutant == "no-doubt-lines" and data.startswith(b"DOUBT"):
            return len(data)
        return super().write(handle, data)

    def sync(self, handle: int) -> None:
        try:
            super().sync(handle)
        except OSError:
            if self.mutant != "sync-error-swallowed":
                raise

    def sync_file(self, path: Path) -> None:
        if self.mutant != "no-chain-sync":
            super().sync_file(path)

    def sync_folder(self, folder: Path) -> None:
        if self.mutant != "no-folder-sync":
            super().sync_folder(folder)

    def mark(self, path: Path) -> None:
        if self.mutant != "no-void-mark":
            super().mark(path)


class _History:
    def __init__(self, seed: int, mutant: str | None, figures: Figures) -> None:
        self.rng = Random(seed)
        self.mutant = mutant
        self.figures = figures
        self.disk = JournalDisk()
        self.accepted: Counter[int] = Counter()
        self.name = f"history {seed}"
        self.lives = 0

    def play(self) -> None:
        died: str | None = "start"
        while died is not None and self.lives < LIVES:
            died = self.live()
        self.figures.histories += 1
        self.figures.with_second_copies += any(n > 1 for n in self.accepted.values())
        if died is None:
            self.check_end()

    def live(self) -> str | None:
        """One process from start to death, and what the death does to the disk; None when all is settled."""
        self.lives += 1
        process = _MutantProcess(self.disk, self.mutant)
        ending = "kill" if self.rng.random() < 0.4 else "power"
        process.before = self.accidents(process)
        life = _Life(self, process, self.rng.randint(0, 120))
        try:
            life.run()
        except (Killed, _Death):
            self.figures.lives[ending] += 1
            if ending == "power":
                self.disk.lose_power(self.rng)
            else:
                self.disk.kill(process, self.rng)
            return ending
        except JournalBroken:
            self.figures.lives["broken"] += 1
            self.disk.kill(process, self.rng)
            return "broken"
        self.figures.lives["done"] += 1
        return None

    def accidents(self, process: JournalProcess) -> Callable[[str], None]:
        dies_at = self.rng.randint(1, 60) if self.rng.random() < 0.4 else -1
        may_fail = self.rng.random() < 0.3

        def before(call: str) -> None:
            if len(process.calls) >= dies_at > 0 and call != "mark":
                raise Killed
            if may_fail and call in ("sync", "sync_file") and self.rng.random() < 0.04:
                raise OSError(errno.EIO, "Input/output error")
            if may_fail and call == "write" and self.rng.random() < 0.02:
                if self.rng.random() < 0.5:
                    raise OSError(errno.ENOSPC, "No space left on device")
                process.short = self.rng.randint(0, 60)

        return before

    def check_end(self) -> None:
        state = read_state(FOLDER, 0, fs=self.disk.process())
        settled = sum(state.counts.values())
        self.figures.unsettled += ITEMS - settled
        self.figures.unknown += state.counts.get(Outcome.UNKNOWN, 0)
        if state.retry or state.doubt or state.next_sequence != ITEMS:
            self.figures.complaints.append(f"{self.name}: open items after the end")
        if state.counts.get(Outcome.SUCCEEDED, 0) > len(+self.accepted):
            self.figures.complaints.append(f"{self.name}: more successes than messages")

    def open_on_record(self, process: JournalProcess) -> set[int]:
        """Attempts without an answer, counted independently of the journal's own fold."""
        tried: dict[int, int] = {}
        answered: dict[int, int] = {}
        for segment in segments_among(process.names(FOLDER), 0):
            for record in read_records(FOLDER / segment.name, process):
                match record:
                    case Intent(sequence, attempt) | Doubt(sequence, attempt):
                        tried[sequence] = max(attempt, tried.get(sequence, 0))
                    case Final(sequence):
                        answered[sequence] = sys.maxsize
                    case Retry(sequence, attempt):
                        answered[sequence] = max(attempt, answered.get(sequence, 0))
        return {sequence for sequence, attempt in tried.items() if attempt > answered.get(sequence, 0)}


class _Life:
    """The engine's part, kept as small as the protocol allows."""

    def __init__(self, history: _History, process: JournalProcess, steps: int, rival: bool = False) -> None:
        self.history = history
        self.rng = history.rng
        self.mutant = history.mutant
        self.process = process
        self.steps = steps
        self.rival = rival
        self.flying: dict[int, int] = {}
        self.parked: dict[int, int] = {}
        self.waiting: list[int] = []
        self.positions: dict[int, int] = {}
        self.high = 0
        self.journal: Journal

    def run(self) -> None:
        on_record = set() if self.rival else self.history.open_on_record(self.process)
        self.journal = open_journal(
            FOLDER,
            run_id="run",
            shard=0,
            fencing_token=str(self.history.lives),
            config_sha256="c0",
            started_at_ms=self.history.lives * 1000,
            fs=self.process,
            sync_interval_s=None,
        )
        state = self.journal.state
        doubt = state.doubt
        if self.mutant == "no-window-doubt":
            doubt = {sequence: known for sequence, known in doubt.items() if sequence in on_record}
        elif not self.rival:
            self.check_doubt(set(doubt), on_record, state.power_lost)
        for sequence, known in doubt.items():
            self.journal.final(sequence, known.attempt, Outcome.UNKNOWN)
        self.parked = {sequence: known.attempt for sequence, known in state.retry.items()}
        self.parked |= dict.fromkeys(state.untouched_below(state.next_sequence), 0)
        if self.mutant == "no-window-doubt":
            self.parked |= dict.fromkeys(set(state.doubt) - set(doubt), 0)
        self.todo = list(range(state.next_sequence, ITEMS))
        self.flush()
        while self.todo or self.parked or self.flying or self.waiting:
            self.step()
        self.flush()
        self.sync()
        self.journal.close()

    def check_doubt(self, doubt: set[int], on_record: set[int], power_lost: bool) -> None:
        figures, name = self.history.figures, self.history.name
        figures.most_doubt = max(figures.most_doubt, len(doubt))
        if len(doubt - on_record) > (WINDOW if power_lost else 0):
            figures.complaints.append(f"{name}: {len(doubt - on_record)} items in doubt without an INTENT")
        if not on_record <= doubt:
            figures.complaints.append(f"{name}: an open INTENT is not in doubt")

    def step(self) -> None:
        self.steps -= 1
        if self.steps < 0 and not self.rival:
            raise _Death
        if self.steps < -300:
            raise AssertionError("a rival never ends")
        act = self.rng.random()
        free = len(self.flying) + len(self.waiting) < IN_FLIGHT
        if act < 0.45 and self.todo and free:
            self.send_in_order()
        elif act < 0.6 and self.parked and free:
            self.send_again()
        elif act < 0.9 and self.flying:
            self.answer()
        elif act > 0.99 and not self.rival:
            self.contend()
        else:
            self.flush()
            self.sync()

    def send_in_order(self) -> None:
        if self.rng.random() < 0.1:
            self.parked[self.todo.pop(0)] = 0
            return
        batch = self.todo[: self.rng.randint(1, BATCH)]
        if batch[-1] >= self.high and not self.open_window(batch[-1]):
            return
        if batch[-1] >= self.high - WINDOW // 2 and self.rng.random() < 0.3:
            self.open_window_ahead()
        if self.mutant == "intent-after-send":
            for sequence in batch:
                self.history.accepted[sequence] += 1
            if self.rng.random() < 0.05:
                raise _Death
        before = self.journal.recoveries
        for sequence in batch:
            self.journal.intent(sequence, 1, self.now(), ("domain:example.org",), f"b{batch[0]}" if batch[1:] else "")
        if self.rng.random() < 0.2 and self.flying:
            self.answer()
        if not self.flush() or self.journal.recoveries != before:
            return
        del self.todo[: len(batch)]
        for sequence in batch:
            self.positions[sequence] = self.journal.position
            self.flying[sequence] = 1
            if self.mutant != "intent-after-send":
                self.deliver(sequence)

    def frontier(self) -> int:
        durable = self.journal.durable
        open_ones = [sequence for sequence, position in self.positions.items() if position > durable]
        return min(open_ones + self.todo[:1], default=ITEMS)

    def open_window(self, last: int) -> bool:
        """A durable window that holds `last`, or False where the journal broke."""
        if self.frontier() + WINDOW <= last and not (self.flush() and self.sync()):
            return False
        if self.mutant == "window-from-high":
            low, high = max(self.high, self.todo[0]), min(last + WINDOW, ITEMS)
        else:
            low, high = self.frontier(), min(self.frontier() + WINDOW, ITEMS)
        if not self.append_window(low, high) or not self.flush():
            return False
        if self.mutant != "window-not-synced" and not self.sync():
            return False
        self.high = max(self.high, high)
        return True

    def open_window_ahead(self) -> None:
        low = self.frontier()
        if self.mutant == "window-from-high":
            low = self.high
        high = min(low + WINDOW, ITEMS)
        if high > self.high and self.append_window(low, high):
            self.journal.on_durable(self.window_at, lambda: self.widen(high))

    def widen(self, high: int) -> None:
        self.high = max(self.high, high)

    def append_window(self, low: int, high: int) -> bool:
        try:
            self.window_at = self.journal.window(low, high)
        except JournalBroken:
            return self.mend()
        return True

    def send_again(self) -> None:
        sequence = self.rng.choice(sorted(self.parked))
        attempt = self.parked[sequence] + 1
        self.journal.intent(sequence, attempt, self.now())
        if not self.flush():
            return
        del self.parked[sequence]
        if self.mutant == "retry-not-synced":
            self.flying[sequence] = attempt
            self.deliver(sequence)
            return
        self.waiting.append(sequence)
        self.journal.on_durable(self.journal.position, lambda: self.send_durable(sequence, attempt))

    def send_durable(self, sequence: int, attempt: int) -> None:
        self.waiting.remove(sequence)
        self.flying[sequence] = attempt
        self.deliver(sequence)

    def deliver(self, sequence: int) -> None:
        self.history.accepted[sequence] += 1

    def answer(self) -> None:
        sequence = self.rng.choice(sorted(self.flying))
        attempt = self.flying.pop(sequence)
        luck = self.rng.random()
        if luck < 0.25:
            self.history.accepted[sequence] -= 1
            self.journal.retry(sequence, attempt, self.now() + 5, "TEMPORARY_REMOTE", "503", may_have_left=True)
            self.parked[sequence] = attempt
        else:
            outcome = Outcome.UNKNOWN if luck < 0.3 else Outcome.SUCCEEDED
            self.journal.final(sequence, attempt, outcome, at_ms=self.now())
        if self.rng.random() < 0.5:
            self.flush()

    def contend(self) -> None:
        """Somebody starts the same send a second time."""
        process = _MutantProcess(self.process.disk, self.mutant)
        try:
            _Life(self.history, process, self.rng.randint(0, 60), rival=True).run()
        except AlreadyRunning:
            return

    def flush(self) -> bool:
        try:
            self.journal.flush()
        except JournalBroken:
            self.mend()
            return False
        return True

    def sync(self) -> bool:
        try:
            self.journal.sync_now()
        except JournalBroken:
            self.mend()
            return False
        return True

    def mend(self) -> bool:
        """After this the appended INTENTs are gone; the caller takes its items back."""
        if self.rng.random() < 0.2:
            raise _Death
        self.journal.recover()
        return False

    def now(self) -> int:
        return self.history.lives * 1000 + 200 - self.steps


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    rules = play(count)
    print(f"rules as written: {rules.with_second_copies} of {count} with a second copy; {rules}")
    for name in MUTANTS:
        print(f"  {name}: {play(count // 4, mutant=name).with_second_copies} of {count // 4}")
    sys.exit(rules.with_second_copies > 0 or bool(rules.complaints))
