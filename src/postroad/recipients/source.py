"""A snapshot as the engine reads it: batch by batch, one batch ahead, in a thread of its own.

DuckDB streams the Parquet file in order and holds one row group; the thread turns rows into recipients while the engine
sends the ones before. Memory does not depend on the size of the snapshot.
"""

import asyncio
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from postroad.recipients.snapshot import Snapshot
from postroad.recipients.snapshot_format import ROW, ROW_GROUP_ROWS, SEQUENCE, Note, quoted, read_note, scan
from postroad.spi import Recipient
from postroad.vocabulary.errors import AudienceInvalid
from postroad.vocabulary.values import FileRef

if TYPE_CHECKING:
    import duckdb

_FETCHED_ROWS = 2_000
_MEMORY = "64MB"

_T = TypeVar("_T")
_Build = Callable[[Iterable[int], Sequence[tuple[Any, ...]]], list[Recipient]]


class SnapshotSource:
    """Recipients `first` ≤ sequence < `end` of a snapshot, in order. One reader, one task."""

    def __init__(self, snapshot: Snapshot, first: int = 0, end: int | None = None) -> None:
        self._first = first
        self._end = snapshot.count if end is None else min(end, snapshot.count)
        self._reader = _SnapshotReader(snapshot)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="snapshot")
        self._next = first
        self._batch: list[Recipient] = []
        self._used = 0
        self._ahead: Future[list[Recipient]] | None = None
        self._closed = False

    @property
    def total(self) -> int:
        """How many recipients lie in the range."""
        return max(0, self._end - self._first)

    async def next_batch(self, limit: int) -> list[Recipient]:
        """Between 1 and `limit` recipients; empty at the end. Raises AudienceInvalid where the file is gone."""
        if self._used >= len(self._batch):
            self._batch, self._used = await self._fetched(), 0
        batch = self._batch[self._used : self._used + limit]
        self._used += len(batch)
        if batch:
            self._next = batch[-1].sequence + 1
        return batch

    async def skip_to(self, sequence: int) -> None:
        """The next batch begins at `sequence`. Works in both directions."""
        if self._ahead is not None:
            await asyncio.wrap_future(self._ahead)
        self._ahead, self._batch, self._used = None, [], 0
        self._next = max(self._first, sequence)
        await self._in_thread(self._reader.rewind)

    async def read(self, sequences: Sequence[int]) -> list[Recipient]:
        """The named recipients in the order asked. Raises KeyError for one outside the range."""
        for sequence in sequences:
            if not self._first <= sequence < self._end:
                raise KeyError(sequence)
        return await self._in_thread(lambda: self._reader.pick(sequences))

    async def aclose(self) -> None:
        """Idempotent."""
        if self._closed:
            return
        await self._in_thread(self._reader.close)
        self._closed = True
        self._thread.shutdown(wait=False)

    async def _fetched(self) -> list[Recipient]:
        ahead = self._ahead or self._fetch_from(self._next)
        batch = await asyncio.wrap_future(ahead)
        self._ahead = self._fetch_from(batch[-1].sequence + 1) if batch else None
        return batch

    def _fetch_from(self, sequence: int) -> "Future[list[Recipient]]":
        return self._thread.submit(self._reader.fetch, sequence, self._end)

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        return await asyncio.wrap_future(self._thread.submit(work))


class _SnapshotReader:
    """Lives in the source's thread."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._stream: duckdb.DuckDBPyConnection | None = None
        self._columns = ""
        self._build: _Build = _builder(Note((), (), frozenset()))

    def fetch(self, sequence: int, end: int) -> list[Recipient]:
        """The next recipients of the stream, which begins at `sequence` where there is none yet."""
        if sequence >= end:
            return []
        if self._stream is None:
            self._stream = self._opened().cursor()
            self._stream.execute(self._query(f"{SEQUENCE} >= {sequence} AND {SEQUENCE} < {end}"))
        return self._build(itertools.count(sequence), self._stream.fetchmany(_FETCHED_ROWS))

    def pick(self, sequences: Sequence[int]) -> list[Recipient]:
        found: dict[int, Recipient] = {}
        for group in _by_row_group(sequences):
            chosen = ", ".join(map(str, group))
            where = f"{SEQUENCE} BETWEEN {group[0]} AND {group[-1]} AND {SEQUENCE} IN ({chosen})"
            rows = self._opened().cursor().execute(self._query(where)).fetchall()
            found.update(zip(group, self._build(group, rows), strict=True))
        return [found[sequence] for sequence in sequences]

    def rewind(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def close(self) -> None:
        self.rewind()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _query(self, where: str) -> str:
        self._opened()
        return f"SELECT {self._columns}, {ROW} FROM {scan(self._snapshot.path)} WHERE {where}"  # noqa: S608  (recipients: DuckDB binds no names, they are quoted; until 2027-11-30)

    def _opened(self) -> "duckdb.DuckDBPyConnection":
        if self._connection is None:
            import duckdb

            if not self._snapshot.path.is_file():
                raise AudienceInvalid(f"the snapshot {self._snapshot.path} is gone", field="audience")
            self._connection = duckdb.connect(config={"threads": 1, "memory_limit": _MEMORY})
            note, _ = read_note(self._connection, self._snapshot.path)
            self._columns = ", ".join(quoted(column) for _, column in note.fields)
            self._build = _builder(note)
        return self._connection


def _by_row_group(sequences: Sequence[int]) -> Iterator[list[int]]:
    group: list[int] = []
    for sequence in sorted(set(sequences)):
        if group and sequence // ROW_GROUP_ROWS != group[0] // ROW_GROUP_ROWS:
            yield group
            group = []
        group.append(sequence)
    if group:
        yield group


def _builder(note: Note) -> _Build:
    """Sequences, and rows (one value for each column, the row number last), into recipients."""
    names = [field for field, _ in note.fields]
    files = [name for name in names if name in note.files]

    def build(sequences: Iterable[int], rows: Sequence[tuple[Any, ...]]) -> list[Recipient]:
        found = [
            Recipient(sequence, dict(zip(names, row, strict=False)), row[-1])
            for sequence, row in zip(sequences, rows, strict=False)
        ]
        for name in files:
            for recipient in found:
                path = recipient.fields[name]
                recipient.fields[name] = FileRef(str(path)) if path else None
        for alias, field in note.aliases:
            for recipient in found:
                recipient.fields[alias] = recipient.fields[field]
        return found

    return build
