"""Workers take shards.

Candidates are read without locks, in a fair order: one run of each workspace in turn, those first that waited longest.
Each grant then happens under the lock of the workspace's lane, where the reservations of its running leases are summed
up, so two claimers can neither take one shard twice nor pass a limit together; a lane or run that another claimer holds
is left to that one. A crash before the commit leaves everything as it was; after it the lease runs out by itself.

A run that is to end is let through every limit but the worker's: what it needs is an account of what was in flight.
"""

from postroad.kernel.uow import UnitOfWork
from postroad.modules.runs.commands.change import SHARD, RunChange
from postroad.modules.runs.commands.shards import move_shard, shard_json
from postroad.modules.runs.model import Run, Shard, Waiting, WantsEnd
from postroad.modules.runs.parts.exchange import LeasedShard, Posture, WorkerCapacity
from postroad.modules.runs.parts.leasing import RunLease, ShardFence, new_token, token_hash
from postroad.modules.runs.parts.plan import RunPlan
from postroad.modules.runs.parts.sharing import Reserved, first_grant
from postroad.modules.runs.ports import RunQuota, RunSurroundings
from postroad.modules.runs.store import lease_rows, record_rows, run_rows
from postroad.modules.runs.store.run_rows import Claimable, Wanted
from postroad.vocabulary.refusals import StateConflict
from postroad.vocabulary.transitions import RunEvent, RunState

ACCOUNT_CIRCUIT = "WAITING_ACCOUNT"
"""The account's authentication circuit is open."""
WORKSPACE_LIMIT = "WAITING_WORKSPACE_LIMIT"
"""Other runs of the workspace have taken what its policy allows."""
OTHER_HOST = "WAITING_HOST"
"""Another host works on runs of its account, and only there are its rates known."""
SNAPSHOT_DAMAGED = "SNAPSHOT_DAMAGED"
"""The frozen plan was changed since; nothing is sent by it, and the run waits to be cancelled."""
LOOK_AGAIN_MS = 30_000
"""An open circuit may be closed by a person before its time."""
_CANDIDATES = 16


def claim_shards(uow: UnitOfWork, capacity: WorkerCapacity, around: RunSurroundings) -> list[LeasedShard]:
    """As many leases as the worker can take and limits allow; acknowledge each before doing anything with it."""
    claimer = _Claimer(uow, capacity, around)
    return claimer.claim() if capacity.shards > 0 and capacity.concurrency > 0 else []


