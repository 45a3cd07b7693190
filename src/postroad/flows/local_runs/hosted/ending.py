"""The end of a hosted run: the host knows how its shards ended, the folder gives results, summary and receipt."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from postroad.flows.local_runs.ending.account import ShardAccount
from postroad.flows.local_runs.ending.finish import finish, write_end
from postroad.flows.local_runs.keeping.folder import TABLES, SendFolder
from postroad.flows.local_runs.keeping.frozen_audience import open_snapshot
from postroad.flows.local_runs.views import Counts, SendSummary
from postroad.foundation.home import Home
from postroad.journal import list_segments, read_state
from postroad.recipients import ExportRequest, export_results


@dataclass(frozen=True, slots=True)
class HostedEnd:
    """`files` by name: results, succeeded, failed, unknown, unsent, skipped, summary, receipt."""

    summary: SendSummary
    files: dict[str, Path]


def end_hosted(path: Path, account: ShardAccount, home: Home) -> HostedEnd:
    """Exports in a child process and blocks. Done again it gives the same files; what was written first holds.

    Raises AccountingBroken where journals and account disagree, StorageFull, StorageFailed, SendConflict.
    """
    folder = SendFolder(path)
    plan = folder.read_plan()
    if not folder.ended.is_file():
        folder.check_journal()
        write_end(folder, plan, account)
    summary = finish(folder, plan, open_snapshot(folder, plan), home)
    wanted = {"results", "summary", "receipt", *TABLES}
    return HostedEnd(summary, {name: file for name, file in folder.files().items() if name in wanted})


def count_as_it_stands(path: Path, shard: int) -> Counts:
    """The account of one shard by its journal, where no worker can end it: what was tried without an answer is
    unknown, what nobody tried unsent. Blocks. The export of the whole run decides in the same way."""
    folder = SendFolder(path)
    plan = folder.read_plan()
    first, end = plan.shards[shard]
    state = read_state(folder.journal, shard)
    with TemporaryDirectory(dir=folder.path, prefix=".export-") as scratch:
        exported = export_results(
            ExportRequest(
                journals=list_segments(folder.journal, shard),
                snapshot=open_snapshot(folder, plan),
                out_dir=Path(scratch),
                first=first,
                end=end,
            )
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


def times_spent(path: Path, shards: int) -> list[tuple[int, tuple[str, ...], int]]:
    """What the journals say was taken of the budgets lately; nothing where there are none yet."""
    journal = SendFolder(path).journal
    if not journal.is_dir():
        return []
    return [time for shard in range(shards) for time in read_state(journal, shard).bucket_times]
