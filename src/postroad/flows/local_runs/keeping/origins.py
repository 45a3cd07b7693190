"""Which item of which run each item of a re-send goes back to.

`origins.bin` has nine bytes per item: a number of a run in the plan's source, and a sequence. An item whose outcome was
UNKNOWN carries the idempotency key of its origin, so that a remote that took the first copy drops the second. All
others have the mark 255 and a key of their own. The file is read through a memory map: its size costs no memory.
"""

import mmap
import struct
from pathlib import Path
from typing import Self

from postroad.flows.local_runs.keeping.plan import SendPlan
from postroad.vocabulary.errors import SendConflict

ENTRY = struct.Struct("<Bq")
OWN = 255
MAX_RUNS = 254


class Origins:
    def __init__(self, own: str, runs: tuple[str, ...] = (), entries: mmap.mmap | None = None) -> None:
        """Without entries every item goes back to itself, in the run `own`."""
        self._runs = runs
        self._own = own
        self._entries = entries

    @classmethod
    def open(cls, path: Path, plan: SendPlan) -> Self:
        """Raises SendConflict where a re-send's file is missing or has another length than its audience."""
        if plan.source is None:
            return cls(plan.run_id)
        wanted = plan.audience.accepted * ENTRY.size
        if not path.is_file() or path.stat().st_size != wanted:
            raise SendConflict(f"{path} is missing or damaged; make the re-send again")
        with path.open("rb") as file:
            return cls(plan.run_id, plan.source.origins, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    def origin_of(self, sequence: int) -> tuple[str, int]:
        """Run and sequence whose key the item carries."""
        if self._entries is not None:
            run, origin = ENTRY.unpack_from(self._entries, sequence * ENTRY.size)
            if run != OWN:
                return self._runs[run], origin
        return self._own, sequence

    def key_for(self, sequence: int) -> str:
        """As the engine makes the key of that run's item."""
        run_id, origin = self.origin_of(sequence)
        return f"{run_id}:{origin}"

    def close(self) -> None:
        if self._entries is not None:
            self._entries.close()
            self._entries = None
