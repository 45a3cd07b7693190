"""Bytes into text: a mark at the start, strict UTF-8, UTF-16 by its zero bytes, else GB18030.

Chinese office programs save CSV in GB18030 without saying so. Such a file stops being UTF-8 at its first Chinese
character, so the guess is taken where UTF-8 first fails: plain ASCII before means GB18030, real UTF-8 characters before
mean a UTF-8 file with damaged bytes. Damaged bytes become surrogates, which reject their row and no other.
"""

import codecs
import io
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
        return Encoding(name, False, marked[1] if marked and marked[0].startswith(name) else 0)
    if marked is not None:
        return Encoding(marked[0], False, marked[1])
    wide = _wide_without_mark(start)
    if wide is not None:
        return Encoding(wide, True)
    return Encoding(_utf8_or_gb18030(path), True)


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
    except LookupError:
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
    ascii_so_far = True
    with path.open("rb") as file:
        while True:
            piece = file.read(CHUNK_BYTES)
            try:
                decoder.decode(piece, final=not piece)
            except UnicodeDecodeError as error:
                good = error.object[: error.start]
                return "gb18030" if ascii_so_far and good.isascii() else "utf-8"
            if not piece:
                return "utf-8"
            ascii_so_far = ascii_so_far and piece.isascii()
