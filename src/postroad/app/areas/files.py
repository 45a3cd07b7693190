"""Files: the store of artifacts, the policy of workspaces, and who still needs a file."""

from collections.abc import Callable, Sequence
from functools import cached_property

from postroad.app.areas.ground import Ground
from postroad.foundation.service_settings import RetentionSettings, Settings
from postroad.kernel.database import Database
from postroad.kernel.service import BackgroundService
from postroad.kernel.uow import Reading
from postroad.modules import audiences, workspaces
from postroad.modules.artifacts import (
    ArtifactKeeper,
    ArtifactPolicy,
    ArtifactStore,
    ArtifactType,
    KeepingRules,
)
from postroad.reads.artifact_uses import needed_by_runs

NeededBy = Callable[[Reading, Sequence[str]], frozenset[str]]


class FilesArea(Ground):
    @cached_property
    def artifact_store(self) -> ArtifactStore:
        from postroad.drivers.localfs import LocalArtifactStore

        return LocalArtifactStore(self.settings.artifacts.directory)

    @cached_property
    def artifacts(self) -> ArtifactKeeper:
        return self._keeper_over(self.database)

    def files_needed_by(self) -> list[NeededBy]:
        """Who is asked before a file goes. An area with files that others refer to extends the list of `super()`."""
        return [audiences.artifacts_in_use, needed_by_runs]

    def background_services(self) -> list[BackgroundService]:
        keeper = self._keeper_over(self.background_database)
        return [*super().background_services(), keeper.service(self.settings.retention.sweep_interval_s)]

    def _keeper_over(self, database: Database) -> ArtifactKeeper:
        return ArtifactKeeper(
            database,
            self.artifact_store,
            policies=_Policies(),
            references=_References(self.files_needed_by()),
            rules=keeping_rules(self.settings),
            metrics=self.metrics,
        )


class _Policies:
    def of_workspace(self, reading: Reading, workspace_id: str) -> ArtifactPolicy:
        policy = workspaces.policy_of(reading, workspace_id)
        return ArtifactPolicy(policy.artifact_quota_bytes, policy.artifact_retention_seconds * 1000)


class _References:
    """A file is needed where any room says so."""

    def __init__(self, rooms: Sequence[NeededBy]) -> None:
        self._rooms = rooms

    def referenced(self, reading: Reading, artifact_ids: Sequence[str]) -> frozenset[str]:
        return frozenset().union(*(needed(reading, artifact_ids) for needed in self._rooms))


def keeping_rules(settings: Settings) -> KeepingRules:
    return KeepingRules(
        periods_ms=_periods_ms(settings.retention),
        upload_timeout_ms=_ms(settings.artifacts.upload_timeout_s),
        largest_bytes=settings.limits.upload_bytes,
        free_bytes=settings.artifacts.free_space_bytes,
    )


def _periods_ms(said: RetentionSettings) -> dict[ArtifactType, int]:
    return {
        ArtifactType.IMPORT: _ms(said.imports_s),
        ArtifactType.SNAPSHOT: _ms(said.snapshots_s),
        ArtifactType.RESULT: _ms(said.results_s),
        ArtifactType.RESPONSES: _ms(said.responses_s),
        ArtifactType.EXPORT: _ms(said.exports_s),
        ArtifactType.LOG: _ms(said.logs_s),
    }


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
