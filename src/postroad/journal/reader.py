"""Reads the records of one segment, whatever a crash left of it.

A tail without a good record is torn: a write that never finished, or pages that never reached the disk; it was never
acted upon and is passed over. Bad bytes with good records behind them are damage, and are said to be there.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from postroad.journal.filesystem import REAL, FileSystem
from postroad.journal.format import BadRecord, checked, decode, split_keys
from postroad.journal.records import Damaged, Record


def read_records(path: Path, fs: FileSystem = REAL) -> Iterator[Record]:
    """All records of a segment in the order of writing, its JournalHeader first.

    Yields Damaged once for each stretch of bad bytes in the middle. Records may come twice (`Journal.recover` repeats
    what it cannot prove durable): take them by sequence and attempt. Raises OSError where the file cannot be read,
    JournalBroken where it is of another format.
    """
    bad_from = -1
    for offset, line in lines_of(fs.read(path)):
        try:
            record = decode(line)
        except BadRecord:
            bad_from = offset if bad_from < 0 else bad_from
            continue
        if bad_from >= 0:
            yield Damaged(bad_from, offset - bad_from)
            bad_from = -1
        yield record


def read_fields(path: Path, fs: FileSystem) -> Iterator[list[str]]:
    """As `read_records`, but quick: escaped fields with the kind first, and `[DAMAGED]` for damage.

    A tail with NUL bytes or several bad lines ends in `[HOLES]`: a torn write leaves half a line, only pages that got
    lost leave more.
    """
    bad = holes = False
    for _, line in lines_of(fs.read(path)):
        fields = checked(line)
        if fields is None:
            holes = holes or bad or b"\0" in line
            bad = True
            continue
        if bad:
            yield [DAMAGED]
            bad = holes = False
        yield fields
    if holes:
        yield [HOLES]


DAMAGED, HOLES = "DAMAGED", "HOLES"
_BLOCK_BYTES = 1024 * 1024
_INTENT = b"INTENT\t"


def lines_of(blocks: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    """Offset and content of each line; an end without a line feed comes last, with a byte that spoils its checksum."""
    offset, rest = 0, b""
    for block in blocks:
        whole, found, tail = block.rpartition(b"\n")
        if not found:
            rest += block
            continue
        for line in (rest + whole).split(b"\n"):
            yield offset, line
            offset += len(line) + 1
        rest = tail
    if rest:
        yield offset, rest + b"?"


def spent_since(path: Path, since_ms: int, most: int = 100_000) -> list[tuple[int, tuple[str, ...], int]]:
    """(time, keys, cost) of the last INTENTs of a segment, made at `since_ms` or later, the oldest first.

    Reads from the end, and stops at the first block whose INTENTs are all older. Raises OSError.
    """
    found: list[tuple[int, tuple[str, ...], int]] = []
    with path.open("rb") as file:
        left = file.seek(0, os.SEEK_END)
        rest = b""
        while left > 0 and len(found) < most:
            start = max(0, left - _BLOCK_BYTES)
            file.seek(start)
            block = file.read(left - start) + rest
            left = start
            rest, _, lines = block.partition(b"\n") if start else (b"", b"", block)
            seen = _intents(lines)
            fresh = [intent for intent in seen if intent[0] >= since_ms]
            found[:0] = fresh
            if seen and not fresh:
                break
    return found[-most:]


def _intents(lines: bytes) -> list[tuple[int, tuple[str, ...], int]]:
    found = []
    for line in lines.split(b"\n"):
        fields = checked(line) if line.startswith(_INTENT) else None
        if fields is not None and len(fields) == 7:
            _, _, _, at_ms, cost, _, keys = fields
            found.append((int(at_ms), split_keys(keys), int(cost)))
    return found
