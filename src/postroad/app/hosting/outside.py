"""Secrets and results of hosted runs, in the rooms of the service."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from postroad.foundation.keyring import KeyRing
from postroad.kernel.authz import Principal
from postroad.kernel.database import Database
from postroad.kernel.pages import PageRequest
from postroad.modules import artifacts, runs, secrets
from postroad.modules.artifacts import Artifact, ArtifactAsked, ArtifactKeeper, ArtifactType, Behalf, Owner
from postroad.modules.runs import ArtifactFact, RunPlan, RunToEnd

_ME = Principal.system("embedded-workers")
_CONTENT_TYPES = {".parquet": "application/vnd.apache.parquet", ".csv": "text/csv; charset=utf-8"}


def _sha256_of(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


class PlannedSecrets:
    """`flows.hosting.SecretTexts`: read when a shard is leased, kept nowhere."""

    def __init__(self, database: Database, keys: KeyRing) -> None:
        self._database = database
        self._keys = keys

    def of(self, plan: RunPlan) -> Mapping[str, str]:
        """A dry run opens nothing and needs none."""
        if plan.dry_run:
            return {}
        named = runs.secrets_named(plan)
        found = self._database.read(
            _ME,
            lambda reading: secrets.resolve(reading, self._keys, plan.workspace_id, named, plan.account.account_id),
        )
        return {name: secret.reveal() for name, secret in found.items()}


class ResultFiles:
    """`flows.hosting.ResultKeeper` over the artifacts."""

    def __init__(self, database: Database, files: ArtifactKeeper) -> None:
        self._database = database
        self._files = files

    def keep(self, run: RunToEnd, file: Path) -> ArtifactFact:
        """A file that an earlier, interrupted end of this run has kept already is taken as it is."""
        shown, sha256 = file.name, _sha256_of(file)
        kept = self._kept(run)
        artifact = next((known for known in kept if known.file_name == shown and known.sha256 == sha256), None)
        if artifact is None:
            artifact = self._files.store_file(
                Behalf(_ME),
                ArtifactAsked(
                    workspace_id=run.workspace_id,
                    type=ArtifactType.RESULT,
                    owner=Owner("run", run.run_id),
                    content_type=_CONTENT_TYPES.get(file.suffix, "application/json"),
                    file_name=shown,
                ),
                file,
            )
        return ArtifactFact(artifact.id, artifact.sha256, artifact.size_bytes)

    def _kept(self, run: RunToEnd) -> tuple[Artifact, ...]:
        wanted = artifacts.ArtifactFilter(
            type=ArtifactType.RESULT, state=artifacts.ArtifactState.READY, owner_type="run", owner_id=run.run_id
        )
        page = self._database.read(
            _ME, lambda reading: artifacts.list_artifacts(reading, run.workspace_id, PageRequest(100), wanted)
        )
        return tuple(page.items)
