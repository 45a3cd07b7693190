"""Pieces of Markdown, and what the source says below the members of an enumeration."""

import ast
import inspect
import textwrap
from collections.abc import Iterable, Sequence
from enum import Enum

MADE = "<!-- Made by `make docs` from the program's own tables. Change those, not this page. -->"


def page(title: str, *blocks: str) -> str:
    return "\n\n".join([MADE, f"# {title}", *(block.strip() for block in blocks if block.strip())]) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    made = [list(map(cell, row)) for row in rows]
    if not made:
        return ""
    lines = [list(head), ["---"] * len(head), *made]
    return "\n".join("|" + "|".join(f" {text} " if text != "---" else text for text in line) + "|" for line in lines)


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def paragraph(text: str, width: int = 120) -> str:
    return textwrap.fill(" ".join(text.split()), width, break_long_words=False, break_on_hyphens=False)


def member_notes(kind: type[Enum]) -> dict[str, str]:
    """Member → the text below it in the source; members without one are left out."""
    (body,) = (node.body for node in ast.parse(inspect.getsource(kind)).body if isinstance(node, ast.ClassDef))
    notes, last = {}, ""
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            last = node.targets[0].id
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and last:
            notes[last] = " ".join(str(node.value.value).split())
    return notes
