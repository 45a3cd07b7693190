"""What may be known of artifacts. Whoever may not read what one belongs to does not see it in a list either."""

from postroad.kernel.authz import Action, Resource
from postroad.kernel.pages import Listing, Page, PageRequest
from postroad.kernel.uow import Reading
from postroad.modules.artifacts import store
from postroad.modules.artifacts.model import Artifact, ArtifactFilter, Usage
from postroad.modules.artifacts.parts.rights import admit_reader
from postroad.modules.artifacts.ports import ArtifactPolicies
from postroad.vocabulary.refusals import ResourceNotFound


def get_artifact(reading: Reading, workspace_id: str, artifact_id: str) -> Artifact:
    """In any state."""
    reading.authorize(Action.ARTIFACTS_READ, Resource(workspace_id, "artifact", artifact_id))
    artifact = store.find(reading, workspace_id, artifact_id)
    if artifact is None:
        raise ResourceNotFound("there is no such file")
    admit_reader(reading, artifact)
    return artifact


def list_artifacts(reading: Reading, workspace_id: str, request: PageRequest, wanted: ArtifactFilter) -> Page[Artifact]:
    """Newest first."""
    resource = Resource(workspace_id, "artifact")
    reading.authorize(Action.ARTIFACTS_READ, resource)
    filters = {name: getattr(wanted, name) for name in ArtifactFilter.__dataclass_fields__}
    listing = Listing.open(reading.cursors, request, resource, filters)
    return store.page(reading, listing, workspace_id, wanted)


def get_usage(reading: Reading, workspace_id: str, policies: ArtifactPolicies) -> Usage:
    reading.authorize(Action.ARTIFACTS_READ, Resource(workspace_id, "artifact"))
    used, reserved = store.usage(reading, workspace_id)
    return Usage(used, reserved, policies.of_workspace(reading, workspace_id).quota_bytes)
