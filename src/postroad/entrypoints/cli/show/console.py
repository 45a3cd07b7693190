"""The two ways out of the program. With `--json` only one object goes to standard output; people read the other."""

import shlex
import sys
import time
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from postroad.entrypoints.cli.texts import say

_PLAIN = frozenset("@%+=:,./-_")
_WIDE = 500
"""Columns where nobody looks at a screen: files and pipes get whole lines."""
OUTCOME_STYLES = {"succeeded": "green", "failed": "red", "unknown": "yellow", "unsent": "blue", "skipped": "dim"}

people = Console(stderr=True, highlight=False, soft_wrap=True)
"""Everything said along the way: progress, notices, questions."""
results = Console(highlight=False, soft_wrap=True)
"""What was asked for."""
for _console in (people, results):
    if not _console.is_terminal:
        _console.width = _WIDE


def tell(line: str, style: str = "") -> None:
    people.print(Text(line, style=style))


def complain(message: str) -> None:
    """One error, as one line that starts with a fixed word."""
    people.print(Text.assemble((say("error: "), "bold red"), message))


def print_json(value: object) -> None:
    """One line of JSON on standard output; dataclasses as `document` makes them."""
    import orjson

    sys.stdout.write(orjson.dumps(document(value), default=str).decode() + "\n")
    sys.stdout.flush()


def document(value: object) -> object:
    """Dataclasses as JSON has them: their fields in camelCase, everything else as it is."""
    if is_dataclass(value) and not isinstance(value, type):
        return {_camel(part.name): document(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): document(inner) for key, inner in value.items()}
    return [document(inner) for inner in value] if isinstance(value, list | tuple) else value


def fields_of(value: object) -> dict[str, object]:
    made = document(value)
    return made if isinstance(made, dict) else {}


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)


def plain_table(*columns: str) -> Table:
    """A table without frames, as wide as it needs."""
    table = Table(box=None, pad_edge=False, header_style="dim", show_edge=False, show_header=any(columns))
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def duration(seconds: float) -> str:
    """`45 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`."""
    whole = round(seconds)
    for size, unit, rest_size, rest_unit in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // rest_size
            return f"{whole // size} {unit} {rest} {rest_unit}" if rest else f"{whole // size} {unit}"
    return f"{whole} s"


def money(amount: float, currency: str) -> str:
    """Two decimals, or as many as the amount has up to four."""
    whole, _, rest = f"{amount:,.4f}".partition(".")
    return f"{whole}.{rest.rstrip('0'):0<2} {currency}".strip()


def rate(text: str) -> str:
    """`200/1s` as people write it: `200/s`."""
    for long, short in (("/1s", "/s"), ("/1m", "/min"), ("/1h", "/h"), ("/1d", "/d")):
        if text.endswith(long):
            return text.removesuffix(long) + short
    return text


def place(path: Path) -> str:
    """A path as it can be typed here: short where it lies below the working folder."""
    try:
        near = path.relative_to(Path.cwd())
    except (ValueError, OSError):
        near = path
    return typed(str(near))


def typed(word: str) -> str:
    """A word as a shell takes it. Quotes stand only where a shell needs them; Chinese letters need none."""
    return word if word and all(letter.isalnum() or letter in _PLAIN for letter in word) else shlex.quote(word)


def local_minute(at_ms: int) -> str:
    """`2026-11-30 18:05`, as the clock on the wall says."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at_ms / 1000))


def number(value: int) -> str:
    """Thousands apart, with a narrow space."""
    return f"{value:,}".replace(",", "\u202f") if abs(value) >= 10_000 else str(value)
