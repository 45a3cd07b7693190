"""What a job is: who sends what to whom, and how. Pure: it decides and does not do."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from postroad.jobfile import Findings, Policies, read_policies
from postroad.vocabulary.refusals import FieldProblem, StateConflict, ValidationFailed

MOST_RECIPIENTS = 100_000_000


class JobStatus(StrEnum):
    ACTIVE = "ACTIVE"
    DISABLED = "DISABLED"
    """Nobody and no schedule can start it until it is switched on again."""
    ARCHIVED = "ARCHIVED"
    """Kept for its runs; its name is free."""


@dataclass(frozen=True, slots=True)
class OpenApiMark:
    """Whether programs with a token of scope `jobs:run` may start the job, and for how many recipients at most."""

    enabled: bool = False
    recipient_cap: int = 0
    """At most so many recipients in one such run; 0 only where it is not enabled."""

    def problems(self) -> tuple[FieldProblem, ...]:
        least = 1 if self.enabled else 0
        if least <= self.recipient_cap <= MOST_RECIPIENTS:
            return ()
        said = f"must be {least} to {MOST_RECIPIENTS}: how many people one call may reach at most"
        return (FieldProblem("openApi.recipientCap", "OUT_OF_RANGE", said),)


UNMARKED = OpenApiMark()


@dataclass(frozen=True, slots=True)
class Sending:
    """The parts of a job that decide what is sent to whom."""

    account_id: str
    message_id: str
    message_revision: int | None
    """A pinned revision; None takes the latest when a run is confirmed."""
    audience_id: str


@dataclass(frozen=True, slots=True)
class Job:
    id: str
    workspace_id: str
    name: str
    sending: Sending
    policies: Mapping[str, Any]
    """As a job file says them, with every default written out (`jobfile.Policies.canonical`)."""
    open_api: OpenApiMark
    status: JobStatus
    version: int
    created_at_ms: int
    updated_at_ms: int

    def changed(self, now_ms: int, **parts: Any) -> "Job":
        """The next version. Raises StateConflict for an archived job."""
        if self.status is JobStatus.ARCHIVED:
            raise StateConflict(f"the job {self.name!r} is archived and cannot be changed; copy it")
        return replace(self, version=self.version + 1, updated_at_ms=now_ms, **parts)


@dataclass(frozen=True, slots=True)
class JobFilter:
    name: str | None = None
    """A part of the name, in any case."""
    status: str | None = None
    account_id: str | None = None
    message_id: str | None = None
    audience_id: str | None = None
    created_after_ms: int | None = None
    created_before_ms: int | None = None

    def as_filters(self) -> dict[str, object]:
        """What a cursor is bound to."""
        return asdict(self)


def checked_policies(given: Mapping[str, Any]) -> dict[str, Any]:
    """The policies with every default written out. Raises ValidationFailed with all that is wrong in them."""
    findings = Findings()
    policies = read_policies(dict(given), findings)
    if findings.problems:
        found = tuple(FieldProblem(one.field, one.code, one.message) for one in findings.problems)
        raise ValidationFailed(f"{found[0].path}: {found[0].message}", problems=found)
    return policies.canonical()


def default_policies() -> dict[str, Any]:
    return Policies().canonical()
