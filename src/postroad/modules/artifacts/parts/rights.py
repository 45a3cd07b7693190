"""An artifact may be read by whoever may read what it belongs to, and who may read artifacts at all."""

from postroad.kernel.authz import Action, Resource
from postroad.kernel.uow import Reading
from postroad.modules.artifacts.model import Artifact, Owner
from postroad.vocabulary.refusals import ValidationFailed

_READ_OWNER = {
    "run": Action.RUNS_READ,
    "audience": Action.AUDIENCES_READ,
    "audience_import": Action.AUDIENCES_READ,
    "job": Action.JOBS_READ,
    "workspace": Action.WORKSPACE_READ,
}


def admit_reader(reading: Reading, artifact: Artifact) -> None:
    """Raises what `authorize` raises. Inside a unit of work this is what holds at this moment."""
    reading.authorize(_READ_OWNER[artifact.owner.type], Resource(artifact.workspace_id, *_named(artifact.owner)))


def resource_of(artifact: Artifact) -> Resource:
    return Resource(artifact.workspace_id, "artifact", artifact.id)


def refuse_owner(owner: Owner) -> None:
    if owner.type not in _READ_OWNER:
        raise ValidationFailed.of("owner", "OWNER_UNKNOWN", f"an artifact cannot belong to a {owner.type}")


def _named(owner: Owner) -> tuple[str, str]:
    return owner.type, owner.id
