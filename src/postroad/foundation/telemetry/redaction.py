"""What may not be read in a log, a stored answer or an audit line, taken out of text and values.

Three things are looked for: the look of a secret (our tokens and signing secrets, bearer values, JSON web tokens,
private keys, the password in an address), the name before a value (`password=…`, `"token": "…"`, a query parameter, a
header), and names of fields in structured values. What remains is also safe to show: control characters and those that
turn the direction of text are written out as escapes, and nothing is longer than it needs to be.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from math import isfinite

from postroad.vocabulary.secret import MASK, Secret

LONGEST_TEXT = 8192
_LONGEST_LOOK = 4 * LONGEST_TEXT
"""A secret is looked for well past the cut, so that none is shown in half."""
_DEEPEST = 8
_MOST_ITEMS = 200

_TELLING_NAME = (
    r"(?:[\w.-]{0,64}(?:passwords?|passwd|secrets?|tokens?|cookies?|credentials?|api[_-]?keys?|access[_-]?keys?|"
    r"private[_-]?keys?|signing[_-]?keys?|secret[_-]?keys?|signatures?|authorization|x-amz-signature|x-amz-credential)|"
    r"sign|sig|pwd)"
)
_NAME = re.compile(_TELLING_NAME, re.IGNORECASE)
_LOOKS = tuple(
    (re.compile(pattern, flags), shown)
    for pattern, flags, shown in (
        (r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL, MASK),
        (r"\b(pst|whsec)_[A-Za-z0-9+/=_-]{8,}", 0, rf"\1_{MASK}"),
        (r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*", 0, MASK),
        (r"\b(Bearer|Basic|Digest|Negotiate)(\s+)[\w.~+/=:-]{6,}", re.IGNORECASE, rf"\1\2{MASK}"),
        (
            r"\b(authorization|cookie|set-cookie)(\s*[:=]\s*)[^\r\n]+",
            re.IGNORECASE,
            rf"\1\2{MASK}",
        ),
        (r"\b([a-z][a-z0-9+.-]{0,20}://[^\s/:@?#]*):[^\s/@]+@", re.IGNORECASE, rf"\1:{MASK}@"),
        (r"(/bot\d{5,}):[\w-]{20,}", 0, rf"\1:{MASK}"),
        (r"(/hook/)[\w-]{16,}", 0, rf"\1{MASK}"),
    )
)
_QUOTED = re.compile(rf"""(["']{_TELLING_NAME}["']\s*[:=]\s*)(["'])(?:\\.|(?!\2).)*(?:\2|\Z)""", re.IGNORECASE)
_ASSIGNED = re.compile(
    rf"""(?<![\w.-])((?:{_TELLING_NAME}|(?<=[?&])(?:key|code))\s*=\s*)[^\s&"'<>,;)]+""", re.IGNORECASE
)
_PLAIN = re.compile(r"[A-Za-z0-9 .,:{}/+-]*\Z")
_HINT = re.compile(r"eyJ|bearer|basic|digest|negotiate|authorization|cookie|/hook/|/bot|://|-----", re.IGNORECASE)
"""A short text of these letters alone, without a hint, is nothing that any of the patterns below or above finds."""
_SHORT = 256
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether a field of this name holds a secret: `apiToken`, `X-Api-Key`, `smtp_password`; not `tokenId`."""
    return _NAME.fullmatch(name) is not None


def redacted_text(text: str) -> str:
    """`text` without secrets and without characters that a terminal would obey. Line feeds and tabs stay."""
    if len(text) <= _SHORT and _PLAIN.match(text) and not _HINT.search(text):
        return text
    return _searched(text)


def _searched(text: str) -> str:
    total = len(text)
    text = _QUOTED.sub(rf"\1\2{MASK}\2", text[:_LONGEST_LOOK])
    for pattern, shown in _LOOKS:
        text = pattern.sub(shown, text)
    text = _ASSIGNED.sub(rf"\1{MASK}", text)
    text = _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text if total <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}… ({total} characters)"


def redacted(value: object, depth: int = 0) -> object:
    """Plain values (text, numbers, lists, mappings with text keys) of `value`, without secrets."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, Secret):
        return MASK
    if isinstance(value, str):
        return redacted_text(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return f"{len(value)} bytes"
    if depth >= _DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        return {
            redacted_text(str(name)): _of_field(str(name), inner, depth)
            for name, inner in islice(value.items(), _MOST_ITEMS)
        }
    if isinstance(value, list | tuple | set | frozenset):
        return [redacted(inner, depth + 1) for inner in islice(value, _MOST_ITEMS)]
    return redacted_text(str(value))


def _of_field(name: str, value: object, depth: int) -> object:
    if is_secret_name(name) and value is not None and not isinstance(value, bool):
        return MASK
    return redacted(value, depth + 1)
