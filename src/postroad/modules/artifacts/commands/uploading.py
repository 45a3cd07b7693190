"""The rows of an upload: begun with bytes reserved, then ready or failed. The bytes are moved in between, elsewhere."""

from dataclasses import replace

from postroad.kernel.authz import Action, Resource
from postroad.kernel.uow import UnitOfWork
from postroad.modules.artifacts import store
from postroad.modules.artifacts.model import (
    Artifact,
    ArtifactAsked,
    ArtifactState,
    known_content_type,
    location_of,
    refuse_ask,
    shown_file_name,
)
from postroad.modules.artifacts.parts.retention import KeepingRules
from postroad.modules.artifacts.parts.rights import refuse_owner, resource_of
from postroad.modules.artifacts.ports import ArtifactPolicies, ArtifactPolicy
from postroad.vocabulary.events import Aggregate, EventName
from postroad.vocabulary.refusals import ArtifactNotReady, QuotaExceeded, ResourceNotFound


def begin_upload(
    uow: UnitOfWork, ask: ArtifactAsked, rules: KeepingRules, policies: ArtifactPolicies, backend: str
) -> Artifact:
    """Reserves the bytes that are announced. Raises QuotaExceeded, ValidationFailed."""
    uow.authorize(Action.ARTIFACTS_WRITE, Resource(ask.workspace_id, "artifact"))
    refuse_owner(ask.owner)
    refuse_ask(ask, rules.largest_bytes)
    artifact_id = uow.new_id()
    artifact = Artifact(
        id=artifact_id,
        workspace_id=ask.workspace_id,
        type=ask.type,
        owner=ask.owner,
        backend=backend,
        location=location_of(ask.workspace_id, ask.type, artifact_id, uow.now_ms),
        state=ArtifactState.UPLOADING,
        size_bytes=ask.size_bytes or 0,
        sha256="",
        content_type=known_content_type(ask.content_type),
        file_name=shown_file_name(ask.file_name),
        pinned=False,
        legal_hold=False,
        created_by=uow.principal.actor,
        expires_at_ms=None,
        due_at_ms=uow.now_ms + rules.upload_timeout_ms,
        attempts=0,
        last_error="",
        version=1,
        created_at_ms=uow.now_ms,
        updated_at_ms=uow.now_ms,
    )
    _reserve(uow, artifact, artifact.size_bytes, policies.of_workspace(uow, ask.workspace_id))
    store.add(uow, artifact)
    return artifact


def grow_upload(uow: UnitOfWork, given: Artifact, to_bytes: int, policies: ArtifactPolicies) -> Artifact:
    """Reserves more for an upload whose size nobody knew. Raises QuotaExceeded, ArtifactNotReady."""
    artifact = _under_way(uow, given)
    _reserve(uow, artifact, to_bytes - artifact.size_bytes, policies.of_workspace(uow, artifact.workspace_id))
    grown = replace(artifact, size_bytes=to_bytes)
    store.save(uow, grown)
    return grown


def complete_upload(
    uow: UnitOfWork, given: Artifact, size_bytes: int, sha256: str, rules: KeepingRules, *, policies: ArtifactPolicies
) -> Artifact:
    """Makes the artifact ready; its bytes are in the store. Raises ArtifactNotReady where the sweep was faster."""
    artifact = _under_way(uow, given)
    policy = policies.of_workspace(uow, artifact.workspace_id)
    if size_bytes > artifact.size_bytes:
        _reserve(uow, artifact, size_bytes - artifact.size_bytes, policy)
        artifact = replace(artifact, size_bytes=size_bytes)
    reserved = artifact.size_bytes
    expires = rules.expires_at_ms(artifact.type, uow.now_ms, policy)
    ready = artifact.completed(uow.now_ms, size_bytes, sha256)
    ready = ready.kept_until(expires, rules.due_at_ms(ready.type, uow.now_ms, expires))
    store.save(uow, ready)
    store.change_usage(uow, ready.workspace_id, used_bytes=size_bytes, reserved_bytes=-reserved)
    facts = {"type": ready.type.value, "size": size_bytes, "sha256": sha256}
    owner = {"ownerType": ready.owner.type, "ownerId": ready.owner.id}
    uow.emit(
        EventName.ARTIFACT_READY,
        Aggregate("artifact", ready.id, ready.version),
        {**facts, **owner},
        workspace_id=ready.workspace_id,
    )
    uow.audit("artifact.stored", resource_of(ready), details={**facts, **owner})
    return ready


def fail_upload(uow: UnitOfWork, given: Artifact, reason: str) -> bool:
    """Gives the reserved bytes back; the bytes written are gone. False where it is no upload under way any more."""
    artifact = store.lock(uow, given.workspace_id, given.id)
    if artifact is None or artifact.state is not ArtifactState.UPLOADING:
        return False
    store.save(uow, artifact.failed(uow.now_ms, reason))
    store.change_usage(uow, artifact.workspace_id, reserved_bytes=-artifact.size_bytes)
    return True


def _under_way(uow: UnitOfWork, given: Artifact) -> Artifact:
    uow.authorize(Action.ARTIFACTS_WRITE, resource_of(given))
    artifact = store.lock(uow, given.workspace_id, given.id)
    if artifact is None:
        raise ResourceNotFound("there is no such upload")
    if artifact.state is not ArtifactState.UPLOADING:
        raise ArtifactNotReady("the upload took too long and was thrown away; send the file again")
    return artifact


def _reserve(uow: UnitOfWork, artifact: Artifact, more_bytes: int, policy: ArtifactPolicy) -> None:
    if not store.reserve(uow, artifact.workspace_id, more_bytes, policy.quota_bytes):
        used, reserved = store.usage(uow, artifact.workspace_id)
        raise QuotaExceeded(
            f"the files of this workspace may have {policy.quota_bytes} bytes and have {used + reserved}; "
            f"{more_bytes} more do not fit: delete some, or ask an administrator for more"
        )
