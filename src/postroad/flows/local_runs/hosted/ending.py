"""The end of a hosted run: the host knows how its shards ended, the folder gives results, summary and receipt."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from postroad.flows.local_runs.ending.account import ShardAccount
from postroad.flows.local_runs.ending.finish import OnExport, finish, write_end
from postroad.flows.local_runs.keeping.folder import TABLES, SendFolder
from postroad.flows.local_runs.keeping.frozen_audience import open_snapshot
from postroad.flows.local_runs.running.shard_order import journal_config
from postroad.flows.local_runs.views import SendSummary
from postroad.foundation.home import Home
from postroad.journal import list_segments, open_journal, spent_since
from postroad.recipients import ExportRequest, export_results
from postroad.vocabulary.counts import Counts


@dataclass(frozen=True, slots=True)
class HostedEnd:
    """`files` by name: results, succeeded, failed, unknown, unsent, skipped, summary, receipt; for a re-send also
    audience, origins and frozen, which a re-send of it needs."""

    summary: SendSummary
    files: dict[str, Path]


def end_hosted(path: Path, account: ShardAccount, home: Home, on_export: OnExport) -> HostedEnd:
    """Exports in a child process and blocks. Done again it gives the same files; what was written first holds.

    Raises AccountingBroken where journals and account disagree, StorageFull, StorageFailed, SendConflict.
    """
    folder = SendFolder(path)
    plan = folder.read_plan()
    if not folder.ended.is_file():
        folder.check_journal()
        write_end(folder, plan, account)
    summary = finish(folder, plan, open_snapshot(folder, plan), home, on_export=on_export)
    wanted = {"results", "summary", "receipt", *TABLES}
    files = {name: file for name, file in folder.files().items() if name in wanted}
    if plan.source is not None:
        files |= {"audience": folder.snapshot, "origins": folder.origins, "frozen": folder.frozen}
    return HostedEnd(summary, files)


@dataclass(frozen=True, slots=True)
class StandingShard:
    """A shard that no worker can end."""

    folder: Path
    number: int
    rehearses: bool


def count_as_it_stands(shard: StandingShard, fencing_token: str, now_ms: int, on_export: OnExport) -> Counts:
    """The account of one shard by its journal, where no worker can end it: what is in doubt is unknown, what nobody
    tried unsent. The export of the whole run decides in the same way.

    Opens the journal as a worker does, so that what a power loss left in doubt is written down. Blocks. Raises
    AlreadyRunning while a worker still holds it, JournalBroken, SendConflict, StorageFull.
    """
    folder = SendFolder(shard.folder)
    plan = folder.read_plan()
    first, end = plan.shards[shard.number]
    if not list_segments(folder.journal, shard.number):
        return Counts(total=end - first, unsent=end - first)
    with closing(
        open_journal(
            folder.journal,
            run_id=plan.run_id,
            shard=shard.number,
            fencing_token=fencing_token,
            config_sha256=journal_config(plan, rehearses=shard.rehearses),
            started_at_ms=now_ms,
            first=first,
        )
    ) as journal:
        state = journal.state
    with TemporaryDirectory(dir=folder.path, prefix=".export-") as scratch:
        exported = export_results(
            ExportRequest(
                journals=list_segments(folder.journal, shard.number),
                snapshot=open_snapshot(folder, plan),
                out_dir=Path(scratch),
                first=first,
                end=end,
            ),
            on_start=on_export,
        ).counts
    return Counts(
        total=exported.total,
        succeeded=exported.succeeded,
        failed=exported.failed,
        unknown=exported.unknown,
        unsent=exported.unsent,
        skipped=exported.skipped,
        retried=state.retried,
        maybe_doubled=state.maybe_doubled,
    )


def times_spent(path: Path, since_ms: int) -> list[tuple[int, tuple[str, ...], int]]:
    """What the journals say was taken of the budgets since then, the oldest first of each; nothing where there are
    none. Reads their ends only."""
    journal = SendFolder(path).journal
    if not journal.is_dir():
        return []
    segments = [segment for segment in list_segments(journal) if segment.stat().st_mtime * 1000 >= since_ms]
    return [time for segment in segments for time in spent_since(segment, since_ms)]
