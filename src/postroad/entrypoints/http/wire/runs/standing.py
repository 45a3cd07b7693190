"""A run as it stands: in a list, and in full."""

from typing import Any

from postroad.entrypoints.http.conventions import Instant, PageShown, Shown, stamp
from postroad.modules.runs import Run, RunDetail, RunPlan, Shard


class CountsShown(Shown):
    """`total = succeeded + failed + unknown + unsent + skipped + open`; `open` is 0 when the run has ended."""

    total: int
    succeeded: int
    failed: int
    unknown: int
    unsent: int
    skipped: int
    open: int
    retried: int
    maybe_doubled: int


class WaitingShown(Shown):
    """Why nothing is sent just now; an empty reason means that something is, or that nobody works on the run."""

    reason: str
    until: Instant | None = stamp("until_ms")


class RunShown(Shown):
    id: str
    workspace_id: str
    job_id: str
    job_name: str
    state: str
    state_reason: str
    waiting: WaitingShown
    provider_id: str
    account_id: str
    dry_run: bool
    reason: str
    counts: CountsShown
    concurrency: int
    concurrency_min: int
    concurrency_max: int
    rates: dict[str, str]
    """Rates that were changed while it went on, by budget."""
    is_pausing: bool
    """A pause is on its way to the workers, or holds."""
    is_ending: bool
    """It was cancelled, or failed in part, and what is in flight is waited for."""
    source_run_id: str | None
    source_outcomes: list[str]
    schedule_id: str | None
    fire_at: Instant | None = stamp("fire_at_ms")
    created_by: str
    started_at: Instant | None = stamp("started_at_ms")
    ended_at: Instant | None = stamp("ended_at_ms")
    has_results: bool
    version: int
    created_at: Instant = stamp("created_at_ms")
    updated_at: Instant = stamp("updated_at_ms")


class RunPage(Shown):
    items: list[RunShown]
    page: PageShown


class ShardShown(Shown):
    """A part of the recipients, sequences `first` to before `end`."""

    number: int
    first: int
    end: int
    state: str
    epoch: int
    counts: CountsShown
    reason: str
    in_flight: int
    parked: int
    per_second: float
    concurrency: int
    waiting: WaitingShown


class LeaseShown(Shown):
    """A worker's right to one part; its token is shown to nobody."""

    id: str
    shard: int
    worker_id: str
    epoch: int
    state: str
    concurrency: int
    acked_at: Instant | None = stamp("acked_at_ms")
    expires_at: Instant = stamp("expires_at_ms")


class CommandShown(Shown):
    id: str
    run_id: str
    sequence: int
    kind: str
    payload: dict[str, Any]
    state: str
    """ACCEPTED, DELIVERED, APPLIED or REJECTED."""
    message: str
    created_at: Instant = stamp("created_at_ms")


class SnapshotShown(Shown):
    """What was frozen; never a secret."""

    id: str
    hash: str
    job_version: int
    provider_id: str
    provider_version: str
    engine_version: str
    account_id: str
    account_name: str
    account_version: int
    message_id: str
    message_name: str
    message_revision: int
    audience_id: str
    audience_snapshot_id: str
    audience_revision: int
    audience_sha256: str
    policies: dict[str, Any]


class ArtifactNamed(Shown):
    """A file of the run; its content lies at `links.content`."""

    name: str
    id: str
    sha256: str
    size_bytes: int
    links: dict[str, str]


class RunDetailShown(RunShown):
    snapshot: SnapshotShown
    shards: list[ShardShown]
    leases: list[LeaseShown]
    commands: list[CommandShown]
    artifacts: list[ArtifactNamed]
    allowed_commands: list[str]
    in_flight: int
    per_second: float
    suppressed_errors: list[str]
    links: dict[str, str]


def run_url(run: Run) -> str:
    return f"/api/v1/workspaces/{run.workspace_id}/runs/{run.id}"


def shown_run(run: Run) -> RunShown:
    return RunShown.of(_values(run))


def shown_artifacts(run: Run) -> list[ArtifactNamed]:
    return [
        ArtifactNamed(
            name=name,
            id=str(fact["id"]),
            sha256=str(fact["sha256"]),
            size_bytes=int(fact["sizeBytes"]),
            links={"content": f"/api/v1/workspaces/{run.workspace_id}/artifacts/{fact['id']}/content"},
        )
        for name, fact in sorted(run.artifacts.items())
    ]


def shown_detail(detail: RunDetail) -> RunDetailShown:
    run = detail.run
    numbers = {shard.id: shard.number for shard in detail.shards}
    leases = [_named(lease, _LEASE) | {"shard": numbers[lease.shard_id]} for lease in detail.leases]
    url = run_url(run)
    return RunDetailShown.of(
        _values(run)
        | {
            "snapshot": _snapshot(detail.plan),
            "shards": [_shard(shard) for shard in detail.shards],
            "leases": leases,
            "commands": list(detail.commands),
            "artifacts": [],
            "allowed_commands": [kind.value for kind in detail.allowed_commands],
            "in_flight": sum(shard.live.in_flight for shard in detail.shards),
            "per_second": sum(shard.live.per_second for shard in detail.shards),
            "suppressed_errors": list(run.suppressed_errors),
            "links": {"self": url, "events": f"{url}/events", "items": f"{url}/items"},
        }
    ).model_copy(update={"artifacts": shown_artifacts(run)})


_LEASE = ("id", "worker_id", "epoch", "state", "concurrency", "acked_at_ms", "expires_at_ms")
_RUN = (
    *("id", "workspace_id", "job_id", "job_name", "state", "state_reason", "waiting", "provider_id", "account_id"),
    *("dry_run", "reason", "counts", "concurrency", "concurrency_min", "concurrency_max", "rates", "source_run_id"),
    *("schedule_id", "fire_at_ms", "created_by", "started_at_ms", "ended_at_ms", "version"),
    *("created_at_ms", "updated_at_ms"),
)


def _values(run: Run) -> dict[str, Any]:
    return _named(run, _RUN) | {
        "source_outcomes": list(run.source_outcomes),
        "is_pausing": run.wants_pause,
        "is_ending": run.wants_end.value != "" and not run.is_final,
        "has_results": not run.results_wanted,
    }


def _shard(shard: Shard) -> dict[str, Any]:
    live = _named(shard.live, ("in_flight", "parked", "per_second", "concurrency", "waiting"))
    return _named(shard, ("number", "first", "end", "state", "epoch", "counts", "reason")) | live


def _snapshot(plan: RunPlan) -> dict[str, Any]:
    return {
        "id": plan.snapshot_id,
        "hash": plan.hash,
        "job_version": plan.job_version,
        "provider_id": plan.provider_id,
        "provider_version": plan.provider_version,
        "engine_version": plan.engine_version,
        "account_id": plan.account.account_id,
        "account_name": plan.account.name,
        "account_version": plan.account.version,
        "message_id": plan.message.message_id,
        "message_name": plan.message.name,
        "message_revision": plan.message.revision,
        "audience_id": plan.audience.audience_id,
        "audience_snapshot_id": plan.audience.snapshot_id,
        "audience_revision": plan.audience.revision,
        "audience_sha256": plan.audience.sha256,
        "policies": dict(plan.policies),
    }


def _named(value: object, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}
