"""A local run: one run kept in a folder, without a service.

    prepare_send   read the job, import the audience into a snapshot, check everything          (a folder, not frozen)
    dry_run        render the whole audience, send nothing; its hash is what a person confirms
    start_send     freeze, then execute: journal, engine, results, receipt
    resume_send    go on after a crash, a kill or an abort: nobody is missed, nobody gets a second copy
    resend         a linked new send to those who failed, are unsent or unknown

The folder is the whole truth: `frozen.json` says what is sent, `journal/` what became of each recipient, and everything
else is made from the two. A crash between any two lines leaves a folder from which `resume_send` ends the run; when
all items were settled already, it makes the same results, summary and receipt again.

`serve_shard` is the worker's side of a send with several processes, for `postroad.worker` alone. A service that keeps
its runs elsewhere uses `freeze_hosted`, `WorkerProcess` and `end_hosted` on a folder of the same form.

A caller parses, asks and shows. It gives `Surroundings` and, while a send runs, an `Observer`, which receives
`Controls`. The calls here block; a send runs its own event loop in the calling thread.
"""

from postroad.flows.local_runs.ending.account import ShardAccount
from postroad.flows.local_runs.ending.finish import summary_json
from postroad.flows.local_runs.ending.receipt import export_public_key, verify_receipt
from postroad.flows.local_runs.hosted.ending import (
    HostedEnd,
    StandingShard,
    count_as_it_stands,
    end_hosted,
    times_spent,
)
from postroad.flows.local_runs.hosted.folder import (
    HostedRun,
    HostedSource,
    find_hosted,
    freeze_hosted,
    frozen_plan,
    is_frozen,
)
from postroad.flows.local_runs.hosted.showing import ShownRuns
from postroad.flows.local_runs.keeping.plan import AudienceRecord, SendPlan
from postroad.flows.local_runs.listing import list_sends, open_send
from postroad.flows.local_runs.orders import AudienceOrder, ResendOrder, ResumeOrder, SendOrder
from postroad.flows.local_runs.ports import (
    Controls,
    EndpointGate,
    Observer,
    ProviderLoader,
    SilentObserver,
    Surroundings,
)
from postroad.flows.local_runs.preparing.audience import check_audience, write_accepted
from postroad.flows.local_runs.preparing.prepare import discard, prepare_send
from postroad.flows.local_runs.preparing.rehearsal import dry_run, preview_message, test_send
from postroad.flows.local_runs.preparing.resend import resend
from postroad.flows.local_runs.running.board import AbortRun, BoardCommand, DrainRun
from postroad.flows.local_runs.running.loops import loop_factory
from postroad.flows.local_runs.running.one_worker import ShardListener, WorkerEnd, WorkerProcess
from postroad.flows.local_runs.running.shard_order import ShardOrder
from postroad.flows.local_runs.running.worker import serve_shard
from postroad.flows.local_runs.start import resume_send, start_send
from postroad.flows.local_runs.views import (
    EXIT_CODES,
    INTERRUPTED_EXIT_CODE,
    AudienceFacts,
    DryRunReport,
    ItemPreview,
    Notice,
    NoticeKind,
    PreparedSend,
    ReceiptCheck,
    RowProblem,
    SendProgress,
    SendStarted,
    SendSummary,
    SendView,
    TestSendResult,
)

__all__ = [
    "EXIT_CODES",
    "INTERRUPTED_EXIT_CODE",
    "AbortRun",
    "AudienceFacts",
    "AudienceOrder",
    "AudienceRecord",
    "BoardCommand",
    "Controls",
    "DrainRun",
    "DryRunReport",
    "EndpointGate",
    "HostedEnd",
    "HostedRun",
    "HostedSource",
    "ItemPreview",
    "Notice",
    "NoticeKind",
    "Observer",
    "PreparedSend",
    "ProviderLoader",
    "ReceiptCheck",
    "ResendOrder",
    "ResumeOrder",
    "RowProblem",
    "SendOrder",
    "SendPlan",
    "SendProgress",
    "SendStarted",
    "SendSummary",
    "SendView",
    "ShardAccount",
    "ShardListener",
    "ShardOrder",
    "ShownRuns",
    "SilentObserver",
    "StandingShard",
    "Surroundings",
    "TestSendResult",
    "WorkerEnd",
    "WorkerProcess",
    "check_audience",
    "count_as_it_stands",
    "discard",
    "dry_run",
    "end_hosted",
    "export_public_key",
    "find_hosted",
    "freeze_hosted",
    "frozen_plan",
    "is_frozen",
    "list_sends",
    "loop_factory",
    "open_send",
    "prepare_send",
    "preview_message",
    "resend",
    "resume_send",
    "serve_shard",
    "start_send",
    "summary_json",
    "test_send",
    "times_spent",
    "verify_receipt",
    "write_accepted",
]
