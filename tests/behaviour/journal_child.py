"""Lives of a sender that really die, for the tests of the journal on a real disk. Run as a module, in its own process.

`hold FOLDER` opens the journal, says so and keeps it until its input ends. `killed FOLDER STEP` sends six items in a
fork that kills itself before the n-th line of the journal's code, for every STEP-th n; a second life finishes the send.
It prints, for each n, the items accepted more than once and the items not settled. `full FOLDER` runs into the file
size limit of the operating system.
"""

import errno
import os
import resource
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from tests.builders.journals import a_journal

import postroad.journal
from postroad.journal import Journal, read_state
from postroad.journal.filesystem import RealFileSystem
from postroad.vocabulary.errors import JournalBroken, StorageFull
from postroad.vocabulary.outcomes import Outcome

ITEMS = 6
ROOM = Path(postroad.journal.__file__).parent


class OneBadSync(RealFileSystem):
    """The fifth sync fails."""

    syncs = 0

    def sync(self, handle: int) -> None:
        self.syncs += 1
        if self.syncs == 5:
            raise OSError(errno.EIO, "Input/output error")
        super().sync(handle)


def send(folder: Path, accept: Callable[[int], None]) -> None:
    """One life: what is in doubt becomes UNKNOWN, the rest is sent; item 2 is refused once."""
    journal = a_journal(OneBadSync(), folder)
    state = journal.state
    for sequence, known in state.doubt.items():
        journal.final(sequence, known.attempt, Outcome.UNKNOWN)
    due = {sequence: known.attempt + 1 for sequence, known in state.retry.items()}
    due |= dict.fromkeys(state.untouched_below(state.next_sequence), 1)
    for sequence in range(state.next_sequence, ITEMS):
        durably(journal, lambda sequence=sequence: journal.window(sequence, min(sequence + 3, ITEMS)))
        while not written(journal, lambda sequence=sequence: journal.intent(sequence, 1, 5, ("domain:example.org",))):
            pass
        accept(sequence)
        if sequence == 2:
            accept(-sequence)
            journal.retry(sequence, 1, 9, "TEMPORARY_REMOTE", "503", False)
            due[sequence] = 2
        else:
            journal.final(sequence, 1, Outcome.SUCCEEDED)
    for sequence, attempt in due.items():
        durably(journal, lambda sequence=sequence, attempt=attempt: journal.intent(sequence, attempt, 9))
        accept(sequence)
        journal.final(sequence, attempt, Outcome.SUCCEEDED)
    durably(journal, lambda: None)
    journal.close()


def written(journal: Journal, append: Callable[[], object]) -> bool:
    try:
        append()
        journal.flush()
    except JournalBroken:
        journal.recover()
        return False
    return True


def durably(journal: Journal, append: Callable[[], object]) -> None:
    while True:
        if written(journal, append):
            try:
                journal.sync_now()
            except JournalBroken:
                journal.recover()
            return


def killed(folder: Path, step: int) -> None:
    at, reached = 1, True
    while reached:
        place = folder / str(at)
        place.mkdir()
        accepted, reached = first_life(place, at)
        send(place, lambda sequence, accepted=accepted: accepted.update([sequence]))
        state = read_state(place, 0)
        twice = [n for n in range(ITEMS) if accepted[n] - accepted[-n] * (n > 0) > 1]
        unsettled = [n for n in range(ITEMS) if not state.settled.is_settled(n)]
        print(at, int(reached), twice, unsettled, state.counts.get(Outcome.UNKNOWN, 0), sep="|")
        at += step


def first_life(folder: Path, at: int) -> tuple[Counter[int], bool]:
    """What was accepted before the death, and whether it came."""
    inlet, outlet = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(inlet)
        lines = 0

        def trace(frame: FrameType, event: str, argument: object) -> object:
            nonlocal lines
            if not frame.f_code.co_filename.startswith(str(ROOM)):
                return None
            if event == "line":
                lines += 1
                if lines == at:
                    os.kill(os.getpid(), signal.SIGKILL)
            return trace

        sys.settrace(trace)
        send(folder, lambda sequence: os.write(outlet, f"{sequence}\n".encode()) and None)
        os._exit(0)
    os.close(outlet)
    with os.fdopen(inlet) as lines_in:
        accepted = Counter(int(line) for line in lines_in)
    _, status = os.waitpid(child, 0)
    return accepted, os.WIFSIGNALED(status)


def hold(folder: Path) -> None:
    with a_journal(folder=folder):
        print("held", flush=True)
        sys.stdin.read()


def full(folder: Path) -> None:
    """The limit comes in the middle of a flush: a short write, as on a full disk without reserved room."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    fs = RealFileSystem()
    fs.reserve = lambda handle, offset, length: False  # type: ignore[method-assign]
    journal = a_journal(fs, folder)
    journal.intent(0, 1, 5)
    journal.flush()
    resource.setrlimit(resource.RLIMIT_FSIZE, (400, resource.RLIM_INFINITY))
    for sequence in range(1, 20):
        journal.intent(sequence, 1, 5)
    journal.final(0, 1, Outcome.SUCCEEDED)
    try:
        journal.flush()
    except StorageFull as error:
        print(error, flush=True)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    journal.recover()
    journal.intent(1, 1, 6)
    journal.flush()
    os._exit(9)


if __name__ == "__main__":
    mode, where = sys.argv[1], Path(sys.argv[2])
    if mode == "killed":
        killed(where, int(sys.argv[3]))
    elif mode == "hold":
        hold(where)
    else:
        full(where)
