"""Characters that nobody sees: white space, zero-width characters, direction marks.

They come with numbers copied from chat programs and with files saved twice; left in place they make a header unknown
and a phone number wrong.
"""

import re

_INVISIBLE = "\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
_SPACE = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
EDGES = _SPACE + _INVISIBLE
_HAS_INVISIBLE = re.compile(f"[{_INVISIBLE}]")
_NO_HEADER_CHARACTER = re.compile(f"[{_INVISIBLE}\\x00-\\x08\\x0e-\\x1f\\x7f]")


def holds_invisible(text: str, utf8: bytes) -> bool:
    """A quick no for most texts: all these characters begin with three bytes of UTF-8 that are not common together."""
    return (
        (b"\xe2" in utf8 and _HAS_INVISIBLE.search(text) is not None)
        or (b"\xef" in utf8 and "\ufeff" in text)
        or (b"\xe1" in utf8 and "\u180e" in text)
    )


def trimmed(text: str) -> str:
    return text.strip(EDGES)


def header_name(text: str) -> str:
    """A column name: nothing invisible inside, one space for any run of white space."""
    return " ".join(_NO_HEADER_CHARACTER.sub("", text).split())
