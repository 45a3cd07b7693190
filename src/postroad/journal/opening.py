"""Opens the journal of a shard: the lock first, then the past, then a new epoch.

The order on disk is what a reader relies upon. (1) Every older segment is made durable: after a kill they may still
live in the page cache only. (2) The new segment with its header, and the names in the folder, are made durable.
(3) After a power loss, every attempt in doubt is written down and made durable, so that a crash before they are settled
cannot turn them into items never sent. (4) Only then OPENED is written and made durable. A crash between any two of
these leaves an epoch without OPENED, which the next opening passes over. (5) A mark beside the segment says that the
epoch began: a segment that somebody removes or overwrites afterwards is missed, not taken for one that never began.

A void segment cannot be made durable where it stands: the kernel dropped the pages of a failed sync from its list, and
a later sync says yes without writing them. Its records are repeated in the new segment, between (2) and (3), and after
(4) it is void no more.
"""

from contextlib import suppress
from pathlib import Path

from postroad.journal.faults import broken
from postroad.journal.filesystem import REAL, FileSystem
from postroad.journal.format import checked, doubt_line, opened_line
from postroad.journal.part import Part
from postroad.journal.reader import lines_of
from postroad.journal.records import JournalHeader
from postroad.journal.segments import Segment, lock_name, segments_among
from postroad.journal.state import ResumeState, read_state
from postroad.journal.writer import Journal
from postroad.vocabulary.errors import AlreadyRunning

SYNC_INTERVAL_S = 0.004
REPEATED_AT_ONCE = 10_000
_OF_ITEMS = (b"INTENT\t", b"FINAL\t", b"RETRY\t", b"DOUBT\t", b"END\t")


def open_journal(
    folder: Path,
    *,
    run_id: str,
    shard: int,
    fencing_token: str,
    config_sha256: str,
    started_at_ms: int,
    boot_id: str | None = None,
    fs: FileSystem = REAL,
    sync_interval_s: float | None = SYNC_INTERVAL_S,
    first: int = 0,
) -> Journal:
    """The journal of `shard`, at a new epoch; `folder` must exist, and its own parents be durable.

    `boot_id` is this machine's unless given; empty means that the page cache is not to be believed. Without
    `sync_interval_s` there is no sync thread and only `sync_now` syncs. `first` is the lowest sequence of the shard.
    Blocks for reading the past, seconds per million items, and for some syncs. Raises AlreadyRunning where somebody
    holds the shard, SendConflict where the folder belongs to another run or configuration, StorageFull where the disk
    is full, JournalBroken where it refuses otherwise or a segment is gone.
    """
    lock = _lock(fs, folder, shard)
    try:
        boot = fs.boot_id(folder) if boot_id is None else boot_id
        device = fs.device(folder)
        state = read_state(folder, shard, boot, device, config_sha256=config_sha256, run_id=run_id, first=first, fs=fs)
        epoch = max((segment.epoch for segment in segments_among(fs.names(folder), shard)), default=0) + 1
        header = JournalHeader(run_id, shard, epoch, fencing_token, config_sha256, boot, device, started_at_ms)
        part = _begin(fs, folder, header, state)
    except OSError as error:
        fs.close(lock)
        raise broken(error, f"open the journal in {folder}") from error
    except BaseException:
        fs.close(lock)
        raise
    return Journal(fs, folder, header, state, part=part, lock=lock, sync_interval_s=sync_interval_s)


def _lock(fs: FileSystem, folder: Path, shard: int) -> int:
    try:
        return fs.lock(folder / lock_name(shard))
    except BlockingIOError as error:
        raise AlreadyRunning(
            f"journal: shard {shard} in {folder} is being sent by another process; wait until it ends, or stop it"
        ) from error
    except OSError as error:
        raise broken(error, f"lock the journal in {folder}") from error


def _begin(fs: FileSystem, folder: Path, header: JournalHeader, state: ResumeState) -> Part:
    void = _sync_chain(fs, folder, header.shard)
    part = Part.create(fs, folder, header)
    try:
        part.sync()
        fs.sync_folder(folder)
        fs.sync_folder(folder.parent)
        for segment in void:
            _repeat(fs, folder / segment.name, part)
        if void:
            part.sync()
        if state.power_lost and state.doubt:
            lines = (doubt_line(sequence, known.attempt, known.at_ms) for sequence, known in state.doubt.items())
            part.write("".join(lines).encode())
            part.sync()
        part.write(opened_line().encode())
        part.sync()
        fs.mark(folder / part.segment.opened_name)
        for segment in void:
            fs.remove(folder / segment.void_name)
    except OSError:
        part.discard()
        raise
    return part


def _sync_chain(fs: FileSystem, folder: Path, shard: int) -> list[Segment]:
    """Makes the older segments durable and returns the void ones; one whose sync fails becomes void."""
    names = fs.names(folder)
    void = []
    for segment in segments_among(names, shard):
        if segment.void_name in names:
            void.append(segment)
            continue
        try:
            fs.sync_file(folder / segment.name)
        except OSError:
            with suppress(OSError):
                fs.mark(folder / segment.void_name)
            raise
    return void


def _repeat(fs: FileSystem, path: Path, part: Part) -> None:
    """Writes what a void segment says of items once more; its windows are durable or were never used."""
    lines: list[bytes] = []
    for _, line in lines_of(fs.read(path)):
        if line.startswith(_OF_ITEMS) and checked(line):
            lines.append(line + b"\n")
        if len(lines) >= REPEATED_AT_ONCE:
            part.write(b"".join(lines))
            lines.clear()
    part.write(b"".join(lines))
