"""Old events of ended runs are deleted; what became of the run stays in its row."""

from postroad.kernel.uow import UnitOfWork
from postroad.modules.runs.store import record_rows


def delete_old_events(uow: UnitOfWork, before_ms: int, limit: int = 2_000) -> int:
    """Deletes about `limit` events that are older; how many runs lost some. Call again while it gives more than 0.

    A reader that asks for deleted events afterwards is told that its cursor has expired.
    """
    return len(record_rows.delete_events_before(uow.connection, before_ms, limit))
