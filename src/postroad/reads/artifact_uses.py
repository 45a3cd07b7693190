"""Files that runs under way still need: the snapshot they send from, the results they send again from."""

import json
from collections.abc import Sequence

from sqlalchemy import or_, select

from postroad.kernel.uow import Reading
from postroad.modules.runs._tables import run_snapshots, runs
from postroad.vocabulary.transitions import RUN_FINAL


def needed_by_runs(reading: Reading, artifact_ids: Sequence[str]) -> frozenset[str]:
    """Those of the artifacts. Looks at the runs of all workspaces that have not ended, or not made their results."""
    statement = (
        select(run_snapshots.c.audience_artifact_id, run_snapshots.c.document, runs.c.source_run_id)
        .join_from(runs, run_snapshots, run_snapshots.c.run_id == runs.c.id)
        .where(or_(runs.c.state.not_in(sorted(RUN_FINAL)), runs.c.results_wanted))
    )
    needed: set[str] = set()
    for row in reading.connection.execute(statement):
        needed.add(row.audience_artifact_id)
        if row.source_run_id:
            source = json.loads(row.document).get("source") or {}
            needed.update((source.get("artifacts") or {}).values())
    return frozenset(needed & set(artifact_ids))
