"""What the service says no with: each refusal has the code that stands on the wire and what a caller needs to go on.

A refusal is an error of the tree in `errors`; entrypoints map its kind once and its code is stable. Source: spec wepush
§25.2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from postroad.vocabulary.errors import Kind, PostroadError


@dataclass(frozen=True, slots=True)
class FieldProblem:
    path: str
    """Dotted, as the caller wrote it; empty for the whole."""
    code: str
    message: str


class _WithProblems(PostroadError):
    def __init__(self, message: str, *, problems: Sequence[FieldProblem] = (), field: str = "") -> None:
        super().__init__(message, field=field or (problems[0].path if problems else ""))
        self.problems = tuple(problems)


class ValidationFailed(_WithProblems):
    """A request, a field or a cursor is not what it must be; `problems` names each field."""

    code = "VALIDATION_FAILED"
    kind = Kind.INVALID

    @classmethod
    def of(cls, path: str, code: str, message: str) -> "ValidationFailed":
        """A refusal because of one field."""
        return cls(message, problems=(FieldProblem(path, code, message),))


class ProviderConfigInvalid(_WithProblems):
    """The provider refuses the configuration of an account or a message; `problems` names each field (422)."""

    code = "PROVIDER_CONFIG_INVALID"
    kind = Kind.INVALID


class AuthenticationRequired(PostroadError):
    """Nobody is signed in, or the session or token is no longer valid (401)."""

    code = "AUTHENTICATION_REQUIRED"
    kind = Kind.DENIED


class AccessDenied(PostroadError):
    """The caller is known and may not do this. The other attributes are for the audit."""

    code = "ACCESS_DENIED"
    kind = Kind.DENIED

    def __init__(
        self, message: str, *, action: str = "", workspace_id: str = "", resource_type: str = "", resource_id: str = ""
    ) -> None:
        super().__init__(message)
        self.action = action
        self.workspace_id = workspace_id
        self.resource_type = resource_type
        self.resource_id = resource_id


class ResourceNotFound(PostroadError):
    """It does not exist, or the caller may not know that it does."""

    code = "RESOURCE_NOT_FOUND"
    kind = Kind.MISSING


class VersionConflict(PostroadError):
    """The resource was changed since it was read; `head` tells its present version.

    Kind STALE (412) where the version came in If-Match, CONFLICT (409) where it came in the body.
    """

    code = "VERSION_CONFLICT"
    kind = Kind.CONFLICT

    def __init__(self, message: str, *, head: Mapping[str, object], in_header: bool = False) -> None:
        super().__init__(message)
        self.head = dict(head)
        if in_header:
            self.kind = Kind.STALE


class PreconditionRequired(PostroadError):
    """The change needs the version it was made from, in If-Match or in the body (428)."""

    code = "PRECONDITION_REQUIRED"
    kind = Kind.INVALID


class IdempotencyConflict(PostroadError):
    """The Idempotency-Key was used before for another request."""

    code = "IDEMPOTENCY_CONFLICT"
    kind = Kind.CONFLICT


class ProviderNotAvailable(PostroadError):
    """The provider that this needs is not installed or cannot be used now."""

    code = "PROVIDER_NOT_AVAILABLE"
    kind = Kind.CONFLICT


class RunStateConflict(PostroadError):
    """The run cannot do this in the state it is in."""

    code = "RUN_STATE_CONFLICT"
    kind = Kind.CONFLICT


class WorkerNotAvailable(PostroadError):
    """No worker can take this now."""

    code = "WORKER_NOT_AVAILABLE"
    kind = Kind.UNAVAILABLE


class LeaseExpired(PostroadError):
    """The lease is over or belongs to somebody else by now; whoever held it must stop."""

    code = "LEASE_EXPIRED"
    kind = Kind.CONFLICT


class ArtifactNotReady(PostroadError):
    """The artifact is still being written, or is gone."""

    code = "ARTIFACT_NOT_READY"
    kind = Kind.CONFLICT


class RateLimited(PostroadError):
    """Too many requests; `retry_after_s` says when the next one may come (429)."""

    code = "RATE_LIMITED"
    kind = Kind.BUSY


class Overloaded(PostroadError):
    """The service has more to do than it can; nothing was changed, try again after `retry_after_s` (503)."""

    code = "OVERLOADED"
    kind = Kind.UNAVAILABLE


class QuotaExceeded(PostroadError):
    """A limit of the workspace's policy would be passed."""

    code = "QUOTA_EXCEEDED"
    kind = Kind.CONFLICT


class StateConflict(PostroadError):
    """The resource is in a state, or is referred to by others, so that this cannot be done now."""

    code = "STATE_CONFLICT"
    kind = Kind.CONFLICT


class DatabaseUnavailable(PostroadError):
    """The database cannot be reached or cannot be used; nothing was changed (503)."""

    code = "DATABASE_UNAVAILABLE"
    kind = Kind.UNAVAILABLE


class CommitUnknown(PostroadError):
    """The connection broke while the change was being committed: it was made whole or not at all, and nobody knows.

    Repeating the request with the same Idempotency-Key is safe; without a key, look first.
    """

    code = "COMMIT_UNKNOWN"
    kind = Kind.UNAVAILABLE


class DatabaseRefused(PostroadError):
    """The database cannot be opened by this program: newer than it, damaged, or only half migrated."""

    code = "DATABASE_REFUSED"
    kind = Kind.CONFLICT
