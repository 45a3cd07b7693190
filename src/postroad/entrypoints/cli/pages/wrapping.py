"""Lines and columns of a terminal, in which a Chinese character takes two places and may end a line anywhere."""

import re
from unicodedata import east_asian_width

_WIDE = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef“”"
_PIECES = re.compile(rf"[（“]?[^\s{_WIDE}]+|[（“]?[{_WIDE}]|\s+")
_NEVER_FIRST = "，。；：、）”"


def width_of(text: str) -> int:
    """Places that `text` takes on a terminal."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def padded(text: str, width: int) -> str:
    return text + " " * max(0, width - width_of(text))


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most `width` places; a longer word has a line of its own, a mark may stand out by its width."""
    lines, line = [], ""
    for piece in _PIECES.findall(text):
        fits = width_of(line + piece.rstrip()) <= width
        if fits or not line or piece in _NEVER_FIRST:
            line += piece if line or not piece.isspace() else ""
            continue
        lines.append(line.rstrip())
        line = "" if piece.isspace() else piece
    return [*lines, line.rstrip()] if line or not lines else lines


def columns(rows: list[tuple[str, str]], width: int, *, left_max: int = 30, indent: int = 2) -> list[str]:
    """Two columns; an entry wider than the left one stands on a line above its text."""
    left = min(left_max, max((width_of(name) for name, _text in rows), default=0))
    made = []
    for name, text in rows:
        first, *rest = wrapped(text, max(20, width - indent - left - 2))
        if width_of(name) > left:
            made.append(" " * indent + name)
            rest = [first, *rest]
        else:
            made.append((" " * indent + padded(name, left) + "  " + first).rstrip())
        made += [" " * (indent + left + 2) + line for line in rest]
    return made
