"""A transaction that breaks off before its n-th statement, for every n, and what the database holds before and after.

    breaking_off_everywhere(databases, principal, work)

proves of a write that it happens as a whole or not at all, whichever step it is interrupted at; in the end it happens.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import event, select

from postroad.kernel.authz import Principal
from postroad.kernel.tables import metadata
from postroad.kernel.uow import Reading, UnitOfWork
from tests.builders.databases import Databases

T = TypeVar("T")


class BrokenOff(Exception):
    """The fault itself."""


def breaking_off_everywhere(
    databases: Databases, principal: Principal, work: Callable[[UnitOfWork], T]
) -> tuple[T, int]:
    """What `work` returned in the end, and at how many places it was broken off before."""
    before = everything(databases)
    broken = 0
    while True:
        try:
            done = databases.database.write(principal, lambda uow, at=broken: _breaking(uow, work, at))
        except BrokenOff:
            broken += 1
            assert everything(databases) == before, f"something is left when it breaks off before statement {broken}"
        else:
            return done, broken


def everything(databases: Databases) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table."""
    return databases.database.read(Principal.system("tests"), _rows)


def _rows(reading: Reading) -> dict[str, list[tuple[Any, ...]]]:
    return {
        table.name: sorted(tuple(map(str, row)) for row in reading.connection.execute(select(table)))
        for table in metadata.sorted_tables
    }


def _breaking(uow: UnitOfWork, work: Callable[[UnitOfWork], T], at: int) -> T:
    left = at

    def count(*_: object) -> None:
        nonlocal left
        if left == 0:
            raise BrokenOff
        left -= 1

    event.listen(uow.connection, "before_cursor_execute", count)
    return work(uow)
