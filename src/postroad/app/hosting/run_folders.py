"""`flows.hosting.WorkPlace` over the folders, journals and worker processes of `flows.local_runs`."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from postroad.app.hosting.child import ChildWorker
from postroad.app.hosting.counts import counts_of, local_counts
from postroad.engine.pacing import effective_rates
from postroad.flows.hosting import FolderEnd, Worker
from postroad.flows.local_runs import (
    AudienceRecord,
    HostedRun,
    HostedSource,
    ShardAccount,
    ShardOrder,
    count_as_it_stands,
    end_hosted,
    freeze_hosted,
    frozen_plan,
    is_frozen,
    times_spent,
)
from postroad.foundation.home import Home
from postroad.jobfile import Policies, parse_rate
from postroad.modules.artifacts import ArtifactKeeper
from postroad.modules.runs import LeasedShard, RunCounts, RunPlan, RunToEnd
from postroad.spi import ProviderFactory, Rate


class Factories(Protocol):
    def factory(self, provider_id: str) -> ProviderFactory: ...


class RunFolders:
    def __init__(self, runs: Path, files: ArtifactKeeper, factories: Factories, networks: tuple[str, ...]) -> None:
        """`runs` holds a folder for each run, named by its id; the keys of this installation lie beside it."""
        self._runs = runs
        self._files = files
        self._factories = factories
        self._networks = networks

    def folder_of(self, run_id: str) -> Path:
        return self._runs / run_id

    def freeze(self, shard: LeasedShard) -> None:
        self._freeze(shard.plan, has_begun=shard.has_begun)

    def rates(self, plan: RunPlan) -> Mapping[str, Rate]:
        if plan.dry_run:
            return {}
        descriptor = self._factories.factory(plan.provider_id).descriptor
        return effective_rates(Policies.of(plan.policies).rates, descriptor.limits, descriptor.default_rate)

    def parsed_rate(self, text: str) -> Rate:
        return parse_rate(text)

    def spent(self, plan: RunPlan) -> Iterable[tuple[int, tuple[str, ...], int]]:
        return times_spent(self.folder_of(plan.run_id), len(plan.shards))

    async def start(self, shard: LeasedShard, secrets: Mapping[str, str]) -> Worker:
        folder = self.folder_of(shard.plan.run_id)
        order = ShardOrder(
            folder=folder,
            plan=frozen_plan(folder),
            policies=_share(Policies.of(shard.plan.policies), shard.posture.concurrency),
            shard=shard.number,
            fencing_token=shard.fence.lease_id,
            shares_rate=not shard.plan.dry_run,
            rehearses=shard.plan.dry_run,
            networks=self._networks,
        )
        return await ChildWorker.start(order, secrets, shard.posture)

    def as_it_stands(self, shard: LeasedShard) -> RunCounts:
        if not is_frozen(self.folder_of(shard.plan.run_id)):
            total = shard.end - shard.first
            return RunCounts(total=total, unsent=total)
        return counts_of(count_as_it_stands(self.folder_of(shard.plan.run_id), shard.number))

    def end(self, run: RunToEnd) -> FolderEnd:
        """Of a run whose folder could never be made there are no files: nobody was sent to."""
        folder = self.folder_of(run.run_id)
        if not is_frozen(folder) and run.counts.unsent == run.counts.total:
            return FolderEnd(run.counts, {})
        account = ShardAccount(
            state=run.state,
            reason=run.reason,
            counts=local_counts(run.counts),
            started_at_ms=run.started_at_ms,
            ended_at_ms=run.ended_at_ms,
            suppressed_errors=run.suppressed_errors,
        )
        end = end_hosted(folder, account, Home(self._runs.parent / "installation"))
        return FolderEnd(counts_of(end.summary.counts), end.files)

    def _freeze(self, plan: RunPlan, *, has_begun: bool) -> None:
        audience, source = plan.audience, plan.source
        with self._files.local_copy(plan.workspace_id, audience.artifact_id) as snapshot:
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
                    source=None
                    if source is None
                    else HostedSource(self.folder_of(source.run_id), source.run_id, source.outcomes),
                ),
                has_begun=has_begun,
            )


def _share(policies: Policies, concurrency: int) -> Policies:
    """What this lease may use; the range stays open to its top, since the share may grow."""
    return replace(
        policies,
        concurrency_min=1,
        concurrency_max=max(policies.concurrency_max, concurrency),
        concurrency_target=concurrency,
    )
