"""Files that travel with a mail. A path is always below the folder of the job; nothing else of the machine can be sent.

A fixed file is read and encoded once per run. A row's own file is looked at while the mail is made, so that a missing
one is found by the dry run, and read while the mail is sent, piece by piece, so that waiting mails hold no files in
memory.
"""

import asyncio
import mimetypes
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

from postroad.providers.smtp.mail.mime import LINE_BYTES, base64_length, base64_lines

_PIECE_BYTES = LINE_BYTES * 2300
"""About 128 KiB, a whole number of base64 lines."""


class FileUnusable(Exception):
    """Says why a file cannot be sent, naming it as the configuration or the row does."""


@dataclass(frozen=True, slots=True)
class AttachedFile:
    path: Path
    shown: str
    size: int

    @property
    def encoded_size(self) -> int:
        return base64_length(self.size)

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """The base64 lines. Raises FileUnusable where the file is gone or has another size than before."""
        read = 0
        try:
            with await asyncio.to_thread(self.path.open, "rb") as file:
                while data := await asyncio.to_thread(file.read, _PIECE_BYTES):
                    read += len(data)
                    yield base64_lines(data)
        except OSError as error:
            raise FileUnusable(f"the attachment {self.shown!r} can no longer be read ({error.strerror})") from None
        if read != self.size:
            raise FileUnusable(f"the attachment {self.shown!r} was changed while it was sent")


@dataclass(frozen=True, slots=True)
class AttachmentFolder:
    """`root` None: no folder was given to this program, and mails with attachments are refused."""

    root: Path | None

    def find(self, path: str) -> AttachedFile:
        """The file at `path` below the folder. Links are followed, but not out of it. Raises FileUnusable."""
        if self.root is None:
            raise FileUnusable("attachments need a job folder, and this program was started without one")
        if not path or "\0" in path:
            raise FileUnusable("the path of the attachment is empty or holds a NUL")
        try:
            root = self.root.resolve(strict=True)
            found = (root / path).resolve(strict=True)
            if not found.is_relative_to(root) or not found.is_file():
                raise FileUnusable(f"the attachment {path!r} is no file below the job's folder")
            return AttachedFile(found, path, found.stat().st_size)
        except OSError:
            raise FileUnusable(f"the attachment {path!r} does not exist below the job's folder") from None

    def read(self, path: str, at_most: int) -> bytes:
        """The whole file. Raises FileUnusable."""
        found = self.find(path)
        if found.encoded_size > at_most:
            raise FileUnusable(f"the attachment {path!r} has {found.size} bytes, too many for a mail of {at_most}")
        try:
            return found.path.read_bytes()
        except OSError as error:
            raise FileUnusable(f"the attachment {path!r} cannot be read ({error.strerror})") from None


def media_type(name: str) -> str:
    return mimetypes.guess_type(name, strict=True)[0] or "application/octet-stream"
