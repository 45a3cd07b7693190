"""The end of a hosted run: the host knows how its shards ended, the folder gives results, summary and receipt."""

from dataclasses import dataclass
from pathlib import Path

from postroad.flows.local_runs.ending.account import ShardAccount
from postroad.flows.local_runs.ending.finish import finish, write_end
from postroad.flows.local_runs.keeping.folder import TABLES, SendFolder
from postroad.flows.local_runs.keeping.frozen_audience import open_snapshot
from postroad.flows.local_runs.views import SendSummary
from postroad.foundation.home import Home


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
