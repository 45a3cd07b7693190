"""A mail made for one recipient: everything but the two headers that only the sending knows (Message-ID and Date)."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from email import message_from_bytes, policy

from postroad.providers.smtp.mail.addresses import Mailbox
from postroad.providers.smtp.mail.attachments import AttachedFile
from postroad.spi import Preview

_SLICE_BYTES = 131_072
STAMP_BYTES = 200
"""Room for Message-ID and Date in the size that is announced."""


@dataclass(frozen=True, slots=True)
class Letter:
    """`pieces` are dot-stuffed, end in CRLF and begin with the headers. Letters share a fixed attachment."""

    sender: Mailbox
    envelope_from: Mailbox
    to: Mailbox
    copies: tuple[Mailbox, ...]
    pieces: tuple[bytes | AttachedFile, ...]
    size: int

    @property
    def needs_utf8(self) -> bool:
        return any(box.needs_utf8 for box in (self.sender, self.envelope_from, self.to, *self.copies))

    async def stream(self, stamp: bytes) -> AsyncGenerator[bytes, None]:
        """The bytes of DATA without the final dot, headers of this attempt first. Raises FileUnusable."""
        yield stamp
        for piece in self.pieces:
            if isinstance(piece, AttachedFile):
                async with aclosing(piece.pieces()) as parts:
                    async for part in parts:
                        yield part
            else:
                for at in range(0, len(piece), _SLICE_BYTES):
                    yield piece[at : at + _SLICE_BYTES]
                    await asyncio.sleep(0)

    def preview(self, warnings: tuple[str, ...]) -> Preview:
        """Read back from the very bytes that would be sent. Lines end in LF, as a person's files do."""
        raw = b"".join(piece for piece in self.pieces if isinstance(piece, bytes))
        mail = message_from_bytes(raw.replace(b"\r\n..", b"\r\n."), policy=policy.default)
        parts = {name.lower(): str(value) for name, value in mail.items() if name.lower() not in _STRUCTURE}
        hidden = self.hidden_copies(parts.get("cc", ""))
        if hidden:
            parts["bcc"] = ", ".join(hidden)
        for kind in ("plain", "html"):
            body = mail.get_body((kind,))
            if body is not None:
                parts["text" if kind == "plain" else "html"] = str(body.get_content()).replace("\r\n", "\n")
        names = [str(part.get_filename("unnamed")) for part in mail.iter_attachments()]
        if names:
            parts["attachments"] = ", ".join(names)
        return Preview(f"mail to {self.to.address}", parts, 1, self.size, warnings)

    def hidden_copies(self, shown: str) -> Sequence[str]:
        return [box.address for box in self.copies if box.address not in shown]


_STRUCTURE = frozenset({"mime-version", "content-type", "content-transfer-encoding"})
