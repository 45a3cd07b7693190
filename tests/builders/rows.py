"""Rows of any table with what a test cares about; every other column gets the emptiest value it takes."""

import itertools
from typing import Any

from sqlalchemy import BigInteger, Boolean, Integer, LargeBinary, Table, insert

from postroad.kernel.tables import Json
from postroad.kernel.uow import UnitOfWork

_IDS = itertools.count(1)


def add_row(uow: UnitOfWork, table: Table, **given: Any) -> str:
    """The id of the new row."""
    values = {column.name: _empty(column.type) for column in table.columns if not column.nullable}
    values["id"] = f"row-{next(_IDS)}"
    values |= given
    uow.connection.execute(insert(table).values(**values))
    return str(values["id"])


def _empty(kind: object) -> Any:
    if isinstance(kind, Json):
        return {}
    if isinstance(kind, Boolean):
        return False
    if isinstance(kind, Integer | BigInteger):
        return 0
    return b"" if isinstance(kind, LargeBinary) else ""
