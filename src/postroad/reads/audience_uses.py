"""Snapshots of audiences that runs under way still send from."""

from collections.abc import Sequence

from sqlalchemy import or_, select

from postroad.kernel.uow import Reading
from postroad.modules.runs._tables import run_snapshots, runs
from postroad.vocabulary.transitions import RUN_FINAL


def snapshots_needed_by_runs(reading: Reading, snapshot_ids: Sequence[str]) -> frozenset[str]:
    """Those of the snapshots. The need of a run ends with its results.

    How long its recipients can be sent to again is another matter: as long as the snapshot is kept after that.
    """
    statement = (
        select(run_snapshots.c.audience_snapshot_id)
        .join(runs, runs.c.id == run_snapshots.c.run_id)
        .where(
            run_snapshots.c.audience_snapshot_id.in_(snapshot_ids),
            or_(runs.c.state.not_in(sorted(RUN_FINAL)), runs.c.results_wanted),
        )
        .distinct()
    )
    return frozenset(reading.connection.execute(statement).scalars())
