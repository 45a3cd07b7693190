"""What became of claimed deliveries, written only where the claim still stands.

Every result is guarded by the state SENDING and the claim's fencing token. Whoever comes too late, because the lease
was over and somebody else took the delivery, changes nothing and is told so.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import Insert, bindparam, select, text, update

from postroad.kernel.consumers import Consumer, Verdict
from postroad.kernel.consumers.rows import event_deliveries, event_receipts
from postroad.kernel.tables import among, insert_for
from postroad.kernel.uow import UnitOfWork
from postroad.vocabulary.transitions import DeliveryState

LONGEST_REASON = 200
_D = event_deliveries.c
_IS_MINE = (
    _D.consumer == bindparam("settling"),
    text("event_deliveries.state = 'SENDING'"),
    _D.fencing_token == bindparam("fence"),
)
_LET_GO = {"owner": None, "lease_until_ms": None, "fencing_token": None}
_SUCCEED = (
    update(event_deliveries)
    .where(among(_D.event_id, "events"), *_IS_MINE)
    .values(state=DeliveryState.SUCCEEDED.value, updated_at_ms=bindparam("now"), last_error=None, **_LET_GO)
    .returning(_D.event_id)
)
_FINISH = (
    update(event_deliveries)
    .where(_D.consumer == bindparam("settling"), among(_D.event_id, "events"), _D.is_current)
    .values(
        state=DeliveryState.SUCCEEDED.value, attempts=_D.attempts + 1, updated_at_ms=bindparam("now"), last_error=None
    )
)
_SKIP = (
    update(event_deliveries)
    .where(_D.consumer == bindparam("settling"), among(_D.event_id, "events"), _D.is_current)
    .values(state=DeliveryState.SKIPPED.value)
)
_GIVE_BACK = (
    update(event_deliveries)
    .where(among(_D.event_id, "events"), *_IS_MINE)
    .values(
        state=DeliveryState.PENDING.value,
        attempts=_D.attempts - 1,
        next_attempt_at_ms=bindparam("due"),
        updated_at_ms=bindparam("now"),
        **_LET_GO,
    )
)
_SETTLE = (
    update(event_deliveries)
    .where(_D.event_id == bindparam("settled"), *_IS_MINE)
    .values(
        state=bindparam("becomes"),
        next_attempt_at_ms=bindparam("due"),
        last_error=bindparam("reason"),
        updated_at_ms=bindparam("now"),
        **_LET_GO,
    )
)
_STATES = {
    Verdict.DONE: DeliveryState.SUCCEEDED,
    Verdict.SKIPPED: DeliveryState.SKIPPED,
    Verdict.RETRY: DeliveryState.RETRY_WAIT,
    Verdict.DEAD: DeliveryState.DEAD,
    Verdict.UNKNOWN: DeliveryState.UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class Result:
    event_id: str
    verdict: Verdict
    reason: str
    """A code; cut after `LONGEST_REASON` characters."""
    wait_ms: int
    """With RETRY: until the next attempt."""


def succeed(uow: UnitOfWork, consumer: Consumer, fence: str, event_ids: Sequence[str]) -> frozenset[str]:
    """Marks them done. The ids of those that were still held under `fence`."""
    asked = {"settling": consumer.name, "fence": fence, "events": list(event_ids), "now": uow.now_ms}
    return frozenset(uow.connection.execute(_SUCCEED, asked).scalars())


def finish(uow: UnitOfWork, consumer: Consumer, event_ids: Sequence[str]) -> None:
    """Marks as done what this transaction has locked."""
    uow.connection.execute(_FINISH, {"settling": consumer.name, "events": list(event_ids), "now": uow.now_ms})


def skip(uow: UnitOfWork, consumer: Consumer, event_ids: Collection[str]) -> None:
    """Marks as filtered what `succeed` marked as done in the same transaction."""
    uow.connection.execute(_SKIP, {"settling": consumer.name, "events": list(event_ids)})


def give_back(uow: UnitOfWork, consumer: Consumer, fence: str, event_ids: Sequence[str], due_ms: int) -> None:
    """As if they had never been claimed."""
    asked = {"settling": consumer.name, "fence": fence, "events": list(event_ids), "due": due_ms, "now": uow.now_ms}
    uow.connection.execute(_GIVE_BACK, asked)


def take_receipts(uow: UnitOfWork, consumer: Consumer, event_ids: Collection[str]) -> frozenset[str]:
    """Notes that the consumer has the effect of these events now. The ids of those that it did not have before."""
    asked = {"settling": consumer.name, "events": list(event_ids), "now": uow.now_ms}
    return frozenset(uow.connection.execute(_RECEIPTS[uow.dialect_name], asked).scalars())


def settle(uow: UnitOfWork, consumer: Consumer, fence: str, result: Result) -> bool:
    """Writes the result of one delivery. False where it came too late."""
    asked = {
        "settling": consumer.name,
        "fence": fence,
        "settled": result.event_id,
        "becomes": _STATES[result.verdict].value,
        "due": uow.now_ms + result.wait_ms,
        "reason": result.reason[:LONGEST_REASON] or None,
        "now": uow.now_ms,
    }
    return uow.connection.execute(_SETTLE, asked).rowcount == 1


def _receipts_of(dialect_name: str) -> Insert:
    rows = select(_D.consumer, _D.event_id, bindparam("now").label("received_at_ms")).where(
        _D.consumer == bindparam("settling"), among(_D.event_id, "events"), _D.is_current
    )
    columns = ["consumer", "event_id", "received_at_ms"]
    adding = insert_for(dialect_name, event_receipts).from_select(columns, rows)
    return adding.on_conflict_do_nothing().returning(event_receipts.c.event_id)


_RECEIPTS = {name: _receipts_of(name) for name in ("sqlite", "postgresql")}
