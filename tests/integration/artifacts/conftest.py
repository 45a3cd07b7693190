"""A keeper over real folders and each database."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.builders.databases import WORKSPACE, Databases

from postroad.drivers.localfs import LocalArtifactStore
from postroad.foundation.metrics import Metrics
from postroad.kernel.authz import Principal
from postroad.kernel.uow import Reading
from postroad.modules.artifacts import (
    Artifact,
    ArtifactAsked,
    ArtifactKeeper,
    ArtifactPolicy,
    ArtifactState,
    ArtifactType,
    Behalf,
    KeepingRules,
    Owner,
    get_artifact,
)
from postroad.modules.artifacts import store as rows
from postroad.vocabulary.roles import Role

HOUR, DAY = 3_600_000, 86_400_000
RULES = KeepingRules(
    {
        ArtifactType.IMPORT: DAY,
        ArtifactType.SNAPSHOT: 30 * DAY,
        ArtifactType.RESULT: 90 * DAY,
        ArtifactType.RESPONSES: 7 * DAY,
        ArtifactType.EXPORT: DAY,
        ArtifactType.LOG: 30 * DAY,
    },
    upload_timeout_ms=DAY,
    largest_bytes=10_000_000,
)
SYSTEM = Behalf(Principal.system("test"))


@dataclass
class Policies:
    policy: ArtifactPolicy = field(default_factory=ArtifactPolicy)

    def of_workspace(self, reading: Reading, workspace_id: str) -> ArtifactPolicy:
        return self.policy


@dataclass
class References:
    needed: set[str] = field(default_factory=set)

    def referenced(self, reading: Reading, artifact_ids: Sequence[str]) -> frozenset[str]:
        return frozenset(self.needed & set(artifact_ids))


@dataclass
class Room:
    databases: Databases
    keeper: ArtifactKeeper
    policies: Policies
    references: References
    folder: Path
    metrics: Metrics

    @property
    def operator(self) -> Behalf:
        return Behalf(self.databases.member(Role.OPERATOR), "trace-1", "127.0.0.1")

    def ask(self, kind: ArtifactType = ArtifactType.RESULT, size: int | None = None, sha256: str = "") -> ArtifactAsked:
        return ArtifactAsked(WORKSPACE, kind, Owner("run", "r1"), "results.csv", "text/csv", size, sha256)

    def stored(self, content: bytes = b"content", kind: ArtifactType = ArtifactType.RESULT) -> Artifact:
        upload = self.keeper.begin(self.operator, self.ask(kind, len(content)))
        upload.append(content)
        return upload.finish()

    def now(self, artifact_id: str) -> Artifact:
        return self.databases.database.read(
            SYSTEM.principal, lambda reading: get_artifact(reading, WORKSPACE, artifact_id)
        )

    def usage(self) -> tuple[int, int]:
        """Bytes used and reserved; checks on the way that the rows say the same."""

        def read(reading: Reading) -> tuple[tuple[int, int], int]:
            return rows.usage(reading, WORKSPACE), rows.stored_bytes(reading, WORKSPACE)

        usage, stored = self.databases.database.read(SYSTEM.principal, read)
        assert usage[0] == stored
        return usage

    def files(self) -> int:
        return sum(path.is_file() for path in self.folder.rglob("*"))

    def sweep_all(self) -> None:
        while self.keeper.sweep():
            pass

    def state_after(self, artifact_id: str, ms: int) -> ArtifactState:
        """Lets time pass in steps of an hour, as a sweep sees it."""
        for _ in range(max(1, ms // HOUR)):
            self.databases.clock.advance(ms=min(ms, HOUR))
            self.sweep_all()
        return self.now(artifact_id).state


@pytest.fixture
def room(databases: Databases, tmp_path: Path) -> Room:
    policies, references, metrics = Policies(), References(), Metrics()
    folder = tmp_path / "artifacts"
    keeper = ArtifactKeeper(
        databases.database,
        LocalArtifactStore(folder),
        policies=policies,
        references=references,
        rules=RULES,
        metrics=metrics,
    )
    return Room(databases, keeper, policies, references, folder, metrics)
