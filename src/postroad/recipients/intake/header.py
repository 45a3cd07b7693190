"""Finds the row that names the columns.

Files from offices begin with titles, notes, blank lines and grouped headers. The header is the first row that holds
words we wait for (fields of the schema, the mapping, the key, common words such as 手机号); without such a word, the
first row without a gap that is at least half as wide as the rows commonly are. A row that looks like data is never
taken for a header.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from postroad.recipients.intake.words import is_known_word, plain_word
from postroad.recipients.reading.blanks import header_name
from postroad.recipients.reading.records import Cell
from postroad.vocabulary.errors import AudienceInvalid

SEARCHED_ROWS = 64
_LOOKS_LIKE_DATA = re.compile(r"[+0-9][0-9 ()\-]{6,}|[^@\s]+@[^@\s]+\.[^@\s]+")


@dataclass(slots=True)
class Header:
    row: int
    """As the spreadsheet shows it; 0 where the table has none."""
    names: list[str]
    """One for each column that is kept."""
    width: int
    """How many cells a row has, columns without a name at the end not counted."""
    skipped: int
    """How many records of the sample lie before the first data row."""
    warnings: list[str] = field(default_factory=list)


def find_header(
    numbers: Sequence[int], rows: Sequence[Sequence[Cell]], wanted: Iterable[str], asked: int | None
) -> Header:
    """Looks among the first records. Raises AudienceInvalid where none can be a header."""
    texts = [[header_name(cell) if isinstance(cell, str) else "" for cell in row] for row in rows]
    words = {plain_word(name) for name in wanted}
    at = _asked_row(numbers, asked) if asked is not None else _likely_row(texts, words)
    if at is None:
        raise AudienceInvalid("no row names the columns: the table is empty", field="file")
    if asked is None and looks_like_data(texts[at]):
        raise AudienceInvalid(
            f"row {numbers[at]} looks like data, not like column names; add a header row, "
            "or say which row it is (`headerRow`; 0: none)",
            field="audience.headerRow",
            row=numbers[at],
        )
    header = _named(texts[at], numbers[at])
    above = [number for number, text in zip(numbers[:at], texts[:at], strict=True) if any(text)]
    if above:
        header.warnings.append(f"rows above the header were left out: {', '.join(map(str, above[:10]))}")
    header.skipped = at + 1
    while header.skipped < len(texts) and _is_second_header(texts[header.skipped], words):
        header.warnings.append(f"row {numbers[header.skipped]} is a second header and was left out")
        header.skipped += 1
    return header


def headerless(width: int, names: Sequence[str]) -> Header:
    given = list(names[:width]) + [f"column_{number}" for number in range(len(names[:width]) + 1, width + 1)]
    return Header(0, given, width, 0)


def given(columns: Sequence[str]) -> Header:
    """A header for an input that names its columns itself: the keys of objects, the columns of a query."""
    texts = [header_name(name) or f"column_{at}" for at, name in enumerate(columns, 1)]
    return _named(texts, 0)


def looks_like_data(texts: Sequence[str]) -> bool:
    filled = [text for text in texts if text]
    return any(_LOOKS_LIKE_DATA.fullmatch(text) for text in filled) or all(
        text.replace(".", "").isdecimal() for text in filled
    )


def _asked_row(numbers: Sequence[int], asked: int) -> int:
    if asked not in numbers:
        raise AudienceInvalid(
            f"headerRow {asked} is not among the first {len(numbers)} rows of the table", field="audience.headerRow"
        )
    return numbers.index(asked)


def _likely_row(texts: Sequence[Sequence[str]], words: set[str]) -> int | None:
    hits = [_known(text, words) for text in texts]
    if any(hits):
        return hits.index(max(hits))
    filled = [sum(map(bool, text)) for text in texts]
    widths = Counter(count for count in filled if count)
    if not widths:
        return None
    common = max(widths.items(), key=lambda item: (item[1], item[0]))[0]
    whole = (at for at, text in enumerate(texts) if filled[at] * 2 > common and all(text[: filled[at]]))
    return next(whole, filled.index(max(filled)))


def _known(texts: Sequence[str], words: set[str]) -> int:
    """How many cells are words we wait for. A common word alone proves little: a product may be called 手机."""
    filled = [plain_word(text) for text in texts if text]
    waited_for = sum(1 for word in filled if word in words)
    hits = sum(1 for word in filled if word in words or is_known_word(word))
    if not hits or looks_like_data(texts):
        return 0
    return hits if waited_for or hits > 1 or hits == len(filled) else 0


def _is_second_header(texts: Sequence[str], words: set[str]) -> bool:
    filled = [text for text in texts if text]
    return len(filled) > 1 and all(plain_word(text) in words or is_known_word(text) for text in filled)


def _named(texts: Sequence[str], row: int) -> Header:
    width = max((at for at, text in enumerate(texts, 1) if text), default=0)
    header = Header(row, [], width, 0)
    seen: dict[str, int] = {}
    for at, text in enumerate(texts[:width], 1):
        name = text or f"column_{at}"
        if name in seen:
            name = _free_name(name, seen)
            header.warnings.append(f"column {at} is called {text!r} like another one; it became {name!r}")
        _must_be_text(name, at, row)
        seen[name] = at
        header.names.append(name)
    return header


def _must_be_text(name: str, column: int, row: int) -> None:
    try:
        name.encode()
    except UnicodeEncodeError:
        raise AudienceInvalid(
            f"the name of column {column} holds bytes that are no text in this encoding; save the file anew, or say "
            "which encoding it has",
            field="encoding",
            row=row or None,
        ) from None


def _free_name(name: str, taken: Iterable[str]) -> str:
    number = 2
    while f"{name} ({number})" in taken:
        number += 1
    return f"{name} ({number})"
