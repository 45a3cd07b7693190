"""Rows that people give a name to: what the stores of accounts, messages, audiences, jobs and schedules say alike.

Such a table has the columns workspace_id, id, name_key, status and created_at_ms, and a unique index that lets one row
of a workspace that is not archived have a name.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from sqlalchemy import ColumnElement, Table, func, select
from sqlalchemy.exc import IntegrityError

from postroad.kernel.uow import Reading
from postroad.vocabulary.names import name_key
from postroad.vocabulary.refusals import ValidationFailed

ARCHIVED = "ARCHIVED"


class NameFilter(Protocol):
    """What every list of named rows can be narrowed by; `name` is a part of it."""

    @property
    def name(self) -> str | None: ...

    @property
    def created_after_ms(self) -> int | None: ...

    @property
    def created_before_ms(self) -> int | None: ...


def one_row(table: Table, workspace_id: str, row_id: str) -> tuple[ColumnElement[bool], ...]:
    return (table.c.workspace_id == workspace_id, table.c.id == row_id)


def of_name(table: Table, workspace_id: str, name: str) -> tuple[ColumnElement[bool], ...]:
    """The row of this name that is not archived."""
    columns = table.c
    return (columns.workspace_id == workspace_id, columns.name_key == name_key(name), columns.status != ARCHIVED)


def fitting(table: Table, workspace_id: str, wanted: NameFilter) -> list[ColumnElement[bool]]:
    """By workspace, name and time of making. A store adds what is its own; the status is left out, for counting."""
    columns = table.c
    conditions: list[ColumnElement[bool]] = [columns.workspace_id == workspace_id]
    if wanted.name:
        conditions.append(columns.name_key.contains(name_key(wanted.name), autoescape=True))
    if wanted.created_after_ms is not None:
        conditions.append(columns.created_at_ms >= wanted.created_after_ms)
    if wanted.created_before_ms is not None:
        conditions.append(columns.created_at_ms < wanted.created_before_ms)
    return conditions


def count_by_status(reading: Reading, table: Table, conditions: list[ColumnElement[bool]]) -> dict[str, int]:
    statement = select(table.c.status, func.count()).where(*conditions).group_by(table.c.status)
    return {row[0]: row[1] for row in reading.connection.execute(statement)}


@contextmanager
def names_are_unique(kind: str) -> Iterator[None]:
    """Turns the refusal of the index into ValidationFailed. `kind` is what people call such a row."""
    try:
        yield
    except IntegrityError as error:
        said = f"name: another {kind} has this name; choose another one, or archive that {kind}"
        raise ValidationFailed.of("name", "NAME_TAKEN", said) from error
