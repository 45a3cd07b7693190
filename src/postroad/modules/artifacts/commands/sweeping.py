"""Retention, one bounded step at a time; each step may be repeated and run by several instances at once.

A file whose time is over is given over to removal unless it is pinned, held or still needed; its bytes go outside of
any transaction; then the row says DELETED and the workspace has its bytes back. A crash between two of these leaves a
row that the next round takes up where it stands: removing what is gone already is a success.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from postroad.kernel.authz import Action, Resource
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.artifacts import store
from postroad.modules.artifacts.model import Artifact, ArtifactState, ArtifactType
from postroad.modules.artifacts.parts.retention import KeepingRules, next_attempt_ms
from postroad.modules.artifacts.parts.rights import resource_of
from postroad.modules.artifacts.ports import ArtifactPolicy, ArtifactReferences
from postroad.vocabulary.events import Aggregate, EventName

_SYSTEM = Resource("", "system")
_NO_POLICY = ArtifactPolicy()


def review_due(uow: UnitOfWork, references: ArtifactReferences, rules: KeepingRules, limit: int) -> int:
    """Looks at whole files that are due: some go, some are looked at again later. Answers how many were looked at."""
    uow.authorize(Action.SYSTEM_ADMIN, _SYSTEM)
    found = store.lock_due(uow, ArtifactState.READY, limit)
    needed = references.referenced(uow, [artifact.id for artifact in found]) if found else frozenset()
    for artifact in found:
        store.save(uow, _reviewed(artifact, uow.now_ms, rules, is_needed=artifact.id in needed))
    return len(found)


def list_due(reading: Reading, state: ArtifactState, limit: int) -> Sequence[Artifact]:
    """Uploads that took too long (UPLOADING), files whose bytes must go (DELETING)."""
    reading.authorize(Action.SYSTEM_ADMIN, _SYSTEM)
    return store.due(reading, state, limit)


def finish_removal(uow: UnitOfWork, given: Artifact) -> bool:
    """The bytes are gone. False where another sweep said so before."""
    artifact = _still(uow, given)
    if artifact is None:
        return False
    removed = artifact.removed(uow.now_ms)
    store.save(uow, removed)
    store.change_usage(uow, removed.workspace_id, used_bytes=-removed.size_bytes)
    facts = {"type": removed.type.value, "size": removed.size_bytes, "sha256": removed.sha256}
    aggregate = Aggregate("artifact", removed.id, removed.version)
    uow.emit(EventName.ARTIFACT_DELETED, aggregate, facts, workspace_id=removed.workspace_id)
    uow.audit("artifact.removed", resource_of(removed), details=facts)
    return True


def postpone_removal(uow: UnitOfWork, given: Artifact, reason: str) -> None:
    """The bytes could not be removed; later again."""
    artifact = _still(uow, given)
    if artifact is not None:
        attempts = artifact.attempts + 1
        due = next_attempt_ms(uow.now_ms, artifact.attempts)
        store.save(uow, replace(artifact, attempts=attempts, last_error=reason, due_at_ms=due))


def note_retention(uow: UnitOfWork) -> None:
    """Notes that somebody set off the retention by hand. Raises AccessDenied."""
    uow.authorize(Action.SYSTEM_ADMIN, _SYSTEM)
    uow.audit("retention.run", _SYSTEM)


def count_expired(
    reading: Reading, references: ArtifactReferences, limit: int
) -> Mapping[ArtifactType, tuple[int, int]]:
    """Class → how many files and bytes would go now, looking at the `limit` oldest. Changes nothing."""
    reading.authorize(Action.SYSTEM_ADMIN, _SYSTEM)
    found = store.expired(reading, limit)
    needed = references.referenced(reading, [artifact.id for artifact in found]) if found else frozenset()
    counts: dict[ArtifactType, tuple[int, int]] = {}
    for artifact in found:
        if artifact.id not in needed:
            files, size = counts.get(artifact.type, (0, 0))
            counts[artifact.type] = (files + 1, size + artifact.size_bytes)
    return counts


def _reviewed(artifact: Artifact, now_ms: int, rules: KeepingRules, *, is_needed: bool) -> Artifact:
    """A snapshot that is needed expires its whole period after this moment: the last reference counts."""
    expires = artifact.expires_at_ms or now_ms
    if artifact.type is ArtifactType.SNAPSHOT and is_needed:
        expires = rules.expires_at_ms(artifact.type, now_ms, _NO_POLICY)
    if expires <= now_ms and not is_needed and not artifact.is_kept:
        return artifact.marked(now_ms)
    return artifact.kept_until(expires, rules.due_at_ms(artifact.type, now_ms, expires))


def _still(uow: UnitOfWork, given: Artifact) -> Artifact | None:
    uow.authorize(Action.SYSTEM_ADMIN, _SYSTEM)
    artifact = store.lock(uow, given.workspace_id, given.id)
    return artifact if artifact is not None and artifact.state is ArtifactState.DELETING else None
