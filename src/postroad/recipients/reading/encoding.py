"""Bytes into text: a mark at the start, strict UTF-8, UTF-16 by its zero bytes, else GB18030.

Chinese office programs save CSV in GB18030 without saying so. Such a file stops being UTF-8 at one of its first
Chinese characters, so the guess is taken where UTF-8 first fails. Plain ASCII before means GB18030. Characters of three
bytes before, as every Chinese one is in UTF-8, mean a UTF-8 file with damaged bytes. Two-byte characters alone prove
little, since GB18030 makes them by chance (学, 职位, 一): then faults and characters are counted. Damaged bytes become
surrogates, which reject their row and no other.

A file put together from both encodings would be read as GB18030 without a fault, and its UTF-8 rows as other Chinese
words. Cells that are Chinese UTF-8 from edge to edge give it away, and it is refused unless its encoding is given.
"""

import codecs
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from postroad.vocabulary.errors import AudienceInvalid

CHUNK_BYTES = 1 << 18

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHINESE_UTF8 = re.compile(rb"(?<![\x80-\xff])(?:[\xe4-\xe9][\x80-\xbf]{2}){2,}(?![\x80-\xff])")
_LONGEST_LINE = 1 << 16
_WIDER = {"gbk": "gb18030", "gb2312": "gb18030", "cp936": "gb18030", "ascii": "utf-8", "utf-8-sig": "utf-8"}


@dataclass(frozen=True, slots=True)
class Encoding:
    name: str
    guessed: bool
    mark_bytes: int = 0


def find_encoding(path: Path, asked: str | None) -> Encoding:
    """Reads as much of the file as it takes to be sure, in constant memory."""
    with path.open("rb") as file:
        start = file.read(4096)
    marked = next(((name, len(mark)) for mark, name in _MARKS if start.startswith(mark)), None)
    if asked is not None:
        name = _codec(asked)
        if marked is not None and marked[0].startswith(name):
            return Encoding(marked[0], False, marked[1])
        if name in ("utf-16", "utf-32"):
            name = _wide_without_mark(start) or f"{name}-le"
        return Encoding(name, False)
    if marked is not None:
        return Encoding(marked[0], False, marked[1])
    wide = _wide_without_mark(start)
    if wide is not None:
        return Encoding(wide, True)
    name = _utf8_or_gb18030(path)
    if name == "gb18030":
        _refuse_mixture(path)
    return Encoding(name, True)


def decoded(path: Path, encoding: Encoding) -> Iterator[str]:
    """The text in pieces, every line end as one `\\n`."""
    decoder = codecs.getincrementaldecoder(encoding.name)(errors="surrogateescape")
    newlines = io.IncrementalNewlineDecoder(None, translate=True)
    with path.open("rb") as file:
        file.seek(encoding.mark_bytes)
        while piece := file.read(CHUNK_BYTES):
            yield newlines.decode(_decode(decoder, piece, final=False))
        yield newlines.decode(_decode(decoder, b"", final=True), final=True)


def _decode(decoder: codecs.IncrementalDecoder, piece: bytes, *, final: bool) -> str:
    try:
        return decoder.decode(piece, final)
    except UnicodeDecodeError as error:
        raise AudienceInvalid(
            f"the file is not {error.encoding} text; give its encoding, such as utf-8 or gb18030", field="encoding"
        ) from None


def _codec(asked: str) -> str:
    try:
        info = codecs.lookup(asked)
        b"".decode(asked)
        codecs.getincrementaldecoder(asked)("surrogateescape").decode(b"" if "16" in info.name else b"a", True)
    except (LookupError, ValueError, AssertionError):
        raise AudienceInvalid(
            f"encoding {asked!r} is not known; try utf-8, gb18030, big5, utf-16 or shift_jis", field="encoding"
        ) from None
    return _WIDER.get(info.name, info.name)


def _wide_without_mark(start: bytes) -> str | None:
    half = len(start) // 2
    if half == 0:
        return None
    if start[1::2].count(0) > half * 0.3 and start[0::2].count(0) < half * 0.1:
        return "utf-16-le"
    if start[0::2].count(0) > half * 0.3 and start[1::2].count(0) < half * 0.1:
        return "utf-16-be"
    return None


def _utf8_or_gb18030(path: Path) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")()
    two_byte = 0
    with path.open("rb") as file:
        while True:
            piece = file.read(CHUNK_BYTES)
            try:
                text = decoder.decode(piece, final=not piece)
            except UnicodeDecodeError as error:
                if _holds_long(error.object[: error.start].decode()):
                    return "utf-8"
                text = error.object.decode("utf-8", "replace")
                faults = text.count("\ufffd")
                return "gb18030" if faults > two_byte + _foreign(text) - faults else "utf-8"
            if not piece or _holds_long(text):
                return "utf-8"
            two_byte += _foreign(text)


def _holds_long(text: str) -> bool:
    """Whether a character takes three bytes of UTF-8 or more."""
    return not text.isascii() and max(text) > "\u07ff"


def _foreign(text: str) -> int:
    return 0 if text.isascii() else len(text) - len(text.encode("ascii", "ignore"))


def _refuse_mixture(path: Path) -> None:
    line = 1
    for whole_lines in _whole_lines(path):
        found = _CHINESE_UTF8.search(whole_lines)
        if found is not None:
            line += whole_lines.count(b"\n", 0, found.start())
            raise AudienceInvalid(
                f"the file mixes two encodings: most of it is GB18030, but line {line} is UTF-8; save it all in one, "
                "or say which encoding to read it with",
                field="encoding",
            )
        line += whole_lines.count(b"\n")


def _whole_lines(path: Path) -> Iterator[bytes]:
    held = b""
    with path.open("rb") as file:
        while piece := file.read(CHUNK_BYTES):
            lines, newline, held = (held + piece).rpartition(b"\n")
            yield lines + newline
            held = held[-_LONGEST_LINE:]
    yield held
