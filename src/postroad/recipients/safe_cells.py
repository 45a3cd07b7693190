"""CSV cells that a spreadsheet program cannot take for a formula.

A cell that begins with `= + - @`, their full-width forms, TAB, CR or LF gets an apostrophe in front; so does a cell
that begins with an apostrophe, which makes the rule reversible: remove one leading apostrophe and you have the
original. Source: OWASP, CSV Injection.
"""

_RISKY = frozenset("=+-@\uff1d\uff0b\uff0d\uff20\t\r\n'")
_RISKY_CODES = ", ".join(str(ord(character)) for character in sorted(_RISKY))


def safe_cell(text: str) -> str:
    return f"'{text}" if text[:1] in _RISKY else text


def original_cell(text: str) -> str:
    return text.removeprefix("'")


def safe_cell_sql(expression: str) -> str:
    """The same rule for a text expression of DuckDB."""
    return f"CASE WHEN unicode({expression}) IN ({_RISKY_CODES}) THEN '''' || {expression} ELSE {expression} END"
