"""Iterators as sources.

An iterator can be read once, so a run over it cannot be resumed; `spool` writes it to a file first and makes one that
can. Rows may be recipients or plain mappings of fields, which are numbered in order.
"""

import asyncio
import json
from array import array
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from postroad.engine.ports import RecipientSource
from postroad.spi import Recipient
from postroad.vocabulary.errors import AudienceInvalid
from postroad.vocabulary.values import FileRef, RecipientValue

Row = Recipient | Mapping[str, RecipientValue]
Recipients = RecipientSource | Iterable[Row] | AsyncIterable[Row]


class IterableSource:
    """One pass over an iterator. A plain iterator is read in the loop's thread: it must not block."""

    def __init__(self, rows: Iterable[Row] | AsyncIterable[Row]) -> None:
        self._later: AsyncIterator[Row] | None = rows.__aiter__() if isinstance(rows, AsyncIterable) else None
        self._now: Iterator[Row] | None = None if isinstance(rows, AsyncIterable) else iter(rows)
        self._next = 0

    async def next_batch(self, limit: int) -> Sequence[Recipient]:
        batch: list[Recipient] = []
        if self._now is not None:
            for row in self._now:
                batch.append(self._numbered(row))
                if len(batch) >= limit:
                    break
        elif self._later is not None:
            async for row in self._later:
                batch.append(self._numbered(row))
                if len(batch) >= limit:
                    break
        return batch

    def _numbered(self, row: Row) -> Recipient:
        recipient = row if isinstance(row, Recipient) else Recipient(self._next, dict(row), self._next + 1)
        self._next = recipient.sequence + 1
        return recipient

    async def aclose(self) -> None:
        close = getattr(self._later or self._now, "aclose" if self._later else "close", None)
        if close is not None:
            closing = close()
            if closing is not None:
                await closing


def adapt(recipients: Recipients) -> RecipientSource:
    """A source as it is; anything that can be iterated as an `IterableSource`."""
    if isinstance(recipients, RecipientSource):
        return recipients
    if isinstance(recipients, Iterable | AsyncIterable):
        return IterableSource(recipients)
    raise AudienceInvalid(
        f"recipients is a {type(recipients).__name__}: give an iterable of recipients or mappings, or a source",
        field="recipients",
    )


async def spool(rows: Iterable[Row] | AsyncIterable[Row], path: Path) -> "SpooledSource":
    """Writes every row to `path`, one JSON line each, and gives a source that a resumed run can enter anywhere.

    A file left by a call that was killed is written anew. Blocks the loop for the time of writing.
    """
    source = IterableSource(rows)
    partial = path.with_name(path.name + ".part")
    with partial.open("wb") as file:
        while batch := await source.next_batch(1000):
            file.write(b"".join(_line(recipient) for recipient in batch))
    await source.aclose()
    partial.replace(path)
    return SpooledSource(path)


def _line(recipient: Recipient) -> bytes:
    fields = {k: {"$file": v.path} if isinstance(v, FileRef) else v for k, v in recipient.fields.items()}
    return json.dumps([recipient.sequence, recipient.row, fields], ensure_ascii=False).encode() + b"\n"


class SpooledSource:
    """Recipients from a file that `spool` wrote. Keeps 16 bytes per recipient for random access."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._sequences = array("q")
        self._offsets = array("q")
        offset = 0
        for line in self._file:
            self._sequences.append(int(line[1 : line.index(b",")]))
            self._offsets.append(offset)
            offset += len(line)
        self._at = 0

    def __len__(self) -> int:
        return len(self._offsets)

    async def next_batch(self, limit: int) -> Sequence[Recipient]:
        end = min(self._at + limit, len(self))
        batch = await asyncio.to_thread(self._read, range(self._at, end))
        self._at = end
        return batch

    async def skip_to(self, sequence: int) -> None:
        self._at = self._index(sequence)

    async def read(self, sequences: Sequence[int]) -> list[Recipient]:
        return await asyncio.to_thread(self._read, [self._index(sequence) for sequence in sequences])

    def _index(self, sequence: int) -> int:
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self._sequences[middle] < sequence else (low, middle)
        return low

    def _read(self, indexes: Sequence[int]) -> list[Recipient]:
        recipients = []
        for index in indexes:
            self._file.seek(self._offsets[index])
            sequence, row, fields = json.loads(self._file.readline())
            recipients.append(Recipient(sequence, {k: _value(v) for k, v in fields.items()}, row))
        return recipients

    async def aclose(self) -> None:
        self._file.close()


def _value(stored: Any) -> RecipientValue:
    value: RecipientValue = FileRef(stored["$file"]) if isinstance(stored, dict) else stored
    return value
