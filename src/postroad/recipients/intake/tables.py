"""Blank rows, repeated headers, and a second table further down.

Blank rows are no rows. The very same header again (files put one after the other) is no row either. Another header
after a blank row begins another table, whose rows cannot be columns of this one: they are rejected until the first
header comes back. What looks like such a header may be a recipient all the same (a town called 信箱, a product called
手机), so it is rejected and counted with them, never passed over.
"""

from collections.abc import Sequence

from postroad.recipients.intake.words import is_known_word
from postroad.recipients.reading.blanks import header_name, trimmed
from postroad.recipients.reading.records import Cell


class OtherTables:
    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._after_blank = False
        self.elsewhere = False
        """Rows now belong to another table."""
        self.warnings: list[str] = []

    def is_plain(self, rows: Sequence[Sequence[Cell]]) -> bool:
        """Whether no row is blank or repeats the header: nothing to look at one by one."""
        if self.elsewhere or self._after_blank or [] in rows:
            return False
        heads = [row[0] for row in rows]
        if "" not in heads and self._names[0] not in heads:
            return True
        return not any(self._stands_out(row) for row in rows)

    def _stands_out(self, row: Sequence[Cell]) -> bool:
        return not any(row) or (row[0] == self._names[0] and self._is_header(row))

    def is_data(self, number: int, row: Sequence[Cell]) -> bool:
        """False for blank rows and headers. Keeps track of which table we are in."""
        if all(cell is None or (isinstance(cell, str) and not trimmed(cell)) for cell in row):
            self._after_blank = True
            return False
        if self._is_header(row):
            self._after_blank = self.elsewhere = False
            self.warnings.append(f"row {number} repeats the header and was left out")
            return False
        if self._after_blank and self._begins_table(row):
            self.elsewhere = True
            self.warnings.append(f"a second table begins in row {number}; its rows were rejected")
        self._after_blank = False
        return True

    def _is_header(self, row: Sequence[Cell]) -> bool:
        if not isinstance(row[0], str) or header_name(row[0]) != self._names[0]:
            return False
        texts = [header_name(cell) if isinstance(cell, str) else "" for cell in row[: len(self._names)]]
        return texts == self._names

    def _begins_table(self, row: Sequence[Cell]) -> bool:
        texts = [header_name(cell) for cell in row if isinstance(cell, str) and header_name(cell)]
        known = sum(1 for text in texts if text in self._names or is_known_word(text))
        return known * 2 >= len(texts) > 0 and not any(
            character.isdecimal() or character == "@" for text in texts for character in text
        )
