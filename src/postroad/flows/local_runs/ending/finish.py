"""From journals to files that people read."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from postroad.flows.local_runs.ending.account import ShardAccount, read_account
from postroad.flows.local_runs.ending.receipt import write_receipt
from postroad.flows.local_runs.keeping.folder import SendFolder
from postroad.flows.local_runs.keeping.plan import SendPlan, readable_json
from postroad.flows.local_runs.views import SendSummary
from postroad.foundation.home import Home
from postroad.foundation.whole_files import write_whole
from postroad.journal import list_segments
from postroad.recipients import ExportRequest, ResultCounts, Snapshot, export_results
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.errors import AccountingBroken

OnExport = Callable[[Callable[[], None]], None]
"""Gets a function that ends the export from any thread."""


def write_end(folder: SendFolder, plan: SendPlan, account: ShardAccount) -> None:
    """The decision that the run has ended. Raises AccountingBroken, and writes nothing, where the sums are wrong."""
    account.counts.check(plan.audience.accepted, f"send {plan.run_id}")
    write_whole(folder.ended, readable_json(account.to_json()))


def finish(
    folder: SendFolder, plan: SendPlan, snapshot: Snapshot, home: Home, *, on_export: OnExport | None = None
) -> SendSummary:
    """Makes what is missing of results, summary and receipt of an ended run; blocks while results are exported.

    Doing it again gives the same files. Raises AccountingBroken where journals and account disagree.
    """
    account = read_account(folder)
    folder.remove_leftovers()
    if folder.is_complete:
        return summary_of(folder, plan, account)
    exported = export_results(
        ExportRequest(
            journals=list_segments(folder.journal),
            snapshot=snapshot,
            out_dir=folder.path,
            run_id=plan.run_id,
            snapshot_id=plan.audience.sha256,
        ),
        on_start=on_export,
    )
    _compare(account.counts, exported.counts)
    summary = summary_of(folder, plan, account)
    write_whole(folder.summary, readable_json(summary_json(summary)))
    write_receipt(folder, plan, summary, home)
    return summary


def summary_of(folder: SendFolder, plan: SendPlan, account: ShardAccount) -> SendSummary:
    return SendSummary(
        run_id=plan.run_id,
        state=account.state,
        reason=account.reason,
        counts=account.counts,
        rows=plan.audience.rows,
        accepted=plan.audience.accepted,
        duplicates=plan.audience.duplicates,
        rejected=plan.audience.rejected,
        started_at_ms=account.started_at_ms,
        ended_at_ms=account.ended_at_ms,
        suppressed_errors=account.suppressed_errors,
        out=folder.path,
        source_run_id=plan.source.run_id if plan.source else "",
    )


def summary_json(summary: SendSummary) -> dict[str, Any]:
    counts = summary.counts
    return {
        "runId": summary.run_id,
        "state": summary.state.value,
        "reason": summary.reason,
        "total": counts.total,
        "succeeded": counts.succeeded,
        "failed": counts.failed,
        "unknown": counts.unknown,
        "unsent": counts.unsent,
        "skipped": counts.skipped,
        "retried": counts.retried,
        "maybeDoubled": counts.maybe_doubled,
        "rows": summary.rows,
        "accepted": summary.accepted,
        "duplicates": summary.duplicates,
        "rejected": summary.rejected,
        "startedAt": utc_text(summary.started_at_ms),
        "endedAt": utc_text(summary.ended_at_ms),
        "suppressedErrors": list(summary.suppressed_errors),
        "sourceRunId": summary.source_run_id or None,
        "out": str(summary.out),
    }


def utc_text(at_ms: int) -> str:
    """RFC 3339 in UTC with milliseconds."""
    moment = datetime.fromtimestamp(at_ms / 1000, tz=UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _compare(counts: Counts, exported: ResultCounts) -> None:
    ours = (counts.total, counts.succeeded, counts.failed, counts.unknown, counts.unsent, counts.skipped)
    theirs = (
        exported.total,
        exported.succeeded,
        exported.failed,
        exported.unknown,
        exported.unsent,
        exported.skipped,
    )
    if ours != theirs:
        raise AccountingBroken(
            f"total, succeeded, failed, unknown, unsent and skipped are {ours} by the run's count and {theirs} by its "
            "journals; no result is reported, the journals are kept"
        )
