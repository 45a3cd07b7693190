"""CSV cells that a spreadsheet program cannot take for a formula.

A cell that begins with `= + - @`, their full-width forms, TAB, CR or LF gets an apostrophe in front; so does a cell
that begins with an apostrophe, which makes the rule reversible: remove one leading apostrophe and you have the
original. Source: OWASP, CSV Injection.
"""

import re

_RISKY = "=+\\-@\uff1d\uff0b\uff0d\uff20\t\r\n'"
_RISKY_START = re.compile(f"[{_RISKY}]")


def safe_cell(text: str) -> str:
    return f"'{text}" if _RISKY_START.match(text) else text


def original_cell(text: str) -> str:
    return text.removeprefix("'")


def safe_cell_sql(expression: str) -> str:
    """The same rule for a text expression of DuckDB."""
    risky = _RISKY.replace("'", "''").replace("\t", "\\t").replace("\r", "\\r").replace("\n", "\\n")
    return f"CASE WHEN regexp_matches({expression}, '^[{risky}]') THEN '''' || {expression} ELSE {expression} END"
