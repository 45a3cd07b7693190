"""Runs: one execution of a job over a frozen snapshot, in shards, under leases.

Owns the tables `runs`, `run_snapshots`, `run_shards`, `run_leases`, `run_lanes`, `run_commands`, `run_events`.

- A run walks the table `vocabulary.transitions.RUN`; every step is a compare-and-set on state and version with an event
  row in the same transaction, and nothing leaves a final state.
- A run is the fold of its shards. A shard has at most one active lease, whose epoch and token every write of its worker
  carries; an older one is refused for ever.
- No final state without an account: succeeded + failed + unknown + unsent + skipped = total, for each shard, for the
  run, and equal to the exported results.
- Nobody who may have been sent to is ever called unsent: only shards that no worker began are ended without one.
- A snapshot never changes; what was frozen is checked by its digest whenever it is read.
- Leases of a workspace's runs never reserve more than its policy allows, whoever claims at once.

Workers use claim_shards, acknowledge, renew, report, finish_shard, release, claim_runs_to_end and end_run, in this
process or behind a network; `parts.exchange` says what passes. People use command_run, through a flow that authorizes.

Publishes run.created, run.state_changed, run.paused, run.completed, run.failed, run.command.
"""

from postroad.modules.runs.commands.claim import ACCOUNT_CIRCUIT, OTHER_HOST, WORKSPACE_LIMIT, claim_shards
from postroad.modules.runs.commands.clean import delete_old_events
from postroad.modules.runs.commands.create import NewRun, add_run
from postroad.modules.runs.commands.expire import expire_leases, forget_worker
from postroad.modules.runs.commands.finish import claim_runs_to_end, end_run, finish_shard
from postroad.modules.runs.commands.hold import acknowledge, release, renew
from postroad.modules.runs.commands.report import report
from postroad.modules.runs.commands.steer import CommandAsk, command_run
from postroad.modules.runs.model import CommandKind, CommandState, LeaseState, Live, Run, Shard, Waiting, WantsEnd
from postroad.modules.runs.parts.exchange import (
    MOST_EVENTS,
    ArtifactFact,
    CommandAnswer,
    CommandOrder,
    LeasedShard,
    Posture,
    Renewal,
    RenewalAsk,
    ReportAck,
    ReportedEvent,
    RunEnd,
    RunToEnd,
    ShardEnd,
    ShardReport,
    WorkerCapacity,
)
from postroad.modules.runs.parts.leasing import RunLease, ShardFence
from postroad.modules.runs.parts.plan import (
    AUDIENCE,
    FROZEN,
    ORIGINS,
    RESULTS,
    PlannedAccount,
    PlannedAudience,
    PlannedMessage,
    RunPlan,
    SourceRun,
    confirmation_hash,
    secrets_named,
)
from postroad.modules.runs.ports import (
    COMMANDS_TOPIC,
    RUNS_TOPIC,
    WORK_TOPIC,
    Artifacts,
    Circuits,
    CircuitVerdict,
    LeaseRules,
    Meters,
    Quotas,
    RunQuota,
    RunSurroundings,
)
from postroad.modules.runs.queries import (
    EventPortion,
    RunDetail,
    active_runs,
    ended_before,
    found_run,
    get_command,
    get_run,
    get_run_detail,
    is_snapshot_used,
    list_run_events,
    list_runs,
    newest_event,
    plan_of_run,
    run_of_firing,
    run_to_refer_to,
    runs_of_account_since,
    same_as_earlier,
)
from postroad.modules.runs.store.record_rows import CommandRow, RunEventRow
from postroad.modules.runs.store.run_rows import RunFilter

__all__ = [
    "ACCOUNT_CIRCUIT",
    "AUDIENCE",
    "COMMANDS_TOPIC",
    "FROZEN",
    "MOST_EVENTS",
    "ORIGINS",
    "OTHER_HOST",
    "RESULTS",
    "RUNS_TOPIC",
    "WORKSPACE_LIMIT",
    "WORK_TOPIC",
    "ArtifactFact",
    "Artifacts",
    "CircuitVerdict",
    "Circuits",
    "CommandAnswer",
    "CommandAsk",
    "CommandKind",
    "CommandOrder",
    "CommandRow",
    "CommandState",
    "EventPortion",
    "LeaseRules",
    "LeaseState",
    "LeasedShard",
    "Live",
    "Meters",
    "NewRun",
    "PlannedAccount",
    "PlannedAudience",
    "PlannedMessage",
    "Posture",
    "Quotas",
    "Renewal",
    "RenewalAsk",
    "ReportAck",
    "ReportedEvent",
    "Run",
    "RunDetail",
    "RunEnd",
    "RunEventRow",
    "RunFilter",
    "RunLease",
    "RunPlan",
    "RunQuota",
    "RunSurroundings",
    "RunToEnd",
    "Shard",
    "ShardEnd",
    "ShardFence",
    "ShardReport",
    "SourceRun",
    "Waiting",
    "WantsEnd",
    "WorkerCapacity",
    "acknowledge",
    "active_runs",
    "add_run",
    "claim_runs_to_end",
    "claim_shards",
    "command_run",
    "confirmation_hash",
    "delete_old_events",
    "end_run",
    "ended_before",
    "expire_leases",
    "finish_shard",
    "forget_worker",
    "found_run",
    "get_command",
    "get_run",
    "get_run_detail",
    "is_snapshot_used",
    "list_run_events",
    "list_runs",
    "newest_event",
    "plan_of_run",
    "release",
    "renew",
    "report",
    "run_of_firing",
    "run_to_refer_to",
    "runs_of_account_since",
    "same_as_earlier",
    "secrets_named",
]
