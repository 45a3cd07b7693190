"""The embeddable run engine: recipients in, one accounted outcome each out.

No database, no configuration folder, no web framework. An application gives providers, secrets and sinks, starts runs
and steers them. Every run keeps six promises: nobody is lost, a restart sends nobody a second copy, memory does not
grow with the audience, a slow sink slows the sender, a command takes effect now, one bad item never ends its
neighbours.
"""

from postroad.engine.clock import SystemClock
from postroad.engine.commands import (
    CancelRun,
    ChangeConcurrency,
    ChangeRate,
    CommandResult,
    PauseRun,
    ResumeRun,
    RunCommand,
)
from postroad.engine.dryrun import DryRunProblem, DryRunReport, dry_run, preview
from postroad.engine.engine import Engine, RunHandle
from postroad.engine.pacing import Lease, LeasedPacer, Lender, LocalPacer, Pacer, TokenDesk, Wait
from postroad.engine.policies import ConcurrencyPolicy, ExecutionPolicies, ResultPolicy, RetryPolicy, TimeoutPolicy
from postroad.engine.ports import EventSink, Gatekeeper, Hold, RecipientSource, ResultSink, ResumableSource, Skip
from postroad.engine.reporting.events import EngineEvent, EventKind, Progress, Waiting
from postroad.engine.reporting.results import ItemResult
from postroad.engine.sources import IterableSource, SpooledSource, spool
from postroad.engine.spec import RunSpec, ShardRange, split_into_shards
from postroad.engine.summary import RunSummary

ENGINE_VERSION = "1.0"

__all__ = [
    "ENGINE_VERSION",
    "CancelRun",
    "ChangeConcurrency",
    "ChangeRate",
    "CommandResult",
    "ConcurrencyPolicy",
    "DryRunProblem",
    "DryRunReport",
    "Engine",
    "EngineEvent",
    "EventKind",
    "EventSink",
    "ExecutionPolicies",
    "Gatekeeper",
    "Hold",
    "ItemResult",
    "IterableSource",
    "Lease",
    "LeasedPacer",
    "Lender",
    "LocalPacer",
    "Pacer",
    "PauseRun",
    "Progress",
    "RecipientSource",
    "ResultPolicy",
    "ResultSink",
    "ResumableSource",
    "ResumeRun",
    "RetryPolicy",
    "RunCommand",
    "RunHandle",
    "RunSpec",
    "RunSummary",
    "ShardRange",
    "Skip",
    "SpooledSource",
    "SystemClock",
    "TimeoutPolicy",
    "TokenDesk",
    "Wait",
    "Waiting",
    "dry_run",
    "preview",
    "split_into_shards",
    "spool",
]
