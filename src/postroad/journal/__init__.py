"""The send journal: what a run wrote down before and after each attempt, so that a restart sends nobody a second copy.

`open_journal` gives the one writer of a shard, with what older epochs left in `Journal.state`. `read_state` says the
same without a lock; `read_records` and `list_segments` are for those who want the results. The protocol is in
`docs/reference/journal.md`. Standard library only.
"""

from postroad.journal.filesystem import REAL, FileSystem
from postroad.journal.opening import open_journal
from postroad.journal.reader import read_records, spent_since
from postroad.journal.records import (
    Damaged,
    Doubt,
    End,
    Final,
    Intent,
    JournalHeader,
    Opened,
    Record,
    Retry,
    Window,
)
from postroad.journal.segments import list_segments
from postroad.journal.state import DoubtState, ResumeState, RetryState, Settled, read_state
from postroad.journal.writer import Journal

__all__ = [
    "REAL",
    "Damaged",
    "Doubt",
    "DoubtState",
    "End",
    "FileSystem",
    "Final",
    "Intent",
    "Journal",
    "JournalHeader",
    "Opened",
    "Record",
    "ResumeState",
    "Retry",
    "RetryState",
    "Settled",
    "Window",
    "list_segments",
    "open_journal",
    "read_records",
    "read_state",
    "spent_since",
]
