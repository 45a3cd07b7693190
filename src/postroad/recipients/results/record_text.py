"""Records of journals as lines of text that DuckDB reads: fields parted by tabs, with the escapes of the journal."""

from collections.abc import Mapping
from pathlib import Path

from postroad.recipients.snapshot_format import literal

TEXTS = ("category", "code", "request_id", "summary")
FINAL: Mapping[str, str] = {
    "sequence": "BIGINT",
    "attempt": "INTEGER",
    "outcome": "VARCHAR",
    "category": "VARCHAR",
    "code": "VARCHAR",
    "request_id": "VARCHAR",
    "latency_ms": "BIGINT",
    "at_ms": "BIGINT",
    "summary": "VARCHAR",
}
"""The fields of a FINAL behind its kind."""


def read_text(path: Path, columns: Mapping[str, str]) -> str:
    """The lines as a table of DuckDB."""
    types = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in columns.items())
    never_null = ", ".join(map(literal, TEXTS))
    return (
        f"read_csv({literal(str(path))}, auto_detect = false, header = false, delim = '\\t', quote = '', escape = '', "
        f"new_line = '\\n', columns = {{{types}}}, force_not_null = [{never_null}])"
    )


def unescaped(expression: str) -> str:
    """A text of the journal without its escapes; chr(0) stands for a backslash meanwhile, it cannot occur."""
    plain = f"replace({expression}, '\\\\', chr(0))"
    for escape, code in ("\\t", 9), ("\\n", 10), ("\\r", 13):
        plain = f"replace({plain}, '{escape}', chr({code}))"
    plain = f"replace(replace({plain}, '\\0', ''), chr(0), '\\')"
    return f"CASE WHEN contains({expression}, '\\') THEN {plain} ELSE {expression} END"
