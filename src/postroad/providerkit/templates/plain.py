"""How a recipient's value looks as text. One rule for every channel and every kind of template.

Text stays as it is; null is empty; a boolean is `true` or `false`; a whole number has no `.0`, however the spreadsheet
stored it; a reference to a file is its path. Numbers that are not numbers are refused.
"""

import math

from postroad.spi import RenderError
from postroad.vocabulary.values import FileRef, RecipientValue

PlainValue = str | int | float | bool | None

_EXACT_END = 2**63
"""Numbers from here on do not pass the interpreter whole; whole floats from here on are written with an exponent."""


def text_of(value: object, field: str = "") -> str:
    """`value` as text. Raises RenderError for NaN and infinity, naming `field`."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if not math.isfinite(value):
            raise RenderError(field, f"field {field!r} holds {value}, which is not a number one can write")
        if value.is_integer() and abs(value) < _EXACT_END:
            return str(int(value))
        return repr(value)
    if isinstance(value, FileRef):
        return value.path
    return str(value)


def plain(value: RecipientValue) -> PlainValue:
    """`value` as something an interpreter may see: never one of our objects, and nothing it would change silently.

    Raises UnicodeEncodeError for half a character.
    """
    if isinstance(value, str):
        if not value.isascii():
            value.encode()
        return value
    if isinstance(value, FileRef):
        return value.path
    if isinstance(value, int) and not -_EXACT_END <= value < _EXACT_END:
        return str(value)
    return value