class _Claimer:
    def __init__(self, uow: UnitOfWork, capacity: WorkerCapacity, around: RunSurroundings) -> None:
        self._uow = uow
        self._capacity = capacity
        self._around = around
        self._slots = capacity.shards
        self._room = capacity.concurrency
        self._lanes: dict[str, bool] = {}
        self._full: set[str] = set()
        """Workspaces whose limits are reached; their runs that say so already need not be asked again."""

    def claim(self) -> list[LeasedShard]:
        """Round after round over the candidates, one shard of a run at a time, until nobody gets anything."""
        capacity = self._capacity
        line = run_rows.list_claimable(self._uow.connection, self._uow.now_ms, _wanted(capacity))
        taken: list[LeasedShard] = []
        while line and self._slots > 0 and self._room > 0:
            again = []
            for candidate in line:
                if self._slots <= 0 or self._room <= 0:
                    break
                leased = self._try(candidate)
                if leased is not None:
                    taken.append(leased)
                    again.append(candidate)
            line = again
        return taken

    def _try(self, candidate: Claimable) -> LeasedShard | None:
        uow, connection = self._uow, self._uow.connection
        if candidate.workspace_id in self._full and candidate.waits_for == WORKSPACE_LIMIT and not candidate.wants_end:
            return None
        if not self._holds_lane(candidate.workspace_id):
            return None
        locked = run_rows.lock_run_unless_busy(connection, candidate.run_id)
        if locked is None or locked.is_final or locked.pending_shards == 0:
            return None
        change = RunChange(uow, self._around, locked)
        leases = lease_rows.list_active(connection, locked.id)
        if self._is_elsewhere(locked):
            if not locked.waiting.reason:
                self._wait(change, Waiting(OTHER_HOST))
            return None
        grant = self._grant(locked, leases)
        if grant == 0:
            if not leases:
                self._full.add(locked.workspace_id)
                self._wait(change, Waiting(WORKSPACE_LIMIT))
            return None
        refusal = self._refusal(locked, leases)
        if refusal is not None:
            self._wait(change, refusal)
            return None
        try:
            plan = record_rows.get_plan(connection, locked.id)
        except StateConflict:
            self._wait(change, Waiting(SNAPSHOT_DAMAGED, uow.now_ms + LOOK_AGAIN_MS))
            return None
        return self._lease(change, plan, grant)

    def _holds_lane(self, workspace_id: str) -> bool:
        if workspace_id not in self._lanes:
            self._lanes[workspace_id] = lease_rows.lock_lane(self._uow.connection, workspace_id)
        return self._lanes[workspace_id]

    def _is_elsewhere(self, run: Run) -> bool:
        if not self._capacity.keeps_journals or run.dry_run or run.wants_end is not WantsEnd.NO:
            return False
        workers = lease_rows.workers_of_account(self._uow.connection, run.workspace_id, run.account_id)
        return bool(workers - {self._capacity.worker_id})

    def _grant(self, run: Run, leases: list[RunLease]) -> int:
        """Sends at once that one more lease may have; 0 where a limit of the workspace is reached."""
        if run.wants_end is not WantsEnd.NO:
            return 1
        quota, room = self._quota(run.workspace_id), self._room
        if quota.concurrent_runs or quota.total_concurrency:
            usage = lease_rows.usage_of(self._uow.connection, run.workspace_id)
            if not leases and quota.concurrent_runs and usage.runs >= quota.concurrent_runs:
                return 0
            if quota.total_concurrency:
                room = min(room, quota.total_concurrency - usage.concurrency)
        return first_grant(run.concurrency, [Reserved(lease.id, lease.concurrency) for lease in leases], room)

    def _refusal(self, run: Run, leases: list[RunLease]) -> Waiting | None:
        """Asked last: behind a circuit that is half open it takes the one trial there is."""
        if leases or run.dry_run or run.wants_end is not WantsEnd.NO:
            return None
        verdict = self._around.circuits.admit(self._uow, run.workspace_id, run.account_id, run.id)
        return None if verdict.admitted else Waiting(ACCOUNT_CIRCUIT, verdict.until_ms)

    def _quota(self, workspace_id: str) -> RunQuota:
        return self._around.quotas.quota_of(self._uow, workspace_id)

    def _wait(self, change: RunChange, waiting: Waiting) -> None:
        """The run says what it waits for; written only where that is something new."""
        before = change.run.waiting
        if waiting.reason in (ACCOUNT_CIRCUIT, SNAPSHOT_DAMAGED):
            soon = self._uow.now_ms + LOOK_AGAIN_MS
            change.set(not_before_ms=min(waiting.until_ms or soon, soon))
        if waiting != before:
            change.set(waiting=waiting)
            change.note_waiting(before)
        change.save()

    def _lease(self, change: RunChange, plan: RunPlan, grant: int) -> LeasedShard:
        uow, rules = self._uow, self._around.rules
        token, run = new_token(), change.run
        shards = run_rows.list_shards(uow.connection, run.id)
        pending = next(shard for shard in shards if shard.state is RunState.PENDING)
        lease = RunLease(
            id=uow.new_id(),
            workspace_id=run.workspace_id,
            run_id=run.id,
            shard_id=pending.id,
            worker_id=self._capacity.worker_id,
            epoch=pending.epoch + 1,
            token_hash=token_hash(token),
            expires_at_ms=uow.now_ms + rules.ack_within_ms,
            concurrency=grant,
            command_sequence=run.command_sequence,
            created_at_ms=uow.now_ms,
        )
        moved = move_shard(uow, shards, pending, (RunEvent.LEASE,), epoch=lease.epoch)
        lease_rows.add_lease(uow.connection, lease)
        change.set(waiting=Waiting(), not_before_ms=0)
        change.note(SHARD, {**shard_json(pending, "leased"), "epoch": lease.epoch, "worker": lease.worker_id})
        change.follow(moved)
        change.save()
        run_rows.mark_claimed(uow.connection, run, uow.now_ms)
        self._slots -= 1
        self._room -= grant
        return _leased(change.run, pending, lease, token, plan)


def _wanted(capacity: WorkerCapacity) -> Wanted:
    only = capacity.worker_id if capacity.keeps_journals else None
    return Wanted(capacity.providers, capacity.workspaces, only, _CANDIDATES)


def _leased(run: Run, shard: Shard, lease: RunLease, token: str, plan: RunPlan) -> LeasedShard:
    return LeasedShard(
        fence=ShardFence(lease.id, run.id, shard.id, lease.epoch, token),
        ack_until_ms=lease.expires_at_ms,
        number=shard.number,
        first=shard.first,
        end=shard.end,
        has_begun=shard.begun,
        plan=plan,
        posture=Posture(
            paused=run.wants_pause,
            cancel=run.wants_end is not WantsEnd.NO,
            cancel_reason=run.end_reason,
            concurrency=lease.concurrency,
            rates=run.rates,
        ),
        counts=shard.counts,
    )
