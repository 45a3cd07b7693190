"""One open segment file: its size, the room reserved behind it, and what an error did to it."""

from contextlib import suppress
from pathlib import Path

from postroad.journal.faults import NO_ROOM, ShortWrite
from postroad.journal.filesystem import FileSystem
from postroad.journal.format import header_line
from postroad.journal.records import JournalHeader
from postroad.journal.segments import Segment

RESERVED_AHEAD_BYTES = 4 << 20


class Part:
    """All methods raise OSError, and leave `size` at the end of the last whole write."""

    def __init__(self, fs: FileSystem, folder: Path, segment: Segment, handle: int) -> None:
        self.segment = segment
        self.size = 0
        self._fs = fs
        self._folder = folder
        self._handle = handle
        self._reserved = 0
        self._may_reserve = True
        self._is_torn = False

    @classmethod
    def create(cls, fs: FileSystem, folder: Path, header: JournalHeader) -> "Part":
        """A new segment with its header written. Raises FileExistsError where the name is taken."""
        segment = Segment(header.shard, header.epoch, header.part)
        part = cls(fs, folder, segment, fs.create(folder / segment.name))
        try:
            part.write(header_line(header).encode())
        except OSError:
            part.discard()
            raise
        return part

    def write(self, data: bytes) -> None:
        if not data:
            return
        self._is_torn = True
        taken = self._fs.write(self._handle, data)
        if taken != len(data):
            raise ShortWrite(taken, len(data))
        self._is_torn = False
        self.size += taken

    def make_room(self, length: int) -> None:
        """Reserves `length` bytes behind the end, some megabytes ahead where there is that much."""
        end = self.size + length
        if end <= self._reserved or not self._may_reserve:
            return
        start = max(self._reserved, self.size)
        try:
            self._reserve(start, end + RESERVED_AHEAD_BYTES)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            self._reserve(start, end)

    def _reserve(self, start: int, end: int) -> None:
        self._may_reserve = self._fs.reserve(self._handle, start, end - start)
        self._reserved = end

    def sync(self) -> None:
        self._fs.sync(self._handle)

    def cut_torn_write(self) -> None:
        """Removes what a failed write left behind the last whole one. Otherwise the reserved room stays ours."""
        if self._is_torn:
            self.free_room()
            self._is_torn = False

    def free_room(self) -> None:
        """Gives back the reserved room."""
        self._fs.truncate(self._handle, self.size)
        self._reserved = 0

    def mark_void(self) -> None:
        """Tells readers of this boot not to believe the page cache of this segment, as far as the disk lets us."""
        with suppress(OSError):
            self._fs.mark(self._folder / self.segment.void_name)

    def close(self) -> None:
        self._fs.close(self._handle)

    def discard(self) -> None:
        """Closes and removes a file that nobody relies upon yet: its page cache may hold what no disk does."""
        with suppress(OSError):
            self.close()
        try:
            self._fs.remove(self._folder / self.segment.name)
        except OSError:
            self.mark_void()
