"""`flows.hosting.WorkPlace` over the folders, journals and worker processes of `flows.local_runs`."""

import logging
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from postroad.app.hosting.child import ChildWorker, first_commands
from postroad.app.hosting.exports import Exports
from postroad.engine.pacing import effective_rates
from postroad.flows.hosting import Beginning, FolderEnd, Worker
from postroad.flows.local_runs import (
    AudienceRecord,
    HostedRun,
    HostedSource,
    ShardAccount,
    ShardOrder,
    ShownRuns,
    StandingShard,
    count_as_it_stands,
    end_hosted,
    find_hosted,
    freeze_hosted,
    frozen_plan,
    is_frozen,
    times_spent,
)
from postroad.foundation.home import Home
from postroad.foundation.whole_files import storage_refusals
from postroad.jobfile import Policies, parse_rate
from postroad.modules.artifacts import ArtifactKeeper
from postroad.modules.runs import FROZEN, ORIGINS, RESULTS, LeasedShard, RunPlan, RunToEnd, SourceRun
from postroad.spi import ProviderFactory, Rate
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.errors import PostroadError, StorageFull

_LOG = logging.getLogger(__name__)


class Factories(Protocol):
    def factory(self, provider_id: str) -> ProviderFactory: ...


@dataclass(frozen=True, slots=True)
class RunFolders:
    """`runs` holds a folder for each run, named by its id; the keys of this installation lie in `home`."""

    runs: Path
    home: Home
    files: ArtifactKeeper
    factories: Factories
    networks: tuple[str, ...]
    clock: Clock
    shown: ShownRuns = field(default_factory=ShownRuns)
    _exports: Exports = field(default_factory=Exports)

    def folder_of(self, run_id: str) -> Path:
        return self.runs / run_id

    def ids(self) -> list[str]:
        if not self.runs.is_dir():
            return []
        return [entry.name for entry in os.scandir(self.runs) if entry.is_dir(follow_symlinks=False)]

    def remove(self, run_id: str) -> None:
        folder = self.folder_of(run_id)
        with storage_refusals(folder):
            shutil.rmtree(folder)

    def freeze(self, shard: LeasedShard) -> None:
        """Of a folder that is there nothing else is needed: what it was made of may be gone by then."""
        plan = shard.plan
        if find_hosted(self.folder_of(plan.run_id), plan.run_id, has_begun=shard.has_begun) is None:
            self._freeze(plan)

    def rates(self, plan: RunPlan) -> Mapping[str, Rate]:
        if plan.dry_run:
            return {}
        descriptor = self.factories.factory(plan.provider_id).descriptor
        return effective_rates(Policies.of(plan.policies).rates, descriptor.limits, descriptor.default_rate)

    def parsed_rate(self, text: str) -> Rate:
        return parse_rate(text)

    def spent(self, run_id: str, since_ms: int) -> Iterable[tuple[int, tuple[str, ...], int]]:
        return times_spent(self.folder_of(run_id), since_ms)

    async def start(self, shard: LeasedShard, secrets: Mapping[str, str], beginning: Beginning) -> Worker:
        folder = self.folder_of(shard.plan.run_id)
        order = ShardOrder(
            folder=folder,
            plan=frozen_plan(folder),
            policies=_share(Policies.of(shard.plan.policies), beginning.concurrency),
            shard=shard.number,
            fencing_token=shard.fence.lease_id,
            shares_rate=not shard.plan.dry_run,
            rehearses=shard.plan.dry_run,
            networks=self.networks,
            first=first_commands(shard.posture, beginning),
        )
        return await ChildWorker.start(order, secrets)

    def as_it_stands(self, shard: LeasedShard) -> Counts:
        folder = self.folder_of(shard.plan.run_id)
        if not is_frozen(folder):
            total = shard.end - shard.first
            return Counts(total=total, unsent=total)
        standing = StandingShard(folder, shard.number, shard.plan.dry_run)
        return count_as_it_stands(standing, shard.fence.lease_id, self.clock.now_ms(), self._exports.begun)

    def end(self, run: RunToEnd) -> FolderEnd:
        """Also of a run that nobody began: its results say that nobody was sent to. Without files where even that
        cannot be made, because what it would be made of is gone."""
        folder = self.folder_of(run.run_id)
        if not is_frozen(folder) and run.counts.unsent == run.counts.total:
            try:
                self._freeze(run.plan)
            except StorageFull:
                raise
            except PostroadError as error:
                _LOG.warning("run %s ends without files: %s", run.run_id, error.message)
                return FolderEnd(run.counts, {})
        account = ShardAccount(
            state=run.state,
            reason=run.reason,
            counts=run.counts,
            started_at_ms=run.started_at_ms,
            ended_at_ms=run.ended_at_ms,
            suppressed_errors=run.suppressed_errors,
        )
        end = end_hosted(folder, account, self.home, self._exports.begun)
        return FolderEnd(end.summary.counts, end.files)

    def show(self, plan: RunPlan) -> None:
        self.shown.show(self.folder_of(plan.run_id))

    def hide(self, run_id: str) -> None:
        self.shown.hide(self.folder_of(run_id))

    def give_up(self) -> None:
        self._exports.give_up()
        self.shown.stop()

    def _freeze(self, plan: RunPlan) -> None:
        audience = plan.audience
        with (
            self.files.local_copy(plan.workspace_id, audience.artifact_id) as snapshot,
            self._source(plan.workspace_id, plan.source) as source,
        ):
            freeze_hosted(
                HostedRun(
                    folder=self.folder_of(plan.run_id),
                    run_id=plan.run_id,
                    name=plan.job_name,
                    provider_id=plan.provider_id,
                    provider_version=plan.provider_version,
                    engine_version=plan.engine_version,
                    account=plan.account.config,
                    message=plan.message.content,
                    policies=Policies.of(plan.policies),
                    shards=plan.shards,
                    snapshot=snapshot,
                    audience=AudienceRecord(
                        audience.sha256, audience.rows, audience.count, audience.duplicates, audience.rejected
                    ),
                    frozen_at_ms=plan.frozen_at_ms,
                    source=source,
                )
            )

    @contextmanager
    def _source(self, workspace_id: str, source: SourceRun | None) -> Iterator[HostedSource | None]:
        if source is None:
            yield None
            return
        with ExitStack() as stack:
            names = [name for name in (RESULTS, ORIGINS, FROZEN) if name in source.artifacts]
            files = {
                name: stack.enter_context(self.files.local_copy(workspace_id, source.artifacts[name])) for name in names
            }
            yield HostedSource(source.run_id, source.outcomes, files[RESULTS], files.get(ORIGINS), files.get(FROZEN))


def _share(policies: Policies, concurrency: int) -> Policies:
    """What this lease may use; the range stays open to its top, since the share may grow."""
    return replace(
        policies,
        concurrency_min=1,
        concurrency_max=max(policies.concurrency_max, concurrency),
        concurrency_target=concurrency,
    )
