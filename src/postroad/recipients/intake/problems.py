"""Collects why rows were left out: counts, samples for the report, every single one in `errors.csv`."""

import csv
from pathlib import Path

from postroad.recipients.report import RowProblem, TopReason
from postroad.recipients.safe_cells import safe_cell

SAMPLES = 20
_TOP = 20
_VALUE_CHARS = 500


class ProblemLog:
    """Writes to `path` from the first problem on. Several problems of one row make one rejected row."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("w", encoding="utf-8-sig", newline="", errors="backslashreplace")
        self._writer = csv.writer(self._file)
        self._writer.writerow(("row", "column", "code", "reason", "value"))
        self._reasons: dict[tuple[str, str], list[int]] = {}
        self.samples: list[RowProblem] = []
        self.rejected = 0
        self.written = 0

    def reject(self, problems: list[RowProblem]) -> None:
        """One row and everything that is wrong with it."""
        self.rejected += 1
        for problem in problems:
            self.note(problem)

    def note(self, problem: RowProblem) -> None:
        self.written += 1
        counted = self._reasons.setdefault((problem.code, problem.column), [0, problem.row])
        counted[0] += 1
        if len(self.samples) < SAMPLES:
            self.samples.append(problem)
        value = problem.value[:_VALUE_CHARS]
        self._writer.writerow(
            (problem.row, safe_cell(problem.column), problem.code, safe_cell(problem.reason), safe_cell(value))
        )

    def top_reasons(self) -> tuple[TopReason, ...]:
        ranked = sorted(self._reasons.items(), key=lambda item: -item[1][0])[:_TOP]
        return tuple(TopReason(code, column, count, row) for (code, column), (count, row) in ranked)

    def close(self) -> None:
        self._file.close()
