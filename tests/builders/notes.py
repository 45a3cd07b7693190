"""Two small tables for tests of transactions: notes, and counters that must add up."""

from sqlalchemy import BigInteger, Column, Integer, Table, Text, insert, select, update

from postroad.kernel.authz import Principal
from postroad.kernel.tables import id_column, json_column, metadata
from postroad.kernel.uow import Reading, UnitOfWork

SYSTEM = Principal.system("test")

notes = Table(
    "test_notes",
    metadata,
    id_column(),
    Column("text", Text, nullable=False),
    json_column("body", nullable=True),
)
counters = Table(
    "test_counters",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Integer, nullable=False),
    Column("big", BigInteger, nullable=False),
)


def add_note(uow: UnitOfWork, text: str, body: object = None) -> str:
    note_id = uow.new_id()
    uow.connection.execute(insert(notes).values(id=note_id, text=text, body=body))
    return note_id


def texts(reading: Reading) -> list[str]:
    """In the order of their ids: the order in which they were made."""
    return list(reading.connection.scalars(select(notes.c.text).order_by(notes.c.id)))


def set_counter(uow: UnitOfWork, name: str, value: int) -> None:
    uow.connection.execute(insert(counters).values(name=name, value=value, big=value))


def move(uow: UnitOfWork, source: str, target: str, amount: int = 1) -> None:
    """Reads both, locked, then writes both: a lost update would show."""
    for name, change in sorted({source: -amount, target: amount}.items()):
        value = uow.connection.scalar(select(counters.c.value).where(counters.c.name == name).with_for_update())
        uow.connection.execute(update(counters).where(counters.c.name == name).values(value=(value or 0) + change))


def bump(uow: UnitOfWork, name: str) -> None:
    uow.connection.execute(update(counters).where(counters.c.name == name).values(value=counters.c.value + 1))


def values(reading: Reading) -> dict[str, int]:
    return {row.name: row.value for row in reading.connection.execute(select(counters.c.name, counters.c.value))}
