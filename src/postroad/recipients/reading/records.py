"""What every reader yields: blocks of consecutive records, with the number the spreadsheet shows for each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

Scalar = str | int | float | bool | None
PLAIN_KINDS = frozenset({str, int, float, bool, type(None)})


@dataclass(frozen=True, slots=True)
class CellFault:
    """A cell whose value cannot be trusted; it rejects its row."""

    code: str
    reason: str
    value: str


Cell = Scalar | CellFault


@dataclass(frozen=True, slots=True)
class BrokenRecord:
    """A record that could not be cut into cells."""

    row: int
    code: str
    reason: str
    raw: str


@dataclass(slots=True)
class Block:
    """`numbers[i]` is the row of `rows[i]`. `lines`, where present, holds the source line of each row,
    without its end, in the dialect of the reader; given only where every line parses to exactly that row.
    """

    numbers: Sequence[int]
    rows: list[list[Cell]] | list[list[str]]
    lines: list[str] | None = None
    broken: list[BrokenRecord] = field(default_factory=list)
    suspicious: bool = False
    """Some cell may hold what cannot be stored: NUL, undecodable bytes, too much text, a CellFault."""
    invisible: bool = True
    """Some cell may hold characters that nobody sees."""


@dataclass(slots=True)
class Origin:
    """What the reader found out about the input; complete before the first block."""

    format: str
    encoding: str = ""
    encoding_guessed: bool = False
    delimiter: str = ""
    quote: str = ""
    sheet: str = ""
    warnings: list[str] = field(default_factory=list)


class TableReader(Protocol):
    """A table to be read once. `columns` is None where a header row has to be found among the records."""

    origin: Origin
    columns: Sequence[str] | None
    ragged: bool
    """Delimited text: a wrong number of cells means a shifted row, so it is rejected."""

    def blocks(self) -> Iterator[Block]: ...
