"""Lists and single things."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rich.table import Table

from postroad.entrypoints.cli.remote.access.service import Listed, Wire
from postroad.entrypoints.cli.remote.show.cells import block, cell
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say


@dataclass(frozen=True, slots=True)
class Column:
    heading: str
    of: Callable[[Wire], object]
    """The value of one entry."""
    folds: bool = True
    """Whether it may go on in a second line."""


def name_column() -> Column:
    return Column(say("name"), lambda one: one["name"], folds=False)


def listing(found: Listed, columns: Iterable[Column], command: Sequence[str], *, as_json: bool) -> None:
    """A page of a list. `command` is the command line, to say how the list goes on."""
    if as_json:
        page = {"nextCursor": found.next_cursor, "hasMore": found.next_cursor is not None}
        console.print_json({"items": found.items, "page": page})
        return
    if not found.items:
        console.tell(say("There is nothing here."), "dim")
        return
    rows(found.items, columns)
    if found.next_cursor is not None:
        console.tell(say("More: {command}", command=_going_on(command, found.next_cursor)), "dim")


def rows(items: Iterable[Wire], columns: Iterable[Column]) -> None:
    """A table on standard output."""
    console.results.print(_table(items, columns))


def to_people(items: Iterable[Wire], columns: Iterable[Column]) -> None:
    """A table among the notices."""
    console.people.print(_table(items, columns))


def _table(items: Iterable[Wire], columns: Iterable[Column]) -> Table:
    shown = list(columns)
    table = console.plain_table(*(column.heading for column in shown))
    for place, column in enumerate(shown):
        table.columns[place].no_wrap = not column.folds
    for item in items:
        table.add_row(*(cell(column.of(item)) for column in shown))
    return table


def done(line: str, value: object, *, as_json: bool) -> None:
    """What was done, and the answer itself for programs."""
    console.tell(line, "green")
    if as_json:
        console.print_json(value)


def facts(pairs: Iterable[tuple[str, object]]) -> None:
    """Names and values; those without a value are left out."""
    table = console.plain_table("", "")
    for name, value in pairs:
        if value not in (None, ""):
            table.add_row(name, cell(value))
    console.results.print(table)


def document(heading: str, value: object) -> None:
    """A configuration or a content as YAML, as it can be given back."""
    import yaml

    if not value:
        return
    text = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=console.results.width)
    console.results.print(f"\n{heading}", style="dim")
    console.results.print(block(text), markup=False)


def _going_on(command: Sequence[str], cursor: str) -> str:
    words = list(command)
    if "--cursor" in words:
        at = words.index("--cursor")
        del words[at : at + 2]
    words = [word for word in words if not word.startswith("--cursor=")]
    return " ".join(map(console.typed, ["postroad", *words, "--cursor", cursor]))
