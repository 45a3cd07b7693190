"""Runs: what they ask of workspaces, accounts, audiences, secrets and files, and what goes on with them by itself."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import postroad
from postroad.app.areas.configuration import ConfigurationArea
from postroad.app.areas.schedules import SchedulesArea
from postroad.entrypoints.http.runs import RunParts
from postroad.flows.run_results import KeptExport, LiveItems, NothingLive, ResultsNeeds
from postroad.flows.sending import (
    ConfirmationKey,
    RowReader,
    ScheduledStarts,
    SendableAudience,
    SendingNeeds,
    ShardRule,
)
from postroad.foundation.ids import uuid7
from postroad.foundation.metrics import LEASES_EXPIRED, RUN_ITEMS, RUNS, Metrics
from postroad.foundation.whole_files import storage_refusals
from postroad.kernel.authz import Principal
from postroad.kernel.service import BackgroundService
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules import accounts, audiences, runs, secrets, workspaces
from postroad.modules.artifacts import ArtifactAsked, ArtifactKeeper, ArtifactType, Behalf, Owner
from postroad.modules.artifacts.commands.delivering import get_ready
from postroad.modules.audiences import SnapshotRecord
from postroad.modules.runs import CircuitVerdict, Run, RunQuota, RunSurroundings
from postroad.modules.schedules import Firer
from postroad.recipients import Snapshot, read_recipients
from postroad.spi import Recipient

_ME = Principal.system("runs")
_LEASES_S, _EVENTS_S = 5.0, 600.0
_AT_ONCE = 100


class RunsArea(ConfigurationArea, SchedulesArea):
    @cached_property
    def run_surroundings(self) -> RunSurroundings:
        """Shared by all who write runs: routes, schedules, hosts of workers."""
        return RunSurroundings(
            quotas=_Quotas(),
            circuits=_AccountCircuits(),
            artifacts=_ReadyArtifacts(),
            meters=_Meters(self.metrics),
            hint=self.wakeups.notify,
        )

    @cached_property
    def runs(self) -> RunParts:
        sending = SendingNeeds(
            database=self.database,
            providers=self.catalogue,
            audiences=_Audiences(self.artifacts),
            circuits=_AccountCircuits(),
            secrets=_Secrets(),
            runs=self.run_surroundings,
            key=ConfirmationKey(self.keys.derive("run-confirmations")),
            engine_version=postroad.__version__,
            shards=ShardRule(),
            new_id=uuid7,
        )
        return RunParts(sending, ResultsNeeds(self.database, _Files(self.artifacts, self._run_work), self.live_items))

    @cached_property
    def live_items(self) -> LiveItems:
        """What is known of runs that go on. An area that executes runs overrides it."""
        return NothingLive()

    def firer(self) -> Firer | None:
        return ScheduledStarts(self.runs.sending)

    def background_services(self) -> list[BackgroundService]:
        database, around = self.background_database, self.run_surroundings

        def expire() -> bool:
            return database.write(_ME, lambda uow: runs.expire_leases(uow, around, _AT_ONCE)) >= _AT_ONCE

        def clean() -> bool:
            before = self.clock.now_ms() - round(self.settings.retention.events_s * 1000)
            return database.write(_ME, lambda uow: runs.delete_old_events(uow, before)) > 0

        return [
            *super().background_services(),
            BackgroundService("run-leases", _LEASES_S, expire),
            BackgroundService("run-events", _EVENTS_S, clean),
        ]

    @property
    def _run_work(self) -> Path:
        return self.settings.data_dir / "work" / "runs"


class _Quotas:
    """`runs.Quotas` over the policy of workspaces."""

    def quota_of(self, reading: Reading, workspace_id: str) -> RunQuota:
        policy = workspaces.policy_of(reading, workspace_id)
        return RunQuota(policy.max_concurrent_runs, policy.max_total_concurrency)


class _AccountCircuits:
    """`runs.Circuits` and `sending.Circuits` over the room of accounts."""

    def admit(self, uow: UnitOfWork, workspace_id: str, account_id: str, run_id: str) -> CircuitVerdict:
        found = accounts.admit_run(uow, workspace_id, account_id, run_id)
        return CircuitVerdict(found.admitted, found.until_ms)

    def run_ended(
        self, uow: UnitOfWork, workspace_id: str, account_id: str, run_id: str, *, authentication_failed: bool
    ) -> None:
        del run_id
        if authentication_failed:
            accounts.run_ended_with_authentication_failure(uow, workspace_id, account_id)
        else:
            accounts.close_circuit(uow, workspace_id, account_id)

    def open_until(self, reading: Reading, workspace_id: str, account_id: str) -> int | None:
        return accounts.circuit_open_until(reading, workspace_id, account_id)


class _ReadyArtifacts:
    """`runs.Artifacts` over the room of artifacts."""

    def require_ready(self, reading: Reading, workspace_id: str, artifact_ids: Sequence[str]) -> None:
        for artifact_id in artifact_ids:
            get_ready(reading, workspace_id, artifact_id)


class _Meters:
    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def run_ended(self, state: str, provider_id: str, outcomes: Mapping[str, int]) -> None:
        self._metrics.add(RUNS, state=state, provider=provider_id)
        for outcome, number in outcomes.items():
            self._metrics.add(RUN_ITEMS, number, result=outcome, provider=provider_id)

    def leases_expired(self, number: int) -> None:
        self._metrics.add(LEASES_EXPIRED, number)


class _Audiences:
    """`sending.Audiences` over the room of audiences."""

    def __init__(self, files: ArtifactKeeper) -> None:
        self._files = files

    def find(self, reading: Reading, workspace_id: str, audience_id: str) -> SendableAudience:
        name = "" if (found := audiences.find_audience(reading, workspace_id, audience_id)) is None else found.name
        return _sendable(name, audiences.snapshot_to_send(reading, workspace_id, audience_id))

    def hold(self, uow: UnitOfWork, workspace_id: str, audience_id: str) -> SendableAudience:
        audiences.refer_to_audience(uow, workspace_id, audience_id)
        return self.find(uow, workspace_id, audience_id)

    def reader(self, reading: Reading, workspace_id: str, audience: SendableAudience) -> RowReader:
        del reading

        def read(limit: int) -> Sequence[Recipient]:
            with self._files.local_copy(workspace_id, audience.artifact_id) as path:
                snapshot = Snapshot(path, audience.record_count, audience.sha256, audience.columns, audience.aliases)
                found = read_recipients(snapshot, 0, limit)
            return [Recipient(number, dict(one.fields), one.row) for number, one in enumerate(found)]

        return read


class _Secrets:
    """`sending.Secrets` over the room of secrets."""

    def missing(
        self, reading: Reading, workspace_id: str, account_id: str, references: Sequence[str]
    ) -> tuple[str, ...]:
        states = secrets.set_states(reading, workspace_id, {account_id: references})[account_id]
        return tuple(name for name in references if not states[name].configured)


class _Files:
    """`run_results.RunFiles` over the artifacts of the service."""

    def __init__(self, keeper: ArtifactKeeper, work: Path) -> None:
        self._keeper = keeper
        self._work = work

    @contextmanager
    def opened(self, workspace_id: str, artifact_id: str) -> Iterator[Path]:
        with self._keeper.local_copy(workspace_id, artifact_id) as path:
            yield path

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        with storage_refusals(self._work):
            self._work.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder = TemporaryDirectory(dir=self._work)
        with folder as name:
            yield Path(name)

    def keep_export(self, principal: Principal, run: Run, path: Path, file_name: str) -> KeptExport:
        ask = ArtifactAsked(
            workspace_id=run.workspace_id,
            type=ArtifactType.EXPORT,
            owner=Owner("run", run.id),
            file_name=file_name,
            content_type="text/csv",
        )
        kept = self._keeper.store_file(Behalf(principal), ask, path)
        return KeptExport(kept.id, kept.size_bytes, kept.sha256)


def _sendable(name: str, record: SnapshotRecord) -> SendableAudience:
    return SendableAudience(
        audience_id=record.audience_id,
        name=name,
        snapshot_id=record.id,
        revision=record.revision,
        artifact_id=record.artifact_id,
        sha256=record.sha256,
        record_count=record.record_count,
        columns=record.columns,
        aliases=record.aliases,
    )
