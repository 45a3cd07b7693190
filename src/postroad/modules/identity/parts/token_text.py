"""The form of an API token: `pst_`, 42 random base62 characters, 6 characters of CRC32 over those 42.

The checksum lets a scanner of leaked secrets be sure, and lets us refuse a mistyped or invented token before anything
is read from the database. The 42 characters hold 250 bits, so the digest we keep needs no slow hash. The underscore
makes a double click select the whole. Source: design of tokens; the scheme is the one of GitHub's tokens.
"""

import hashlib
import re
import zlib
from collections.abc import Callable

PREFIX = "pst_"
SHOWN_CHARACTERS = 12
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM_CHARACTERS = 42
_CHECK_CHARACTERS = 6
_FORM = re.compile(rf"{PREFIX}([0-9A-Za-z]{{{_RANDOM_CHARACTERS}}})([0-9A-Za-z]{{{_CHECK_CHARACTERS}}})")
_FAIR = len(_ALPHABET) * (256 // len(_ALPHABET))
"""Bytes from here on would make the first characters of the alphabet likelier; they are thrown away."""


def new_token(entropy: Callable[[int], bytes]) -> str:
    """A token nobody has seen. `entropy(n)` gives n bytes fit for keys."""
    letters: list[str] = []
    while len(letters) < _RANDOM_CHARACTERS:
        letters += [_ALPHABET[byte % len(_ALPHABET)] for byte in entropy(64) if byte < _FAIR]
    body = "".join(letters[:_RANDOM_CHARACTERS])
    return PREFIX + body + _checksum(body)


def is_token(text: str) -> bool:
    """Whether the text can be a token of ours at all: form and checksum. Says nothing about whether it exists."""
    found = _FORM.fullmatch(text)
    return found is not None and _checksum(found[1]) == found[2]


def shown_part(token: str) -> str:
    """What lists show, so that people recognise a token."""
    return token[:SHOWN_CHARACTERS]


def digest_of(secret: str) -> str:
    """What is kept of a token, a session or a code: its SHA-256 in hexadecimal."""
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()


def _checksum(body: str) -> str:
    number = zlib.crc32(body.encode())
    digits = ""
    while number:
        number, rest = divmod(number, len(_ALPHABET))
        digits = _ALPHABET[rest] + digits
    return digits.rjust(_CHECK_CHARACTERS, _ALPHABET[0])
