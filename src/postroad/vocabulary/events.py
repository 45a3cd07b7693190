"""The events of the service: their names, and the envelope each one travels in.

An event is a fact in the past tense that another team could read in a year: ids, values and digests; never secrets,
message texts, recipients or paths. The sentence below each name stands in the reference.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class EventName(StrEnum):
    WORKSPACE_CHANGED = "workspace.changed"
    """A workspace was created, renamed or archived, or its policy was changed."""
    USER_CHANGED = "user.changed"
    """A user was created, disabled, enabled or given another password."""
    MEMBER_CHANGED = "member.changed"
    """A user joined or left a workspace or was given another role in it."""
    TOKEN_CHANGED = "token.changed"  # noqa: S105  (kernel: the name of an event, no password; until 2028-01-01)
    """A personal token was made or revoked, disabled after refused calls, or enabled again."""
    SECRET_CHANGED = "secret.changed"  # noqa: S105  (kernel: the name of an event, no password; until 2028-01-01)
    """A secret was replaced or deleted."""
    ACCOUNT_CHANGED = "account.changed"
    """An account was created, changed, disabled, enabled or archived."""
    ACCOUNT_TESTED = "account.tested"
    """The connection of an account was tested."""
    ACCOUNT_CIRCUIT_CHANGED = "account.circuit_changed"
    """The authentication circuit of an account opened or closed."""
    MESSAGE_CHANGED = "message.changed"
    """A message was created, renamed or archived."""
    MESSAGE_REVISED = "message.revised"
    """The content of a message changed: a new revision stands."""
    AUDIENCE_CHANGED = "audience.changed"
    """An audience was created, renamed or archived."""
    AUDIENCE_IMPORT_CHANGED = "audience_import.changed"
    """An import of recipients came to another state."""
    AUDIENCE_COMMITTED = "audience.committed"
    """A new immutable snapshot of an audience stands."""
    JOB_CHANGED = "job.changed"
    """A job was created, changed, enabled, disabled or archived."""
    SCHEDULE_CHANGED = "schedule.changed"
    """A schedule was created, changed, enabled, disabled or deleted."""
    SCHEDULE_FIRED = "schedule.fired"
    """A schedule came to its time: a run was started, skipped or refused."""
    RUN_CREATED = "run.created"
    """A run was frozen and waits for a worker."""
    RUN_STATE_CHANGED = "run.state_changed"
    """A run came to another state."""
    RUN_PAUSED = "run.paused"
    """A run was paused."""
    RUN_COMPLETED = "run.completed"
    """A run came to its end; its five outcomes add up."""
    RUN_FAILED = "run.failed"
    """A run ended because it could not go on."""
    RUN_COMMAND = "run.command"
    """A command to a run was accepted, applied or rejected."""
    ARTIFACT_READY = "artifact.ready"
    """A file is whole and can be downloaded."""
    ARTIFACT_DELETED = "artifact.deleted"
    """A file's retention is over, or it was deleted by a person."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """What an event is about. Versions of one aggregate grow by one with each change."""

    type: str
    id: str
    version: int


@dataclass(frozen=True, slots=True)
class Causation:
    """The event that led to a piece of work, and how many steps lie between the first cause and it."""

    event_id: str
    hop: int


@dataclass(frozen=True, slots=True)
class Event:
    event_id: str
    name: EventName
    schema_version: int
    workspace_id: str
    """Empty for what belongs to no workspace, such as a user."""
    project_id: str | None
    aggregate: Aggregate
    actor: str
    """`user:<id>`, `token:<id>` or `system:<name>`."""
    correlation_id: str
    causation_id: str | None
    hop: int
    """0 for what a person or the clock began."""
    idempotency_key: str
    """The same for every delivery of this event."""
    payload_digest: str
    """SHA-256 of the payload as canonical JSON, hexadecimal."""
    occurred_at_ms: int
    payload: Mapping[str, object]
