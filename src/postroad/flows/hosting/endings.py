"""Runs whose shards have all ended: results are made and kept, then the run ends.

A kill between any two lines leaves a run that is claimed again when its time is over: the folder gives the same files,
the keeper knows those it has, and `end_run` said twice changes nothing.
"""

import logging
from functools import partial

from postroad.flows.hosting.ports import ResultKeeper
from postroad.flows.hosting.shard_parts import ShardParts
from postroad.modules.runs import RunEnd, RunToEnd
from postroad.vocabulary.errors import PostroadError

_LOG = logging.getLogger(__name__)


class Endings:
    def __init__(self, parts: ShardParts, keeper: ResultKeeper, worker_id: str) -> None:
        self._parts = parts
        self._keeper = keeper
        self._worker_id = worker_id

    async def end_one(self) -> bool:
        """Ends a run that waits for it; False where none does. What one run cannot do is logged and tried again when
        its time is over, and others go on."""
        claimed = await self._parts.ledger.runs_to_end(self._worker_id)
        for run in claimed:
            try:
                end = await self._parts.ledger.blocking(partial(self._make, run))
                await self._parts.ledger.end_run(end)
            except PostroadError as error:
                _LOG.error(
                    "run %s cannot be ended yet: %s: %s; its journals are kept", run.run_id, error.code, error.message
                )
            else:
                self._parts.place.hide(run.run_id)
                self._parts.budgets.forget(run.run_id)
        return bool(claimed)

    def _make(self, run: RunToEnd) -> RunEnd:
        made = self._parts.place.end(run)
        kept = {name: self._keeper.keep(run, file) for name, file in made.files.items()}
        return RunEnd(run.run_id, made.counts, kept)
