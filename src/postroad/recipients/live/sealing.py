"""Journals into parts, as far as they have grown.

The records of a segment are taken in the order of writing. Those that are not many enough for a part lie in a text file
beside the parts and in a part of their own, which is written anew when there are more. A part appears whole; for a
moment a record may lie in two of them. A line that is not whole yet is left for the next time, a damaged one is passed
over: the export at the end decides about damage.
"""

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from zlib import crc32

from postroad.journal import list_segments
from postroad.recipients.results.record_text import FINAL, TEXTS, read_text, unescaped
from postroad.recipients.snapshot_format import literal

if TYPE_CHECKING:
    import duckdb

PART_RECORDS = 50_000
_BLOCK_BYTES = 1024 * 1024
_FINAL = b"FINAL\t"
_KIND = "kind"
_SELECTED = ", ".join(f"coalesce({unescaped(name)}, '') AS {name}" if name in TEXTS else name for name in FINAL)


class RunSealer:
    """Of one run, in one process. Everything it wrote before is thrown away at its beginning."""

    def __init__(self, journal: Path, parts: Path, connection: "duckdb.DuckDBPyConnection") -> None:
        self._journal = journal
        self._parts = parts
        self._connection = connection
        self._segments: dict[str, _Segment] = {}
        shutil.rmtree(parts, ignore_errors=True)
        parts.mkdir(mode=0o700)

    def seal(self) -> bool:
        """A bounded piece of work. True where there is more to do now. Raises OSError, duckdb.Error."""
        is_behind = False
        for path in list_segments(self._journal):
            segment = self._segments.get(path.name)
            if segment is None:
                segment = self._segments[path.name] = _Segment(path, self._parts)
            if segment.read():
                is_behind = self._write(segment) or is_behind
        return is_behind

    def remove(self) -> None:
        shutil.rmtree(self._parts, ignore_errors=True)

    def _write(self, segment: "_Segment") -> bool:
        """Whether a part is full now."""
        is_full = segment.records >= PART_RECORDS
        part = segment.next_part if is_full else segment.open_part
        aside = part.with_suffix(".making")
        self._connection.execute(
            f"COPY (SELECT {_SELECTED} FROM {read_text(segment.waiting, {_KIND: 'VARCHAR', **FINAL})} "  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)
            f"ORDER BY sequence) TO {literal(str(aside))} (FORMAT parquet, COMPRESSION zstd)"
        )
        os.replace(aside, part)
        segment.written(is_full=is_full)
        return is_full


class _Segment:
    """How far a segment was read, and the records of it that are in no full part."""

    def __init__(self, path: Path, parts: Path) -> None:
        self._path = path
        self._parts = parts
        self._offset = 0
        self._full_parts = 0
        self._has_news = False
        self.records = 0
        self.waiting = self._named("tsv")
        self.open_part = self._named("open.parquet")
        self.waiting.write_bytes(b"")

    @property
    def next_part(self) -> Path:
        return self._named(f"{self._full_parts:06}.parquet")

    def written(self, *, is_full: bool) -> None:
        self._has_news = False
        if is_full:
            self.open_part.unlink(missing_ok=True)
            self.waiting.write_bytes(b"")
            self._full_parts += 1
            self.records = 0

    def _named(self, suffix: str) -> Path:
        return self._parts / f"{self._path.name}.{suffix}"

    def read(self) -> bool:
        """Takes records until there are enough for a part, or no more; whether any are to be written."""
        if self._path.stat().st_size > self._offset:
            with self._path.open("rb") as source, self.waiting.open("ab") as waiting:
                self._take(source, waiting)
        return self._has_news

    def _take(self, source: BinaryIO, waiting: BinaryIO) -> None:
        while self.records < PART_RECORDS:
            source.seek(self._offset)
            block = source.read(_BLOCK_BYTES)
            whole = block[: block.rfind(b"\n") + 1]
            if not whole:
                return
            finals = _finals(whole)
            waiting.writelines(finals)
            self._offset += len(whole)
            self.records += len(finals)
            self._has_news = self._has_news or bool(finals)


def _finals(lines: bytes) -> list[bytes]:
    found = []
    for line in lines.split(b"\n"):
        if line.startswith(_FINAL):
            body, _, checksum = line.rpartition(b"\t")
            if checksum.isdigit() and int(checksum) == crc32(body):
                found.append(body + b"\n")
    return found
