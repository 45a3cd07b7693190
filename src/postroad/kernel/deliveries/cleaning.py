"""Events go when everybody who had to know of them does, and nobody may ask for a replay any more.

An event goes with its deliveries and receipts, in slices, all in one transaction: there is never a delivery without its
event. A delivery to a required consumer that is not SUCCEEDED or SKIPPED keeps its event, however old: a DEAD one waits
for a person.
"""

from sqlalchemy import bindparam, delete, exists, select

from postroad.kernel.consumers.rows import event_consumers, event_deliveries, event_receipts
from postroad.kernel.outbox import outbox_events
from postroad.kernel.tables import among
from postroad.kernel.uow import UnitOfWork
from postroad.vocabulary.transitions import DONE

_D, _E, _C, _R = event_deliveries.c, outbox_events.c, event_consumers.c, event_receipts.c
_IS_NEEDED = (
    exists()
    .where(_D.event_id == _E.event_id, _D.is_current, _D.state.not_in(sorted(DONE)))
    .where(_C.name == _D.consumer, _C.required)
)
_FINISHED = (
    select(_E.event_id)
    .where(_E.event_id < bindparam("before_id"), _E.occurred_at_ms < bindparam("before_ms"), ~_IS_NEEDED)
    .order_by(_E.event_id)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True, of=outbox_events)
)
_DELETES = tuple(
    delete(table).where(among(table.c.event_id, "events"))
    for table in (event_deliveries, event_receipts, outbox_events)
)


def clean(uow: UnitOfWork, before_ms: int, most: int) -> int:
    """Removes up to `most` events from before that instant that nobody needs; how many."""
    digits = f"{before_ms + 60_000:012x}"
    asked = {"before_id": f"{digits[:8]}-{digits[8:]}", "before_ms": before_ms, "most": most}
    found = uow.connection.execute(_FINISHED, asked).scalars().all()
    if found:
        for statement in _DELETES:
            uow.connection.execute(statement, {"events": found})
    return len(found)
