"""What audiences need from others, filled by the rooms that have it."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from postroad.egress import Egress
from postroad.foundation.keyring import KeyRing
from postroad.kernel.authz import Principal
from postroad.kernel.database import Database
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules import artifacts, audiences, secrets
from postroad.reads.audience_uses import snapshots_needed_by_runs
from postroad.reads.configuration_uses import uses_of_audience
from postroad.spi import ProviderFactory
from postroad.vocabulary.secret import Secret

_ME = Principal.system("audiences")
_CONTENT_TYPES = {".csv": "text/csv", ".json": "application/json", ".parquet": "application/vnd.apache.parquet"}


@dataclass(frozen=True, slots=True)
class KeptFiles:
    """`audiences.ArtifactKeeper` over the artifacts of the service."""

    keeper: artifacts.ArtifactKeeper

    def adopt(self, note: audiences.FileNote, path: Path) -> str:
        asked = artifacts.ArtifactAsked(
            workspace_id=note.workspace_id,
            type=artifacts.ArtifactType(note.kept_as.value),
            owner=artifacts.Owner("audience_import", note.import_id),
            file_name=note.file_name,
            content_type=_CONTENT_TYPES.get(path.suffix, "application/octet-stream"),
        )
        kept = self.keeper.store_file(artifacts.Behalf(_ME), asked, path)
        path.unlink(missing_ok=True)
        return kept.id

    @contextmanager
    def opened(self, workspace_id: str, artifact_id: str) -> Iterator[Path]:
        with self.keeper.local_copy(workspace_id, artifact_id) as path:
            yield path

    def release(self, uow: UnitOfWork, workspace_id: str, artifact_id: str) -> None:
        artifacts.release_artifact(uow, workspace_id, artifact_id)


class AudienceUsesIn:
    """`audiences.AudienceUses`: the jobs that send to an audience, the runs that send from a snapshot."""

    def of_audience(self, uow: UnitOfWork, workspace_id: str, audience_id: str) -> Sequence[audiences.Referrer]:
        found = uses_of_audience(uow, workspace_id, audience_id)
        return [audiences.Referrer(use.kind, use.id, use.name) for use in found]

    def needed_snapshots(self, reading: Reading, snapshot_ids: Sequence[str]) -> frozenset[str]:
        return snapshots_needed_by_runs(reading, snapshot_ids)


@dataclass(frozen=True, slots=True)
class AudienceSurroundings:
    """`audiences.Surroundings`: secrets of the workspace, schemas of the providers, the address policy."""

    database: Database
    keys: KeyRing
    factory: Callable[[str], ProviderFactory]
    egress: Egress

    def secret(self, workspace_id: str, reference: str) -> Secret:
        found = self.database.read(_ME, lambda reading: secrets.resolve(reading, self.keys, workspace_id, [reference]))
        return found[reference]

    def recipient_schema(self, provider_id: str) -> Mapping[str, Any]:
        return self.factory(provider_id).descriptor.recipient_schema

    def resolve_checked(self, host: str, port: int) -> str:
        return str(asyncio.run(self.egress.checked_addresses(host, port))[0])
