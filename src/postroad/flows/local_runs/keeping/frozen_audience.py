"""The audience of a frozen send: the snapshot that was confirmed, or none."""

from postroad.flows.local_runs.keeping.folder import SendFolder
from postroad.flows.local_runs.keeping.plan import SendPlan
from postroad.recipients import Snapshot
from postroad.vocabulary.errors import AudienceInvalid, SendConflict


def open_snapshot(folder: SendFolder, plan: SendPlan) -> Snapshot:
    """Raises SendConflict where the audience is not the frozen one."""
    try:
        return Snapshot.open(folder.snapshot, sha256=plan.audience.sha256)
    except AudienceInvalid as error:
        text = f"audience: {folder.snapshot} is not the frozen one ({error.message}); restore it"
        raise SendConflict(text, field="audience") from error
