"""Jobs in a running service that can be started, and the worker that a test plays behind its port.

jobs = RunningJobs(service, tmp_path)
job = jobs.job()
run = jobs.started(job)
jobs.work(run["id"], {0: Outcome.SUCCEEDED, 1: Outcome.FAILED})
"""

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

from postroad.foundation.ids import uuid7
from postroad.journal import list_segments
from postroad.kernel.authz import Principal
from postroad.modules import artifacts, runs
from postroad.modules.runs import (
    ArtifactFact,
    LeasedShard,
    Live,
    ReportedEvent,
    RunEnd,
    RunToEnd,
    ShardEnd,
    ShardReport,
    WorkerCapacity,
)
from postroad.recipients import ExportRequest, Snapshot, export_results
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.outcomes import Outcome
from postroad.vocabulary.roles import Role
from postroad.vocabulary.transitions import RunState
from tests.builders.journals import a_journal
from tests.builders.kept_audiences import keep_audience
from tests.builders.service import RunningService

CONFIG = {"baseUrl": "https://api.example.com/v1"}
CONTENT = {"path": "/send", "bodyTemplate": {"to": "{{ name }}"}}
WORKER = Principal.system("worker")
_NUMBERS = itertools.count(1)


class RunningJobs:
    def __init__(self, service: RunningService, folder: Path) -> None:
        self.service = service
        self.folder = folder
        self.client = service.client(Role.OPERATOR)

    @property
    def around(self) -> runs.RunSurroundings:
        return self.service.composition.run_surroundings

    def job(self, people: str = "name\nAnn\nBob\nCyd\n", **parts: Any) -> dict[str, Any]:
        number = next(_NUMBERS)
        account = self._made("/accounts", {"providerId": "http", "name": f"Shop {number}", "config": CONFIG})
        message = self._made("/messages", {"providerId": "http", "name": f"News {number}", "content": CONTENT})
        audience = keep_audience(self.service, self.folder, people, f"People {number}")
        ids = {"accountId": account["id"], "messageId": message["id"], "audienceId": audience}
        return self._made("/jobs", {"name": f"Job {number}", **ids, **parts})

    def confirmed(self, job: Mapping[str, Any], **body: Any) -> dict[str, Any]:
        return self._made(f"/jobs/{job['id']}/run-confirmation", body, 200)

    def start(
        self, job: Mapping[str, Any], *, key: str | None = None, client: httpx.Client | None = None, **body: Any
    ) -> httpx.Response:
        headers = {"idempotency-key": key or f"key-{next(_NUMBERS)}"}
        return (client or self.client).post(f"/jobs/{job['id']}/runs", json=body, headers=headers)

    def started(self, job: Mapping[str, Any]) -> dict[str, Any]:
        answer = self.start(job, confirmationToken=self.confirmed(job)["confirmationToken"])
        assert answer.status_code == 202, answer.text
        return answer.json()

    def steer(self, run_id: str, command: str, *, key: str | None = None, **body: Any) -> httpx.Response:
        headers = {"idempotency-key": key or f"key-{next(_NUMBERS)}"}
        return self.client.post(f"/runs/{run_id}/commands/{command}", json=body or None, headers=headers)

    def begun(self, run_id: str) -> LeasedShard:
        capacity = WorkerCapacity("worker-1", 10, 1000, workspaces=frozenset({self.service.workspace_id}))
        database = self.service.database
        found = database.write(WORKER, lambda uow: runs.claim_shards(uow, capacity, self.around))
        leased = next(shard for shard in found if shard.fence.run_id == run_id)
        database.write(WORKER, lambda uow: runs.acknowledge(uow, leased.fence, self.around))
        return leased

    def tell(self, leased: LeasedShard, sequence: int, counts: Counts, state: RunState = RunState.RUNNING) -> None:
        event = ReportedEvent(sequence, "progress", self.service.composition.clock.now_ms())
        said = ShardReport(leased.fence, (event,), counts, state, Live(in_flight=1, per_second=2.5))
        self.service.database.write(WORKER, lambda uow: runs.report(uow, said, self.around))

    def work(self, run_id: str, outcomes: Mapping[int, Outcome], leased: LeasedShard | None = None) -> None:
        """Runs the only shard of a run to these outcomes, makes its results and ends it."""
        leased = leased or self.begun(run_id)
        counts = _counted(leased.end - leased.first, outcomes)
        end = ShardEnd(leased.fence, RunState.SUCCEEDED, counts)
        database = self.service.database
        database.write(WORKER, lambda uow: runs.finish_shard(uow, end, self.around))
        found = database.write(WORKER, lambda uow: runs.claim_runs_to_end(uow, "worker-1", self.around, 1000))
        ending = next(run for run in found if run.run_id == run_id)
        files = self._results(ending, outcomes)
        database.write(WORKER, lambda uow: runs.end_run(uow, RunEnd(run_id, counts, files), self.around))

    def _results(self, run: RunToEnd, outcomes: Mapping[int, Outcome]) -> dict[str, ArtifactFact]:
        place = self.folder / uuid7()
        (place / "journal").mkdir(parents=True)
        journal = a_journal(folder=place / "journal", run_id=run.run_id)
        for sequence, outcome in outcomes.items():
            journal.intent(sequence, 1, 1_000 + sequence)
            journal.final(sequence, 1, outcome, "" if outcome is Outcome.SUCCEEDED else "PERMANENT_REMOTE", at_ms=2_000)
        journal.close()
        keeper = self.service.composition.artifacts
        with keeper.local_copy(run.workspace_id, run.plan.audience.artifact_id) as path:
            snapshot = Snapshot.open(path)
            made = export_results(
                ExportRequest(list_segments(place / "journal"), snapshot, place / "out", run.run_id, "snapshot")
            )
        receipt = place / "receipt.json"
        receipt.write_text(f'{{"body": {{"runId": "{run.run_id}"}}, "signature": "c2lnbmVk"}}')
        named = {"results": made.results, "receipt": receipt, **made.tables}
        return {name: self._kept(run, file) for name, file in named.items()}

    def _kept(self, run: RunToEnd, file: Path) -> ArtifactFact:
        ask = artifacts.ArtifactAsked(
            workspace_id=run.workspace_id,
            type=artifacts.ArtifactType.RESULT,
            owner=artifacts.Owner("run", run.run_id),
            file_name=file.name,
        )
        kept = self.service.composition.artifacts.store_file(artifacts.Behalf(WORKER), ask, file)
        return ArtifactFact(kept.id, kept.sha256, kept.size_bytes)

    def _made(self, path: str, body: Mapping[str, Any], status: int = 201) -> dict[str, Any]:
        answer = self.client.post(path, json=body)
        assert answer.status_code == status, answer.text
        return answer.json()


def _counted(total: int, outcomes: Mapping[int, Outcome]) -> Counts:
    numbers = {outcome: sum(one is outcome for one in outcomes.values()) for outcome in Outcome}
    return Counts(
        total=total,
        succeeded=numbers[Outcome.SUCCEEDED],
        failed=numbers[Outcome.FAILED],
        unknown=numbers[Outcome.UNKNOWN],
        unsent=numbers[Outcome.UNSENT] + total - len(outcomes),
        skipped=numbers[Outcome.SKIPPED],
    )
