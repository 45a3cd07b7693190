"""The one writer of a shard's journal.

Lines are made when something happens and written together: one `flush`, one write. An item may be handed over once
the flush with its INTENT has returned, inside a durable WINDOW; every INTENT outside the run-ahead only once it is
durable itself. The sync runs behind, in a thread.

Room. Blocks for the RESULT of every open INTENT and for the END are reserved beyond the end of the file before the
INTENT is written. So a full disk can stop new sends but never the record of what became of those on their way.

Errors. After the first one `intent`, `window`, `flush` and `sync_now` raise until `recover` has returned. RESULT lines
may still be added; they are kept. INTENTs of a flush that raised do not count: `recover` drops them, and who wants to
send those items appends them again. If the error may have cost bytes already written (any but a lack of room), the
segment is marked void beside it, so that a reader of this boot no longer believes the page cache.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from zlib import crc32

from postroad.journal.faults import NO_ROOM, broken
from postroad.journal.filesystem import FileSystem
from postroad.journal.format import (
    CODE_LIMIT,
    END_ROOM_BYTES,
    REQUEST_ID_LIMIT,
    RESULT_ROOM_BYTES,
    SUMMARY_LIMIT,
    clean,
    end_line,
    join_keys,
    seal,
    window_line,
)
from postroad.journal.part import Part
from postroad.journal.records import JournalHeader
from postroad.journal.state import ResumeState
from postroad.journal.sync import Durable, SyncThread
from postroad.vocabulary.errors import JournalBroken, StorageFull
from postroad.vocabulary.outcomes import Outcome

KEYS_REMEMBERED = 10_000
_WORDS = {outcome: outcome.value for outcome in Outcome}

UNSYNCED_LIMIT_BYTES = 4 << 20
"""Above it a flush asks for a sync by itself: what is not durable is kept in memory."""


class Journal:
    """One writer, made by `open_journal`. Not for several threads, `position`, `durable` and `on_durable` apart."""

    def __init__(
        self,
        fs: FileSystem,
        folder: Path,
        header: JournalHeader,
        state: ResumeState,
        *,
        part: Part,
        lock: int,
        sync_interval_s: float | None,
    ) -> None:
        self.state = state
        self.header = header
        self._fs = fs
        self._folder = folder
        self._part = part
        self._lock = lock
        self._lines: list[str] = []
        self._open: set[int] = set()
        self._keys: dict[tuple[str, ...], str] = {(): ""}
        self._position = 0
        self._durable = Durable()
        self._syncing = threading.Lock()
        self._fault: JournalBroken | None = None
        self._fault_callbacks: list[Callable[[], None]] = []
        self._sound = True
        self._settling = False
        self._closed = False
        self._recoveries = 0
        self._parts = header.part
        self._thread = None if sync_interval_s is None else SyncThread(self._sync, sync_interval_s)

    def window(self, frontier: int, to: int) -> int:
        """Appends WINDOW; its first attempts may run ahead once the returned position is durable.

        `frontier` is the lowest first attempt whose INTENT is not durable yet. The record needs a `flush`. A power loss
        may leave all of the window in doubt, and sequences past the end of the shard too if `to` passes it.
        """
        self._refuse_if_broken()
        self._lines.append(window_line(frontier, to))
        return self._position + sum(len(line.encode()) for line in self._lines)

    def intent(  # noqa: PLR0917  (journal: called for every item, where keywords cost time; until 2027-11-30)
        self,
        sequence: int,
        attempt: int,
        at_ms: int,
        keys: tuple[str, ...] = (),
        batch: str = "",
        cost: int = 1,
    ) -> None:
        """Appends INTENT; counts for nothing before `flush` has returned. Raises JournalBroken, StorageFull."""
        if self._fault is not None:
            self._refuse_if_broken()
        names = self._keys.get(keys)
        if names is None:
            names = self._remember(keys)
        if batch:
            batch = clean(batch, REQUEST_ID_LIMIT)
        line = f"INTENT\t{sequence}\t{attempt}\t{at_ms}\t{cost}\t{batch}\t{names}"
        self._lines.append(f"{line}\t{crc32(line.encode())}\n")
        self._open.add(sequence)

    def final(  # noqa: PLR0917  (journal: called for every item, where keywords cost time; until 2027-11-30)
        self,
        sequence: int,
        attempt: int,
        outcome: Outcome,
        category: str = "",
        code: str = "",
        request_id: str = "",
        latency_ms: int = 0,
        summary: str = "",
        at_ms: int = 0,
    ) -> None:
        """Appends the FINAL of an item; the first one counts. Long texts are cut. Never raises for a broken journal."""
        is_plain = not request_id or (request_id.isalnum() and len(request_id) <= REQUEST_ID_LIMIT)
        if code or summary or not is_plain:
            texts = (clean(code, CODE_LIMIT), clean(request_id, REQUEST_ID_LIMIT), clean(summary, SUMMARY_LIMIT))
            code, request_id, summary = texts
        word = _WORDS[outcome]
        line = (
            f"FINAL\t{sequence}\t{attempt}\t{word}\t{category}\t{code}\t{request_id}\t{latency_ms}\t{at_ms}\t{summary}"
        )
        self._lines.append(f"{line}\t{crc32(line.encode())}\n")
        self._open.discard(sequence)

    def retry(  # noqa: PLR0917  (journal: called for every item, where keywords cost time; until 2027-11-30)
        self,
        sequence: int,
        attempt: int,
        retry_at_ms: int,
        category: str,
        code: str,
        may_have_left: bool,
        request_id: str = "",
        latency_ms: int = 0,
        summary: str = "",
    ) -> None:
        """Appends RETRY: the attempt was answered, the item is due again. Never raises for a broken journal."""
        texts = (clean(code, CODE_LIMIT), clean(request_id, REQUEST_ID_LIMIT), clean(summary, SUMMARY_LIMIT))
        code, request_id, summary = texts
        numbers = f"{sequence}\t{attempt}\t{retry_at_ms}"
        left = "1" if may_have_left else "0"
        self._lines.append(seal(f"RETRY\t{numbers}\t{category}\t{code}\t{left}\t{request_id}\t{latency_ms}\t{summary}"))
        self._open.discard(sequence)

    def end(self, state: str, at_ms: int, text: str = "") -> None:
        """Appends END: the final state of the run of this shard, and what else is to be kept (8,000 characters)."""
        self._lines.append(end_line(state, at_ms, text))

    def flush(self) -> int:
        """Writes all appended lines in one call and returns the position after them.

        Raises JournalBroken or StorageFull, and then again until `recover`. A kill in the middle leaves a torn tail
        that holds no INTENT of a handed-over item.
        """
        if self._fault is not None and not self._settling:
            self._refuse_if_broken()
        if self._lines:
            data = "".join(self._lines).encode()
            try:
                if not self._settling:
                    self._part.make_room(len(data) + self._room())
                self._write(data)
            except OSError as error:
                self._fail(error, "write")
                raise self._again() from error
            self._lines.clear()
            if self._position - self._durable.position > UNSYNCED_LIMIT_BYTES:
                self.sync_soon()
        return self._position

    @property
    def position(self) -> int:
        """Bytes written since the journal was opened, over all parts."""
        return self._position

    @property
    def durable(self) -> int:
        return self._durable.position

    @property
    def fault(self) -> JournalBroken | None:
        """The error that `recover` has to mend."""
        return self._fault

    @property
    def recoveries(self) -> int:
        """How often `recover` dropped appended INTENTs. Who finds another number after `flush` appends his again."""
        return self._recoveries

    def sync_soon(self) -> None:
        """Asks the sync thread to make what is written durable within milliseconds; costs next to nothing."""
        if self._thread is not None:
            self._thread.ask()

    def on_durable(self, position: int, callback: Callable[[], None]) -> None:
        """Calls back when `position` is durable: at once, or from the thread that synced. It must not raise or block.

        After a fault nothing is called until `recover` has made it true.
        """
        self._durable.when(position, callback)

    def on_fault(self, callback: Callable[[], None]) -> None:
        """Calls back at each new fault, from the thread that met it: so that nobody waits for a sync that failed."""
        self._fault_callbacks.append(callback)

    def sync_now(self) -> None:
        """Blocks until all that is written is durable. Raises JournalBroken, StorageFull."""
        if self._fault is not None and not self._settling:
            self._refuse_if_broken()
        self._sync()
        if self._fault is not None and not self._settling:
            raise self._again()

    def recover(self) -> None:
        """Mends the journal after a fault, or raises JournalBroken or StorageFull and leaves it broken.

        Afterwards every flushed line and every appended RESULT and WINDOW is durable; INTENTs that were not flushed are
        dropped, and there is room to append them again. If only room is missing and stays so, StorageFull is raised but
        `final`, `retry`, `end`, `flush` and `sync_now` work within the reserved room; `recover` may be called again
        later. Blocks for some syncs. A kill in the middle leaves lines twice, which a reader takes once.
        """
        with self._syncing:
            if self._fault is None:
                return
            self._refuse_if_closed()
            self._settling = False
            needed = sum(len(line.encode()) for line in self._lines) + self._room()
            self._drop_intents()
            self._recoveries += 1
            full: OSError | None = None
            try:
                if self._sound:
                    full = self._mend_in_place(needed)
                else:
                    self._move_to_new_part(needed)
            except OSError as error:
                self._fail(error, "recover")
                raise self._again() from error
            if full is None:
                self._fault, self._sound = None, True
        self._durable.advance(self._position)
        if full is not None:
            self._settling = True
            raise self._again() from full

    def close(self) -> None:
        """Flushes, syncs, frees the reserved room and unlocks. Idempotent; raises only a fault not met before."""
        if self._closed:
            return
        known = self._fault
        if self._thread is not None:
            self._thread.stop()
        try:
            if known is None or self._settling:
                self.flush()
                self.sync_now()
                with suppress(OSError):
                    self._part.free_room()
        finally:
            self._closed = True
            self._settling = False
            self._fault = JournalBroken("journal: it is closed; open it again to go on")
            self._part.close()
            self._fs.close(self._lock)

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, data: bytes) -> None:
        self._part.write(data)
        position = self._position + len(data)
        self._durable.wrote(position, data)
        self._position = position

    def _room(self) -> int:
        return len(self._open) * RESULT_ROOM_BYTES + END_ROOM_BYTES

    def _sync(self) -> None:
        """For any thread; an error becomes the fault."""
        with self._syncing:
            if self._fault is not None and not self._settling:
                return
            target = self._position
            if target <= self._durable.position:
                return
            try:
                self._part.sync()
            except OSError as error:
                self._sound = self._settling = False
                self._fail(error, "sync")
                return
        self._durable.advance(target)

    def _fail(self, error: OSError, doing: str) -> None:
        fault = broken(error, doing)
        if not isinstance(fault, StorageFull):
            self._sound = False
        if not self._sound:
            self._part.mark_void()
        self._fault = fault
        for callback in self._fault_callbacks:
            callback()

    def _again(self) -> JournalBroken:
        """The fault as a fresh exception, so that its traceback does not grow with each refusal."""
        fault = self._fault
        assert fault is not None
        return type(fault)(fault.message)

    def _refuse_if_broken(self) -> None:
        if self._fault is not None:
            raise self._again()

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise self._again()

    def _remember(self, keys: tuple[str, ...]) -> str:
        if len(self._keys) >= KEYS_REMEMBERED:
            self._keys = {(): ""}
        text = self._keys[keys] = join_keys(keys)
        return text

    def _drop_intents(self) -> None:
        """Forgets appended INTENTs. Their bytes stay counted: positions given out before must not be reached early."""
        kept: list[str] = []
        for line in self._lines:
            if line.startswith("INTENT\t"):
                self._open.discard(int(line.split("\t", 2)[1]))
                self._position += len(line.encode())
            else:
                kept.append(line)
        self._lines = kept

    def _mend_in_place(self, needed: int) -> OSError | None:
        """For a file that only lacks room. Writes the kept lines in any case; returns the error if room still lacks."""
        self._part.cut_torn_write()
        full: OSError | None = None
        data = "".join(self._lines).encode()
        try:
            self._part.make_room(needed)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            full = error
        self._write(data)
        self._lines.clear()
        self._part.sync()
        return full

    def _move_to_new_part(self, needed: int) -> None:
        """Leaves a file that may have lost bytes, and repeats in a new one all that was not durable before."""
        with suppress(OSError):
            self._part.cut_torn_write()
        self._parts += 1
        header = replace(self.header, boot_id="", part=self._parts)
        data = "".join(self._lines).encode()
        part = Part.create(self._fs, self._folder, header)
        try:
            part.make_room(needed + self._position - self._durable.position)
            part.write(b"".join(self._durable.unsynced()) + data)
            part.sync()
            self._fs.sync_folder(self._folder)
        except OSError:
            part.discard()
            raise
        with suppress(OSError):
            self._part.close()
        self._part, self.header = part, header
        self._lines.clear()
        self._position += len(data)
