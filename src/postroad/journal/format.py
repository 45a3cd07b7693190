"""Records as lines of text, and back.

A line is tab-separated UTF-8: the kind, its fields, and last the CRC-32 (zlib, decimal) of everything before the last
tab. Any tool can read it; `docs/reference/journal.md` lists the columns. Free text is cut to a length, so that the
room a RESULT needs is known before it is written, and escaped: backslash, tab, LF, CR and NUL become `\\\\`, `\\t`,
`\\n`, `\\r`, `\\0`; a comma inside a bucket key becomes `\\c`, because commas part the keys.
"""

import re
from zlib import crc32

from postroad.journal.records import (
    Doubt,
    End,
    Final,
    Intent,
    JournalHeader,
    Opened,
    Record,
    Retry,
    Window,
)
from postroad.vocabulary.errors import JournalBroken
from postroad.vocabulary.outcomes import Outcome

VERSION = 1
CODE_LIMIT = 64
REQUEST_ID_LIMIT = 128
SUMMARY_LIMIT = 300
END_LIMIT = 8_000

RESULT_ROOM_BYTES = 2_560
"""No RESULT line is longer: at most 4 bytes a character, escapes included in the cut, and the numbers."""

END_ROOM_BYTES = 4 * END_LIMIT + 512

_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\0": "\\0", ",": "\\c"}
_ESCAPED = re.compile(r"[\\\t\n\r\x00]")
_ESCAPED_IN_KEY = re.compile(r"[\\\t\n\r\x00,]")
_UNESCAPED = re.compile(r"\\(.)")
_MEANINGS = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r", "0": "\0", "c": ","}


class BadRecord(ValueError):
    """The line is no record of this format."""


def clean(text: str, limit: int) -> str:
    """`text` as it may stand in a field, at most `limit` characters, escapes counted."""
    if not text or (text.isprintable() and "\\" not in text):
        return text[:limit]
    return _cut(_ESCAPED.sub(_escape, _encodable(text)), limit)


def join_keys(keys: tuple[str, ...]) -> str:
    return ",".join(_ESCAPED_IN_KEY.sub(_escape, _encodable(key)) for key in keys)


def split_keys(text: str) -> tuple[str, ...]:
    return tuple(plain(key) for key in text.split(",")) if text else ()


def plain(field: str) -> str:
    """A field as it was before `clean`."""
    return _UNESCAPED.sub(lambda found: _MEANINGS.get(found[1], found[0]), field) if "\\" in field else field


def seal(body: str) -> str:
    """The line of a body: its checksum and the end of line."""
    return f"{body}\t{crc32(body.encode())}\n"


def header_line(header: JournalHeader) -> str:
    names = (header.run_id, header.fencing_token, header.config_sha256, header.boot_id, header.device)
    run_id, token, config, boot, device = (clean(name, 500) for name in names)
    numbers = f"{header.shard}\t{header.epoch}\t{header.part}"
    return seal(f"JOURNAL\t{VERSION}\t{run_id}\t{numbers}\t{token}\t{config}\t{boot}\t{device}\t{header.started_at_ms}")


def opened_line() -> str:
    return seal("OPENED")


def window_line(frontier: int, to: int) -> str:
    return seal(f"WINDOW\t{frontier}\t{to}")


def doubt_line(sequence: int, attempt: int, at_ms: int) -> str:
    return seal(f"DOUBT\t{sequence}\t{attempt}\t{at_ms}")


def end_line(state: str, at_ms: int, text: str) -> str:
    return seal(f"END\t{clean(state, CODE_LIMIT)}\t{at_ms}\t{clean(text, END_LIMIT)}")


def checked(line: bytes) -> list[str] | None:
    """The fields of a line without its end, kind first; None where the checksum or the encoding is wrong."""
    body, _, checksum = line.rpartition(b"\t")
    try:
        return body.decode().split("\t") if int(checksum) == crc32(body) and body else None
    except ValueError:
        return None


def decode(line: bytes) -> Record:
    """The record of one line without its end. Raises BadRecord."""
    fields = checked(line)
    if fields is None:
        raise BadRecord(f"a line of {len(line)} bytes has a wrong checksum")
    try:
        return _record(fields)
    except (ValueError, IndexError) as error:
        raise BadRecord(f"a {fields[0]} line has fields this version cannot read") from error


def check_version(version: str) -> None:
    """Raises JournalBroken for a segment of another format: no guess is safe there."""
    if version != str(VERSION):
        raise JournalBroken(
            f"journal: it is written in format {version}, this program reads format {VERSION}; "
            "resume with the program that wrote it"
        )


def _record(fields: list[str]) -> Record:
    match fields:
        case ["INTENT", sequence, attempt, at_ms, cost, batch, keys]:
            return Intent(int(sequence), int(attempt), int(at_ms), split_keys(keys), plain(batch), int(cost))
        case ["FINAL", sequence, attempt, outcome, category, code, request_id, latency, at_ms, summary]:
            texts = (plain(category), plain(code), plain(request_id))
            verdict = Outcome(outcome)
            return Final(int(sequence), int(attempt), verdict, *texts, int(latency), plain(summary), int(at_ms))
        case ["RETRY", sequence, attempt, due, category, code, left, request_id, latency, summary]:
            numbers = (int(sequence), int(attempt), int(due))
            may_have_left = left == "1"
            why = (plain(category), plain(code))
            return Retry(*numbers, *why, may_have_left, plain(request_id), int(latency), plain(summary))
        case ["WINDOW", frontier, to]:
            return Window(int(frontier), int(to))
        case ["DOUBT", sequence, attempt, at_ms]:
            return Doubt(int(sequence), int(attempt), int(at_ms))
        case ["END", state, at_ms, text]:
            return End(plain(state), int(at_ms), plain(text))
        case ["OPENED"]:
            return Opened()
        case ["JOURNAL", version, run_id, shard, epoch, part, token, config, boot, device, started]:
            check_version(version)
            names = (plain(token), plain(config), plain(boot), plain(device))
            return JournalHeader(plain(run_id), int(shard), int(epoch), *names, int(started), int(part))
    raise ValueError(fields[0])


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _escape(found: re.Match[str]) -> str:
    return _ESCAPES[found[0]]


def _cut(escaped: str, limit: int) -> str:
    """Cuts without leaving half an escape."""
    if len(escaped) <= limit:
        return escaped
    cut = escaped[:limit]
    backslashes = len(cut) - len(cut.rstrip("\\"))
    return cut[:-1] if backslashes % 2 else cut
