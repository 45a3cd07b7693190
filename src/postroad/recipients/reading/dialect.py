"""Which character separates the cells, and whether quotes quote.

Each candidate cuts the first lines of the file; the one that gives the most rows of one same width, wider than one,
wins. A first line `sep=;` (spreadsheet programs write it) decides at once. Quotes that never open a cell are plain
text.
"""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from postroad.vocabulary.errors import AudienceInvalid

CANDIDATES = (",", "\t", ";", "|")
_SEPARATOR_LINE = re.compile(r'\s*"?sep=(.)"?\s*\n', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dialect:
    delimiter: str
    quote: str
    """Empty: quotes are plain text."""
    skipped_lines: int = 0
    """Lines at the top that are no records: the `sep=` line."""
    quote_asked: bool = False


def find_dialect(sample: str, delimiter: str | None, quote: str | None) -> Dialect:
    _must_be_one_character(delimiter, "delimiter")
    if quote:
        _must_be_one_character(quote, "quote")
    announced = _SEPARATOR_LINE.match(sample)
    skipped = 1 if announced else 0
    if announced:
        delimiter = delimiter or announced[1]
        sample = sample[announced.end() :]
    chosen = delimiter or _best_delimiter(sample)
    if chosen in ('"', quote):
        raise AudienceInvalid(f"delimiter {chosen!r} cannot be a quote too; give another delimiter", field="delimiter")
    return Dialect(chosen, _quote_of(sample, chosen) if quote is None else quote, skipped, quote is not None)


def _must_be_one_character(value: str | None, field: str) -> None:
    if value is not None and (len(value) != 1 or value in "\n\r"):
        raise AudienceInvalid(f"{field} must be one character, not {value!r}", field=field)


def _best_delimiter(sample: str) -> str:
    lines = sample.split("\n")[:200]
    scored = [(_score(lines, candidate), -rank, candidate) for rank, candidate in enumerate(CANDIDATES)]
    best = max(scored)
    return best[2] if best[0] > (0, 0) else ","


def _score(lines: Sequence[str], delimiter: str) -> tuple[int, int]:
    """(how many rows share the commonest width above one, that width)."""
    try:
        rows = list(csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter != "\t"))
    except csv.Error:
        return (0, 0)
    widths = Counter(len(row) for row in rows if len(row) > 1)
    if not widths:
        return (0, 0)
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
    return (count, min(width, 100))


def _quote_of(sample: str, delimiter: str) -> str:
    for quote in '"', "'":
        opened, closed = _wrapped_cells(sample, delimiter, quote)
        if opened and (quote == '"' or closed >= opened * 0.9):
            return quote
    return "" if '"' in sample else '"'


def _wrapped_cells(sample: str, delimiter: str, quote: str) -> tuple[int, int]:
    edge = re.escape(delimiter)
    opening = re.findall(rf"(?:^|{edge})[ \t]*{quote}", sample, re.MULTILINE)
    closing = re.findall(rf"{quote}[ \t]*(?:$|{edge})", sample, re.MULTILINE)
    return len(opening), len(closing)
