"""Journals into two plain tables that DuckDB can read: last words on items, and every attempt.

Lines keep the escapes of the journal, so that a tab or a line end inside a text cannot break a table. Bad checksums
are passed over by the journal's reader. Damage in the middle of a shard that no later epoch has looked at is no basis
for results: what was lost there may have been sent.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from postroad.journal import REAL
from postroad.journal.reader import DAMAGED, HOLES, read_fields
from postroad.vocabulary.errors import JournalBroken

_FLUSHED_LINES = 50_000


class OutcomeTables:
    """`finals`: ordinal sequence attempt outcome category code request_id latency at_ms summary.
    `attempts`: ordinal sequence attempt kind may_have_left category code request_id latency summary.
    """

    def __init__(self, folder: Path) -> None:
        self.finals = folder / "finals.tsv"
        self.attempts = folder / "attempts.tsv"
        self._ordinal = 0

    def write(self, journals: Sequence[Path], on_progress: Callable[[int], None]) -> None:
        """`journals` in the order they were written. Raises JournalBroken."""
        damaged: dict[str, Path] = {}
        finals: list[str] = []
        attempts: list[str] = []
        with (
            self.finals.open("w", encoding="utf-8", newline="") as final_file,
            self.attempts.open("w", encoding="utf-8", newline="") as attempt_file,
        ):
            for path in journals:
                shard = path.name.partition(".")[0]
                for fields in read_fields(path, REAL):
                    kind = fields[0]
                    self._ordinal += 1
                    if kind == "FINAL":
                        finals.append("\t".join([str(self._ordinal), *fields[1:]]) + "\n")
                    elif kind in ("INTENT", "DOUBT"):
                        attempts.append(f"{self._ordinal}\t{fields[1]}\t{fields[2]}\t{kind}\t0\t\t\t\t0\t\n")
                    elif kind == "RETRY":
                        attempts.append(_retry_line(self._ordinal, fields))
                    elif kind == "OPENED":
                        damaged.pop(shard, None)
                    elif kind in (DAMAGED, HOLES):
                        damaged[shard] = path
                    if self._ordinal % _FLUSHED_LINES == 0:
                        final_file.writelines(finals)
                        attempt_file.writelines(attempts)
                        finals.clear()
                        attempts.clear()
                        on_progress(self._ordinal)
            final_file.writelines(finals)
            attempt_file.writelines(attempts)
        for path in damaged.values():
            raise JournalBroken(f"{path.name} is damaged and the run was not resumed since; resume it first")


def _retry_line(ordinal: int, fields: list[str]) -> str:
    _, sequence, attempt, _, category, code, left, request_id, latency, summary = fields
    return f"{ordinal}\t{sequence}\t{attempt}\tRETRY\t{left}\t{category}\t{code}\t{request_id}\t{latency}\t{summary}\n"
