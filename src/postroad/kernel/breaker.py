"""A circuit that opens after failures in a row and lets one trial through after a while.

CLOSED → OPEN(until) → HALF_OPEN → CLOSED. Several instances may report at once: each step is one statement, so the
circuit opens and closes once, and whoever made it flip is told so. Source: states of the account circuit.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    Column,
    Integer,
    PrimaryKeyConstraint,
    RowMapping,
    Table,
    Text,
    and_,
    delete,
    or_,
    select,
    update,
)

from postroad.kernel.tables import insert_for, metadata, millis, workspace_column
from postroad.kernel.uow import Reading, UnitOfWork


class CircuitState(StrEnum):
    CLOSED = "CLOSED"
    OPEN = "OPEN"
    HALF_OPEN = "HALF_OPEN"
    """The cooldown is over: one trial is let through."""


@dataclass(frozen=True, slots=True)
class CircuitKey:
    workspace_id: str
    subject: str
    """Such as `account:<id>`."""


@dataclass(frozen=True, slots=True)
class CircuitRule:
    failures: int
    """In a row, to open."""
    cooldown_ms: int
    """From open until one trial is let through; also how long a trial may take."""


@dataclass(frozen=True, slots=True)
class Circuit:
    state: CircuitState
    failures: int
    open_until_ms: int | None


circuits = Table(
    "circuits",
    metadata,
    workspace_column(),
    Column("subject", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("failures", Integer, nullable=False),
    millis("open_until_ms", nullable=True),
    millis("updated_at_ms"),
    PrimaryKeyConstraint("workspace_id", "subject"),
)
_T = circuits.c
_S = CircuitState


def state(reading: Reading, key: CircuitKey) -> Circuit:
    """A circuit that nobody reported to is closed."""
    row = reading.connection.execute(select(circuits).where(*_same(key))).mappings().first()
    return Circuit(_S.CLOSED, 0, None) if row is None else _circuit(row, reading.now_ms)


def admit(uow: UnitOfWork, key: CircuitKey, rule: CircuitRule) -> bool:
    """Whether work may begin. Behind an open circuit whose cooldown is over exactly one caller gets True: the trial."""
    if state(uow, key).state is _S.CLOSED:
        return True
    statement = (
        update(circuits)
        .where(*_same(key), _T.state != _S.CLOSED, _T.open_until_ms <= uow.now_ms)
        .values(state=_S.HALF_OPEN, open_until_ms=uow.now_ms + rule.cooldown_ms, updated_at_ms=uow.now_ms)
        .returning(_T.subject)
    )
    return uow.connection.execute(statement).first() is not None


def record_failure(uow: UnitOfWork, key: CircuitKey, rule: CircuitRule) -> bool:
    """Counts one failure. True for the one caller whose failure opened the circuit, also again after a trial."""
    opens = uow.now_ms + rule.cooldown_ms
    counted = (
        insert_for(uow.dialect_name, circuits)
        .values(
            workspace_id=key.workspace_id,
            subject=key.subject,
            state=_S.CLOSED,
            failures=1,
            open_until_ms=None,
            updated_at_ms=uow.now_ms,
        )
        .on_conflict_do_update(
            index_elements=[_T.workspace_id, _T.subject],
            set_={"failures": _T.failures + 1, "updated_at_ms": uow.now_ms},
        )
    )
    uow.connection.execute(counted)
    flipped = (
        update(circuits)
        .where(*_same(key), or_(_T.state == _S.HALF_OPEN, and_(_T.state == _S.CLOSED, _T.failures >= rule.failures)))
        .values(state=_S.OPEN, open_until_ms=opens, updated_at_ms=uow.now_ms)
        .returning(_T.subject)
    )
    return uow.connection.execute(flipped).first() is not None


def record_success(uow: UnitOfWork, key: CircuitKey) -> bool:
    """Forgets the failures. True for the one caller whose success closed a circuit that was not closed."""
    return reset(uow, key)


def reset(uow: UnitOfWork, key: CircuitKey) -> bool:
    """Closes the circuit by hand. True where it was not closed."""
    statement = delete(circuits).where(*_same(key)).returning(_T.state)
    before = uow.connection.execute(statement).scalar_one_or_none()
    return before is not None and before != _S.CLOSED


def _circuit(row: RowMapping, now_ms: int) -> Circuit:
    kept = _S(row["state"])
    until = row["open_until_ms"]
    over = kept is _S.OPEN and until is not None and until <= now_ms
    return Circuit(_S.HALF_OPEN if over else kept, row["failures"], until)


def _same(key: CircuitKey) -> tuple[Any, ...]:
    return (_T.workspace_id == key.workspace_id, _T.subject == key.subject)
