"""Reads the source tree once for the tests of this folder."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "postroad"


@cache
def modules() -> dict[str, ast.Module]:
    """Path below `src/postroad` → its syntax tree."""
    return {
        str(path.relative_to(SOURCE)): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(SOURCE.rglob("*.py"))
    }


def text_of(relative: str) -> str:
    return (SOURCE / relative).read_text(encoding="utf-8")


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for relative, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield relative, node


def dotted(node: ast.expr) -> str:
    """`datetime.datetime.now` for the call target it is, empty for anything that is not a plain dotted name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inside = dotted(node.value)
        return f"{inside}.{node.attr}" if inside else ""
    return ""
