"""Runs on a real database, and the worker that a test plays.

    room = RunRoom(databases)
    run = room.add(count=10)
    shard = room.claim_one()
    room.begin(shard)
    room.finish(shard, counts(10, succeeded=10))
    room.end(run.id)

`room.around` may be given other parts to limit, to refuse or to listen.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from postroad.engine import split_into_shards
from postroad.jobfile import Policies
from postroad.kernel.authz import Principal
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules import runs
from postroad.modules.runs import (
    ArtifactFact,
    CircuitVerdict,
    CommandAnswer,
    CommandAsk,
    CommandKind,
    CommandOrder,
    CommandRow,
    LeasedShard,
    LeaseRules,
    Live,
    NewRun,
    PlannedAccount,
    PlannedAudience,
    PlannedMessage,
    Renewal,
    RenewalAsk,
    ReportAck,
    ReportedEvent,
    Run,
    RunEnd,
    RunPlan,
    RunQuota,
    RunSurroundings,
    ShardEnd,
    ShardReport,
    WorkerCapacity,
)
from postroad.modules.runs.store import lease_rows, record_rows, run_rows
from postroad.spi import ConfigDocument
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.refusals import ArtifactNotReady
from postroad.vocabulary.transitions import RunState
from tests.builders.databases import WORKSPACE, Databases

T = TypeVar("T")
WORKER = Principal.system("worker")
_NUMBERS = itertools.count(1)


@dataclass
class SetQuotas:
    by_workspace: dict[str, RunQuota] = field(default_factory=dict)

    def quota_of(self, reading: Reading, workspace_id: str) -> RunQuota:
        return self.by_workspace.get(workspace_id, RunQuota())


@dataclass
class SetCircuits:
    open_until: dict[str, int | None] = field(default_factory=dict)
    ended: list[tuple[str, bool]] = field(default_factory=list)

    def admit(self, uow: UnitOfWork, workspace_id: str, account_id: str, run_id: str) -> CircuitVerdict:
        if account_id in self.open_until:
            return CircuitVerdict(False, self.open_until[account_id])
        return CircuitVerdict(True)

    def run_ended(
        self, uow: UnitOfWork, workspace_id: str, account_id: str, run_id: str, *, authentication_failed: bool
    ) -> None:
        self.ended.append((account_id, authentication_failed))


@dataclass
class AllReady:
    """But those that a test removed."""

    removed: set[str] = field(default_factory=set)

    def require_ready(self, reading: Reading, workspace_id: str, artifact_ids: Sequence[str]) -> None:
        if self.removed & set(artifact_ids):
            raise ArtifactNotReady("the file is gone")


@dataclass
class Counted:
    ended: list[tuple[str, str]] = field(default_factory=list)
    expired: int = 0

    def run_ended(self, state: str, provider_id: str, outcomes: Mapping[str, int]) -> None:
        self.ended.append((state, provider_id))

    def leases_expired(self, number: int) -> None:
        self.expired += number


def counts(total: int, **parts: int) -> Counts:
    return Counts(total=total, **parts)


def ask(leased: LeasedShard, *answers: CommandAnswer, room: int = 0) -> RenewalAsk:
    return RenewalAsk(leased.fence, answers, room)


def answer(order: CommandOrder, *, applied: bool = True, message: str = "") -> CommandAnswer:
    return CommandAnswer(order.command_id, order.sequence, applied, message)


def plan_for(
    count: int = 10,
    *,
    shards: int = 1,
    workspace_id: str = WORKSPACE,
    job_id: str = "job-1",
    account_id: str = "account-1",
    provider_id: str = "http",
    concurrency: tuple[int, int, int] = (1, 64, 16),
    dry_run: bool = False,
) -> RunPlan:
    number = next(_NUMBERS)
    low, high, target = concurrency
    policies = replace(Policies(), concurrency_min=low, concurrency_max=high, concurrency_target=target)
    return RunPlan(
        snapshot_id=f"snapshot-{number}",
        run_id=f"run-{number:06d}",
        workspace_id=workspace_id,
        job_id=job_id,
        job_name="Spring news",
        job_version=1,
        provider_id=provider_id,
        provider_version="1.0",
        engine_version="1.0",
        account=PlannedAccount(
            account_id,
            1,
            "Gateway",
            ConfigDocument.of("http/account", "1", {"auth": {"type": "BEARER", "token": {"$secret": "TOKEN"}}}),
        ),
        message=PlannedMessage("message-1", 3, "News", ConfigDocument.of("http/message", "1", {"url": "http://x"})),
        audience=PlannedAudience(
            audience_id="audience-1",
            snapshot_id="audience-snapshot-1",
            revision=1,
            artifact_id="artifact-1",
            sha256="a" * 64,
            count=count,
            rows=count,
        ),
        policies=policies.canonical(),
        shards=split_into_shards(count, shards),
        dry_run=dry_run,
        frozen_at_ms=1_800_000_000_000,
    )


class RunRoom:
    def __init__(self, databases: Databases, rules: LeaseRules | None = None) -> None:
        self.databases = databases
        self.quotas = SetQuotas()
        self.circuits = SetCircuits()
        self.meters = Counted()
        self.artifacts = AllReady()
        self.hints: list[tuple[str, str]] = []
        self.around = RunSurroundings(
            quotas=self.quotas,
            circuits=self.circuits,
            artifacts=self.artifacts,
            meters=self.meters,
            hint=lambda topic, key: self.hints.append((topic, key)),
            rules=rules or LeaseRules(),
        )

    def write(self, work: Callable[[UnitOfWork], T]) -> T:
        return self.databases.database.write(WORKER, work)

    def read(self, work: Callable[[Reading], T]) -> T:
        return self.databases.database.read(WORKER, work)

    def add(self, count: int = 10, **parts: Any) -> Run:
        return self.add_plan(plan_for(count, **parts))

    def add_plan(self, plan: RunPlan, **parts: Any) -> Run:
        return self.write(lambda uow: runs.add_run(uow, NewRun(plan, **parts), self.around))

    def claim(
        self, slots: int = 10, concurrency: int = 1000, worker: str = "worker-1", **parts: Any
    ) -> list[LeasedShard]:
        capacity = WorkerCapacity(worker, slots, concurrency, **parts)
        return self.write(lambda uow: runs.claim_shards(uow, capacity, self.around))

    def claim_one(self, worker: str = "worker-1") -> LeasedShard:
        (leased,) = self.claim(1, worker=worker)
        return leased

    def begin(self, leased: LeasedShard) -> Renewal:
        return self.write(lambda uow: runs.acknowledge(uow, leased.fence, self.around))

    def begun(self, worker: str = "worker-1") -> LeasedShard:
        leased = self.claim_one(worker)
        self.begin(leased)
        return leased

    def renew(self, *asks: RenewalAsk) -> list[Renewal]:
        return self.write(lambda uow: runs.renew(uow, asks, self.around))

    def report(
        self,
        leased: LeasedShard,
        sequences: Sequence[int],
        counted: Counts,
        state: RunState = RunState.RUNNING,
        **parts: Any,
    ) -> ReportAck:
        at = self.databases.clock.now_ms()
        events = tuple(
            ReportedEvent(number, parts.get("type", "progress"), at, payload={"n": number}) for number in sequences
        )
        said = ShardReport(leased.fence, events, counted, state, parts.get("live", Live()))
        return self.write(lambda uow: runs.report(uow, said, self.around))

    def finish(
        self,
        leased: LeasedShard,
        counted: Counts,
        state: RunState = RunState.SUCCEEDED,
        *,
        reason: str = "",
        category: Category | None = None,
    ) -> Run:
        end = ShardEnd(leased.fence, state, counted, reason, category)
        return self.write(lambda uow: runs.finish_shard(uow, end, self.around))

    def end(self, run_id: str, exported: Counts | None = None) -> Run:
        fold = exported if exported is not None else self.run(run_id).counts
        end = RunEnd(run_id, fold, {"results": ArtifactFact(f"results-of-{run_id}", "b" * 64, 100)})
        return self.write(lambda uow: runs.end_run(uow, end, self.around))

    def command(self, run_id: str, kind: CommandKind, **payload: str | int) -> CommandRow:
        workspace_id = self.run(run_id).workspace_id
        ask = CommandAsk(workspace_id, run_id, kind, payload)
        return self.write(lambda uow: runs.command_run(uow, ask, self.around))

    def expire(self) -> int:
        return self.write(lambda uow: runs.expire_leases(uow, self.around))

    def run(self, run_id: str) -> Run:
        found = self.read(lambda reading: run_rows.find_run_anywhere(reading.connection, run_id))
        assert found is not None
        return found

    def shards(self, run_id: str) -> list[runs.Shard]:
        return self.read(lambda reading: run_rows.list_shards(reading.connection, run_id))

    def leases(self, run_id: str) -> list[runs.RunLease]:
        return self.read(lambda reading: lease_rows.list_of_run(reading.connection, run_id, 1000))

    def commands(self, run_id: str) -> list[CommandRow]:
        return self.read(lambda reading: record_rows.list_commands(reading.connection, run_id, 1000))

    def events(self, run_id: str) -> list[runs.RunEventRow]:
        return self.read(lambda reading: record_rows.list_events(reading.connection, run_id, 0, 10_000))

    def states(self, run_id: str) -> list[str]:
        """The states the run came through, as its events tell it."""
        return [row.payload["to"] for row in self.events(run_id) if row.type == "state"]
