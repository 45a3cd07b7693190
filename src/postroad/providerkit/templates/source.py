"""Reading a template's source: is it only text and `{{ field }}`, or does it need an interpreter?"""

import re
from dataclasses import dataclass

_HOLE = re.compile(r"\{\{\s*([^\W\d]\w*)\s*\}\}")
_MARKERS = ("{{", "}}", "{%", "{#")
_WORDS = frozenset(
    word
    for words in (
        ("true", "false", "none", "True", "False", "None"),
        ("not", "and", "or", "in", "is", "if", "else"),
        ("loop", "self", "super", "fields", "range", "dict", "namespace", "debug"),
    )
    for word in words
)
"""Names with a meaning of their own in the interpreter."""


@dataclass(frozen=True, slots=True)
class Segments:
    """`literals[0] names[0] literals[1] … literals[n]`: always one literal more than names."""

    literals: tuple[str, ...]
    names: tuple[str, ...]


def has_markers(source: str) -> bool:
    """False where `source` is plain text that no recipient can change."""
    return "{{" in source or "{%" in source or "{#" in source


def segments(source: str) -> Segments | None:
    """The pieces of a simple template; None where it needs an interpreter."""
    pieces = _HOLE.split(source)
    literals, names = tuple(pieces[0::2]), tuple(pieces[1::2])
    if any(marker in literal for literal in literals for marker in _MARKERS):
        return None
    if any(name in _WORDS for name in names):
        return None
    return Segments(literals, names)
