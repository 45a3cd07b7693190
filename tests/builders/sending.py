"""Jobs that can be confirmed and started, over real rooms: only audiences, secrets and circuits are made up.

room = SendingRoom(databases)
job = room.job()
token = room.confirm(job.id).token.text
started = room.start(job.id, token=token)
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import insert

from postroad.flows import sending
from postroad.flows.sending import (
    ConfirmAsk,
    Confirmation,
    ConfirmationKey,
    ResendAsk,
    ResendConfirmation,
    ResendStart,
    RowReader,
    SendableAudience,
    SendingNeeds,
    ShardRule,
    StartAsk,
    StartedRun,
    SteerAsk,
)
from postroad.foundation.ids import uuid7
from postroad.kernel.authz import Principal
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.kernel.versions import Expected
from postroad.modules import jobs
from postroad.modules.jobs import Job, JobChange
from postroad.modules.runs import CommandKind
from postroad.modules.workspaces._tables import workspaces
from postroad.spi import Recipient
from postroad.vocabulary.outcomes import Outcome
from postroad.vocabulary.refusals import ResourceNotFound, StateConflict
from postroad.vocabulary.roles import Role
from tests.builders.configuration import AUDIENCE, RealProviders, Workbench
from tests.builders.databases import WORKSPACE, Databases
from tests.builders.runs import RunRoom, counts

_KEYS = itertools.count(1)


@dataclass
class SetAudiences:
    """One audience, whose next snapshot a test may make."""

    present: SendableAudience = field(
        default_factory=lambda: SendableAudience(
            AUDIENCE, "People", "snapshot-1", 1, "artifact-1", "a" * 64, 100, ("name",)
        )
    )
    rows: Sequence[dict[str, Any]] = ({"name": "Ada"}, {"name": "Grace"}, {"name": "Lin"})
    is_archived: bool = False

    def find(self, reading: Reading, workspace_id: str, audience_id: str) -> SendableAudience:
        if audience_id != self.present.audience_id:
            raise ResourceNotFound("there is no such audience in this workspace")
        if self.is_archived:
            raise StateConflict("the audience is archived")
        return self.present

    def hold(self, uow: UnitOfWork, workspace_id: str, audience_id: str) -> SendableAudience:
        return self.find(uow, workspace_id, audience_id)

    def reader(self, reading: Reading, workspace_id: str, audience: SendableAudience) -> RowReader:
        return lambda limit: [Recipient(n, dict(row), n + 2) for n, row in enumerate(self.rows[:limit])]

    def next_snapshot(self, count: int = 100) -> None:
        number = self.present.revision + 1
        self.present = replace(
            self.present,
            snapshot_id=f"snapshot-{number}",
            revision=number,
            artifact_id=f"artifact-{number}",
            sha256=f"{number % 10}" * 64,
            record_count=count,
        )


@dataclass
class SetStanding:
    """Fulfils `Circuits` and `Secrets` of sending."""

    until: dict[str, int] = field(default_factory=dict)
    lacking: set[str] = field(default_factory=set)

    def open_until(self, reading: Reading, workspace_id: str, account_id: str) -> int | None:
        return self.until.get(account_id)

    def missing(
        self, reading: Reading, workspace_id: str, account_id: str, references: Sequence[str]
    ) -> tuple[str, ...]:
        return tuple(name for name in references if name in self.lacking)


class SendingRoom(RunRoom):
    def __init__(self, databases: Databases) -> None:
        super().__init__(databases)
        self.bench = Workbench(databases)
        self.audiences, self.standing = SetAudiences(), SetStanding()
        self.operator = databases.member(Role.OPERATOR)
        self.needs = SendingNeeds(
            database=databases.database,
            providers=RealProviders(),
            audiences=self.audiences,
            circuits=self.standing,
            secrets=self.standing,
            runs=self.around,
            key=ConfirmationKey(b"k" * 32),
            engine_version="1.0",
            shards=ShardRule(),
            new_id=uuid7,
        )
        self.write(_add_workspace)

    def job(self, **policies: Any) -> Job:
        made = self.bench.job()
        return self.change_job(made, policies=policies) if policies else made

    def change_job(self, job: Job, **parts: Any) -> Job:
        ask = JobChange(WORKSPACE, job.id, Expected(job.version), **parts)
        return self.bench.write(lambda uow: jobs.change_job(uow, ask, self.bench.job_needs))

    def confirm(self, job_id: str, by: Principal | None = None, **overrides: Any) -> Confirmation:
        ask = ConfirmAsk(WORKSPACE, job_id, overrides or None)
        return sending.confirm_run(by or self.operator, ask, self.needs)

    def start(
        self,
        job_id: str,
        *,
        token: str | None = None,
        key: str | None = None,
        by: Principal | None = None,
        **parts: Any,
    ) -> StartedRun:
        ask = StartAsk(WORKSPACE, job_id, key or f"key-{next(_KEYS)}", token, **parts)
        return self.databases.database.write(by or self.operator, lambda uow: sending.start_run(uow, ask, self.needs))

    def started(self, job_id: str, **overrides: Any) -> StartedRun:
        """Confirmed and started."""
        token = self.confirm(job_id, **overrides).token.text
        return self.start(job_id, token=token, overrides=overrides or None)

    def ended(self, job_id: str, total: int = 100, **parts: int) -> StartedRun:
        """A run of this job that came to these outcomes; the rest succeeded."""
        self.audiences.next_snapshot(total)
        started = self.started(job_id)
        leased = next(shard for shard in self.claim() if shard.fence.run_id == started.id)
        self.begin(leased)
        self.finish(leased, counts(total, succeeded=total - sum(parts.values()), **parts))
        self.end(started.id)
        return started

    def confirm_resend(self, run_id: str, *outcomes: Outcome, by: Principal | None = None) -> ResendConfirmation:
        ask = ResendAsk(WORKSPACE, run_id, frozenset(outcomes))
        return sending.confirm_resend(by or self.operator, ask, self.needs)

    def resend(
        self, run_id: str, *outcomes: Outcome, token: str | None, key: str | None = None, by: Principal | None = None
    ) -> StartedRun:
        what = ResendAsk(WORKSPACE, run_id, frozenset(outcomes))
        ask = ResendStart(what, key or f"key-{next(_KEYS)}", token)
        return self.databases.database.write(
            by or self.operator, lambda uow: sending.start_resend(uow, ask, self.needs)
        )

    def steer(
        self, run_id: str, kind: CommandKind, *, once: str | None = None, by: Principal | None = None, **payload: Any
    ) -> sending.CommandAnswered:
        ask = SteerAsk(WORKSPACE, run_id, kind, once or f"key-{next(_KEYS)}", payload)
        return self.databases.database.write(by or self.operator, lambda uow: sending.steer_run(uow, ask, self.around))


def _add_workspace(uow: UnitOfWork) -> None:
    uow.connection.execute(
        insert(workspaces).values(
            id=WORKSPACE,
            name="Default",
            name_key="default",
            status="ACTIVE",
            max_concurrent_runs=0,
            max_total_concurrency=0,
            artifact_quota_bytes=0,
            artifact_retention_seconds=0,
            max_workers=0,
            version=1,
            created_at_ms=uow.now_ms,
            updated_at_ms=uow.now_ms,
        )
    )
