"""One reply of a mail server, as RFC 5321 §4.2 writes it: a three-digit code, one or more lines, and perhaps an
enhanced code (RFC 2034) at the start of the text.

Reply texts often repeat the address they speak of. `redacted` is what may go into a summary: one line, short, local
parts masked.
"""

import re
from dataclasses import dataclass

_ENHANCED = re.compile(r"^([245])\.(\d{1,3})\.(\d{1,3})(?=\s|$)")
_ADDRESS = re.compile(r"[^\s<>@,;:\"'()]+@(?=[^\s<>@]+)")
_QUEUED = re.compile(r"\bqueued(?: mail)?(?: as| with id|:)\s+<?([\w.@+-]{3,80})|\bid=([\w.+-]{3,80})", re.I)
_SUMMARY_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Reply:
    code: int
    lines: tuple[str, ...]

    @property
    def enhanced(self) -> str:
        """`5.1.1`, or empty where the server gave none or one of another class than its basic code."""
        found = _ENHANCED.match(self.lines[0])
        if found is None or int(found[1]) != self.code // 100:
            return ""
        return found[0]

    @property
    def text(self) -> str:
        return " ".join(self.lines)

    @property
    def label(self) -> str:
        """`550 5.1.1`: the code a result carries."""
        return f"{self.code} {self.enhanced}".rstrip()

    @property
    def queue_id(self) -> str:
        """The id under which the server says it keeps the message, or empty."""
        found = _QUEUED.search(self.text)
        return (found[1] or found[2]) if found else ""

    @property
    def redacted(self) -> str:
        return redacted(f"{self.code} {self.text}")


def redacted(text: str) -> str:
    """`text` as one short printable line without local parts of addresses."""
    shown = "".join(letter if letter.isprintable() else " " for letter in _ADDRESS.sub("***@", text))
    shown = " ".join(shown.split())
    return shown if len(shown) <= _SUMMARY_LENGTH else shown[: _SUMMARY_LENGTH - 1] + "…"
