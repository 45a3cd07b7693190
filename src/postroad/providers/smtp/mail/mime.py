"""The bytes of a mail, piece by piece: header lines, text parts, attachments, and the boundaries between them.

Laid out by hand over the standard library's codecs, because what one run shares (headers, text without fields, fixed
attachments, the structure) is then encoded once, and one recipient costs tens of microseconds; `EmailMessage` makes
every mail anew and takes about two milliseconds. Everything is 7-bit except addresses that need SMTPUTF8. Text goes as
quoted-printable or base64, whichever is shorter, so no line is ever long and no boundary can occur in a text: our
boundaries hold `=_`, which neither encoding can produce (RFC 2045 §6.7).

Sources: RFC 5322, RFC 2045-2047, RFC 2231, RFC 6532.
"""

import binascii
import re
from collections.abc import Sequence
from urllib.parse import quote

from postroad.providers.smtp.mail.addresses import Mailbox

CRLF = b"\r\n"
LINE_BYTES = 57
"""Bytes that make one base64 line of 76 characters."""

_PLAIN_PHRASE = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]+")
_FOLD_AT = 76
_WORD_FRAME = len("=?utf-8?b??=")
_WORD_OCTETS = 45
_LONGEST_LETTER = 4
_NAME_ROOM = len("Reply-To: ")
_NEXT_MAILBOX = ",\r\n "


def text_header(name: str, value: str) -> bytes:
    """An unstructured header, folded. Outside ASCII, and where a reader could take it for one, an encoded word."""
    if value.isascii() and "=?" not in value and value.isprintable():
        if len(name) + 2 + len(value) <= _FOLD_AT:
            return f"{name}: {value}\r\n".encode()
        if max(map(len, value.split(" "))) < _FOLD_AT and "  " not in value:
            return f"{name}: {_folded(name, value.split(' '))}\r\n".encode()
    return f"{name}: {_encoded_words(value, len(name) + 2)}\r\n".encode()


def verbatim_header(name: str, value: str) -> bytes:
    """A header with a grammar of its own (an id, a URL in brackets); never folded, so keep it under 900 bytes."""
    return f"{name}: {value}\r\n".encode()


def mailbox_header(name: str, mailboxes: Sequence[Mailbox]) -> bytes:
    """An address header; one mailbox a line. UTF-8 stands only in local parts that need it (RFC 6532)."""
    return f"{name}: {_NEXT_MAILBOX.join(map(_mailbox, mailboxes))}\r\n".encode()


def text_part(text: str, subtype: str) -> bytes:
    """A text part with its headers. Line ends become CRLF."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
    raw = text.encode("utf-8", errors="replace")
    if not raw.endswith(CRLF):
        raw += CRLF
    head = f'Content-Type: text/{subtype}; charset="utf-8"\r\nContent-Transfer-Encoding: '.encode()
    foreign = len(raw.translate(None, _ASCII_BYTES))
    if foreign * 6 > len(raw):
        return head + b"base64\r\n\r\n" + base64_lines(raw)
    return head + b"quoted-printable\r\n\r\n" + binascii.b2a_qp(raw, istext=True)


def attachment_head(filename: str, content_type: str) -> bytes:
    """The headers of an attachment; its base64 lines follow. A name outside ASCII goes as RFC 2231 writes it."""
    safe = "".join(sign if sign.isprintable() and sign not in '\\"' else "_" for sign in filename)
    if safe.isascii() and len(safe) <= 60:
        named = f'filename="{safe}"'
    else:
        named = _split_parameter("filename", quote(safe, safe="", encoding="utf-8"))
    return (
        f"Content-Type: {content_type}\r\nContent-Transfer-Encoding: base64\r\n"
        f"Content-Disposition: attachment;\r\n {named}\r\n\r\n"
    ).encode()


def base64_lines(data: bytes) -> bytes:
    """`data` in lines of 76 characters. Pieces join up where each but the last is a multiple of LINE_BYTES."""
    lines = [binascii.b2a_base64(data[at : at + LINE_BYTES], newline=False) for at in range(0, len(data), LINE_BYTES)]
    return CRLF.join(lines) + CRLF if lines else b""


def base64_length(size: int) -> int:
    """How many bytes `base64_lines` makes of `size` bytes."""
    full, rest = divmod(size, LINE_BYTES)
    return full * 78 + ((rest + 2) // 3 * 4 + 2 if rest else 0)


def multipart_head(kind: str, boundary: str) -> bytes:
    return f'Content-Type: multipart/{kind};\r\n boundary="{boundary}"\r\n\r\n'.encode()


def opening(boundary: str) -> bytes:
    return f"--{boundary}\r\n".encode()


def closing(boundary: str) -> bytes:
    return f"--{boundary}--\r\n".encode()


def dot_stuffed(piece: bytes) -> bytes:
    """A dot at the start of a line doubled (RFC 5321 §4.5.2). `piece` must start at the start of a line."""
    made = piece.replace(b"\r\n.", b"\r\n..")
    return b"." + made if made.startswith(b".") else made


_ASCII_BYTES = bytes(range(128))


def _folded(name: str, words: list[str]) -> str:
    lines, room = [""], _FOLD_AT - len(name) - 2
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > room:
            lines.append(word)
            room = _FOLD_AT - 1
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return "\r\n ".join(lines)


def _encoded_words(value: str, used: int = 0) -> str:
    """RFC 2047 words of at most 75 characters; none cuts a letter. `used` characters stand before the first."""
    words: list[str] = []
    chunk, room = b"", (_FOLD_AT - used - _WORD_FRAME) // 4 * 3
    if room < _LONGEST_LETTER:
        return f"\r\n {_encoded_words(value, 1)}"
    for letter in value:
        octets = letter.encode("utf-8", errors="replace")
        if len(chunk) + len(octets) > room:
            words.append(_word(chunk))
            chunk, room = b"", _WORD_OCTETS
        chunk += octets
    return "\r\n ".join([*words, _word(chunk)])


def _word(octets: bytes) -> str:
    return f"=?utf-8?b?{binascii.b2a_base64(octets, newline=False).decode()}?="


def _mailbox(one: Mailbox) -> str:
    if not one.name:
        return one.address
    if _PLAIN_PHRASE.fullmatch(one.name) and "=?" not in one.name and len(one.name) < _FOLD_AT:
        phrase = one.name
    elif one.name.isascii() and one.name.isprintable() and "=?" not in one.name and len(one.name) < _FOLD_AT:
        escaped = one.name.replace("\\", "\\\\").replace('"', '\\"')
        phrase = f'"{escaped}"'
    else:
        phrase = _encoded_words(one.name, 1)
        if len(phrase) > _FOLD_AT - _NAME_ROOM:
            phrase = f"\r\n {phrase}"
    last = phrase.rpartition("\r\n")[2]
    gap = "\r\n " if len(last) + len(one.address) > _FOLD_AT - _NAME_ROOM - 3 else " "
    return f"{phrase}{gap}<{one.address}>"


def _split_parameter(name: str, encoded: str) -> str:
    """RFC 2231 §3: a long value in numbered sections, never cutting a %XX."""
    tokens = re.findall(r"%[0-9A-F]{2}|.", encoded)
    sections, room = [""], 55
    for token in tokens:
        if len(sections[-1]) + len(token) > room:
            sections.append("")
        sections[-1] += token
    if len(sections) == 1:
        return f"{name}*=utf-8''{encoded}"
    return ";\r\n ".join(f"{name}*{i}*={_charset(i)}{part}" for i, part in enumerate(sections))


def _charset(section: int) -> str:
    return "utf-8''" if section == 0 else ""
