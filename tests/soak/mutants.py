"""The program with one rule left out: `python mutants.py RULE postroad-arguments…`. Worker processes keep all rules."""

import sys
from collections.abc import Callable
from typing import Any

from postroad.app.main import main
from postroad.flows.local_runs.keeping import folder
from postroad.journal import RetryState, filesystem, opening
from postroad.journal.writer import Journal


def intent_after_send() -> None:
    """INTENTs are written together with the answer to their attempt."""
    flush = Journal.flush
    held: dict[int, str] = {}

    def flushing(self: Journal) -> int:
        for line in [line for line in self._lines if line.startswith("INTENT\t")]:
            self._lines.remove(line)
            held[int(line.split("\t")[1])] = line
        return flush(self)

    def after_its_intent(real: Callable[..., None]) -> Callable[..., None]:
        def answering(self: Journal, sequence: int, *facts: Any, **named: Any) -> None:
            if sequence in held:
                self._lines.insert(0, held.pop(sequence))
                Journal.flush = flush  # type: ignore[method-assign]
                self.flush()
                Journal.flush = flushing  # type: ignore[method-assign]
            real(self, sequence, *facts, **named)

        return answering

    Journal.flush = flushing  # type: ignore[method-assign]
    Journal.final = after_its_intent(Journal.final)  # type: ignore[method-assign]
    Journal.retry = after_its_intent(Journal.retry)  # type: ignore[method-assign]


def doubt_forgotten() -> None:
    """What was in flight when a process died is sent again."""
    read_state = opening.read_state

    def hopeful(*order: Any, **named: Any) -> Any:
        state = read_state(*order, **named)
        for sequence, doubt in state.doubt.items():
            state.retry[sequence] = RetryState(doubt.attempt, 0, False, "NETWORK", "")
        state.doubt.clear()
        return state

    opening.read_state = hopeful


def no_flock() -> None:
    """Neither the folder of a send nor the journal of a shard is held."""
    folder._locked = lambda _handle: True
    filesystem._lock = lambda _handle: None


MUTANTS = {mutant.__name__: mutant for mutant in (intent_after_send, doubt_forgotten, no_flock)}

if __name__ == "__main__":
    MUTANTS[sys.argv.pop(1)]()
    sys.exit(main())
