"""Makes the folder of a hosted run, once, whoever of its shards comes first.

    audience.parquet  a link to the snapshot, or for a re-send the part of the source's audience
    origins.bin       only for a re-send
    frozen.json       last: without it the folder is made anew

A shard that has begun before must find its folder frozen and its journal there; without them nobody knows who was sent
to, and the shard is refused.
"""

import os
import shutil
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from postroad.flows.local_runs.keeping.folder import SendFolder, read_json
from postroad.flows.local_runs.keeping.origins import Origins
from postroad.flows.local_runs.keeping.plan import AudienceRecord, SendPlan, SourceSend
from postroad.flows.local_runs.keeping.subset import SubsetSource, write_subset
from postroad.foundation.whole_files import storage_refusals, sync_file, sync_folder
from postroad.jobfile import Policies
from postroad.recipients import Snapshot
from postroad.spi import ConfigDocument
from postroad.vocabulary.errors import SendConflict
from postroad.vocabulary.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class HostedSource:
    """The run whose items are sent again, by its files. One that was a re-send itself has the last two."""

    run_id: str
    outcomes: Collection[Outcome]
    results: Path
    origins: Path | None = None
    frozen: Path | None = None


@dataclass(frozen=True, slots=True)
class HostedRun:
    """What is sent, as the host keeps it. `snapshot` is the file of the audience; for a re-send the source's."""

    folder: Path
    run_id: str
    name: str
    provider_id: str
    provider_version: str
    engine_version: str
    account: ConfigDocument
    message: ConfigDocument
    policies: Policies
    shards: tuple[tuple[int, int], ...]
    snapshot: Path
    audience: AudienceRecord
    frozen_at_ms: int
    source: HostedSource | None = None


def find_hosted(path: Path, run_id: str, *, has_begun: bool) -> SendPlan | None:
    """The plan of the run's folder; None where it is still to be made.

    Raises SendConflict where the folder belongs to another run, was changed, or is gone although a shard `has_begun`.
    """
    folder = SendFolder(path)
    if folder.is_frozen:
        plan = folder.read_plan()
        if plan.run_id != run_id:
            raise SendConflict(f"{folder.path} belongs to run {plan.run_id}; nothing is sent", field="folder")
        folder.check_journal()
        return plan
    if has_begun:
        raise SendConflict(
            f"{folder.path} is gone, and with it who was sent to; restore it, nothing is sent until then",
            field="folder",
        )
    return None


def freeze_hosted(run: HostedRun) -> SendPlan:
    """Makes the folder, which is not frozen yet. Blocks while files are written.

    Raises SendConflict, AudienceInvalid, StorageFull, StorageFailed.
    """
    folder = SendFolder(run.folder)
    with storage_refusals(folder.path):
        folder.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        sync_folder(folder.path.parent)
    folder.write_job(run.name, {})
    audience, link = _audience(run, folder)
    plan = SendPlan(
        run_id=run.run_id,
        name=run.name,
        provider_id=run.provider_id,
        provider_version=run.provider_version,
        engine_version=run.engine_version,
        audience=audience,
        account=run.account,
        message=run.message,
        policies=run.policies,
        endpoints=(),
        base=folder.path / "files",
        shards=run.shards,
        source=link,
        frozen_at_ms=run.frozen_at_ms,
    )
    folder.make_journal()
    folder.write_plan(plan)
    return plan


def _audience(run: HostedRun, folder: SendFolder) -> tuple[AudienceRecord, SourceSend | None]:
    if run.source is None:
        _link(run.snapshot, folder.snapshot)
        Snapshot.open(folder.snapshot, sha256=run.audience.sha256)
        return run.audience, None
    source = run.source
    Snapshot.open(run.snapshot, sha256=run.audience.sha256)
    with closing(_origins(source)) as origins:
        ended = SubsetSource(f"run {source.run_id}", run.snapshot, source.results, origins)
        snapshot, runs = write_subset(ended, source.outcomes, folder)
    if snapshot.count != run.audience.accepted:
        raise SendConflict(
            f"the source run has {snapshot.count} such recipients, but {run.audience.accepted} were confirmed; "
            "nothing is sent",
            field="source",
        )
    audience = AudienceRecord(snapshot.sha256, snapshot.count, snapshot.count, 0, 0)
    return audience, SourceSend(source.run_id, "", tuple(sorted(source.outcomes)), runs)


def _origins(source: HostedSource) -> Origins:
    """Raises SendConflict where the files do not belong together."""
    if source.frozen is None or source.origins is None:
        return Origins(source.run_id)
    return Origins.open(source.origins, SendPlan.from_json(read_json(source.frozen), f"run {source.run_id}"))


def _link(original: Path, target: Path) -> None:
    """By hard link where the file system has them; a copy else."""
    target.unlink(missing_ok=True)
    with storage_refusals(target):
        try:
            os.link(original, target)
        except OSError:
            shutil.copyfile(original, target)
            sync_file(target)
        sync_folder(target.parent)


def frozen_plan(path: Path) -> SendPlan:
    """Raises InvalidInput where there is none, SendConflict where it was changed."""
    return SendFolder(path).read_plan()


def is_frozen(path: Path) -> bool:
    return SendFolder(path).is_frozen
