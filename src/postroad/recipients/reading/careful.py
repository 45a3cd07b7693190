"""Cuts text into records when something about its quotes is wrong.

The rule is that nothing shifts: a record whose quotes do not add up is broken as a whole, and so is every line it may
have swallowed. Spaces around a quoted cell are tolerated. A quote that is never closed breaks its own line only; what
follows is read as if the quote had not been there.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

STRAY = ("STRAY_QUOTE", "a quote stands inside a cell or after its end; put the cell in quotes and double the quote")
UNCLOSED = ("UNCLOSED_QUOTE", "a quote opens a cell and nothing closes it")
_NEVER = "(?!)"


@dataclass(frozen=True, slots=True)
class Record:
    """`cells` is None where the record is broken; `problem` then says why."""

    cells: list[str] | None
    raw: str
    end: int
    problem: tuple[str, str] | None = None


class CarefulParser:
    def __init__(self, delimiter: str, quote: str, max_cell_chars: int) -> None:
        """An empty `quote`: quotes are plain text, and no record is broken."""
        self._quote = quote
        self._max = max_cell_chars
        edge, mark = re.escape(delimiter), re.escape(quote) or _NEVER
        blank = r"[^\S\n" + ("\t" if delimiter == "\t" else "") + "]"
        self._delimiter = delimiter
        self._opening = re.compile(rf"{blank}*+{mark}")
        self._quoted = re.compile(rf"{blank}*+{mark}((?:[^{mark}]|{mark}{mark})*+){mark}{blank}*+(?={edge}|\n|\Z)")
        self._closed = re.compile(rf"{blank}*+{mark}(?:[^{mark}]|{mark}{mark})*+{mark}")
        self._plain = re.compile(rf"[^{edge}\n]*+")

    def records(self, text: str, *, final: bool) -> Iterator[Record]:
        """Records that lie whole in `text`; the caller keeps what comes after the last `end`."""
        at, size = 0, len(text)
        while at < size:
            found = self._record(text, at, final=final)
            if not found:
                return
            yield from found
            at = found[-1].end

    def _record(self, text: str, start: int, *, final: bool) -> list[Record]:
        cells: list[str] = []
        at = start
        while True:
            if self._opening.match(text, at):
                quoted = self._quoted.match(text, at)
                if quoted is None or (quoted.end() == len(text) and not final):
                    return self._after_open_quote(text, start, at, final=final)
                cells.append(quoted[1].replace(self._quote * 2, self._quote))
                at = quoted.end()
            else:
                plain = self._plain.match(text, at)
                assert plain is not None
                at = plain.end()
                if self._quote and self._quote in plain[0]:
                    return self._broken_lines(text, start, at, STRAY, final=final)
                cells.append(plain[0])
            if at >= len(text):
                return [Record(cells, text[start:at], at)] if final else []
            at += 1
            if text[at - 1] == "\n":
                return [Record(cells, text[start : at - 1], at)]

    def _after_open_quote(self, text: str, start: int, at: int, *, final: bool) -> list[Record]:
        closed = self._closed.match(text, at)
        if closed is not None and closed.end() < len(text):
            return self._broken_lines(text, start, closed.end(), STRAY, final=final)
        if not final and len(text) - at <= self._max:
            return []
        return self._broken_lines(text, start, at, UNCLOSED, final=final)

    def _broken_lines(self, text: str, start: int, upto: int, problem: tuple[str, str], *, final: bool) -> list[Record]:
        """One broken record for each line from `start` to the line that holds `upto`."""
        end = text.find("\n", upto)
        if end < 0:
            if not final:
                return []
            end = len(text)
        broken = []
        at = start
        for line in text[start:end].split("\n"):
            at += len(line) + 1
            broken.append(Record(None, line, min(at, len(text)), problem))
        return broken
