"""What the routes of audiences and schedules ask of the composition root."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from postroad.entrypoints.http.composition import HttpComposition

if TYPE_CHECKING:
    from postroad.modules.audiences import ArtifactKeeper, AudienceUses, ReadingRules, Reception, Showing
    from postroad.modules.schedules import ScheduledJobs


@dataclass(frozen=True, slots=True)
class AudienceParts:
    reception: "Reception"
    showing: "Showing"
    rules: "ReadingRules"
    keeper: "ArtifactKeeper"
    uses: "AudienceUses"


class UploadLimits(Protocol):
    @property
    def upload_bytes(self) -> int: ...


class AudienceComposition(HttpComposition, Protocol):
    @property
    def audiences(self) -> AudienceParts: ...

    @property
    def limits(self) -> UploadLimits: ...


class ScheduleComposition(HttpComposition, Protocol):
    @property
    def scheduled_jobs(self) -> "ScheduledJobs": ...
