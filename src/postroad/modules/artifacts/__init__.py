"""Artifacts: large objects with a time to live. Rows say what there is; a store behind a port keeps the bytes.

An upload is a row with reserved bytes first, then bytes, then a row that is ready: written whole, durable, of the
announced size and SHA-256. Reading one needs the right to read artifacts and what it belongs to, asked again at each
download and audited. Retention takes a file away when its class's time is over, unless it is pinned, under legal hold
or still referred to; a snapshot's time begins when its last reference ends.

Tables: `artifacts`, `artifact_usages` (bytes used and reserved of each workspace).
Invariants: only a READY artifact can be read, and its bytes never change; used bytes equal the sizes of what is READY
or DELETING; used and reserved bytes pass the quota never; a held file is not removed by anything.
Events: `artifact.ready`, `artifact.deleted`.
"""

from postroad.modules.artifacts.commands import (
    ArtifactKeeper,
    ArtifactUpload,
    Behalf,
    Delivery,
    delete_artifact,
    hold_artifact,
    pin_artifact,
    release_artifact,
)
from postroad.modules.artifacts.commands.sweeping import count_expired, note_retention
from postroad.modules.artifacts.model import (
    Artifact,
    ArtifactAsked,
    ArtifactFilter,
    ArtifactState,
    ArtifactType,
    Owner,
    Usage,
)
from postroad.modules.artifacts.parts.retention import KeepingRules
from postroad.modules.artifacts.ports import (
    ArtifactPolicies,
    ArtifactPolicy,
    ArtifactReferences,
    ArtifactStore,
    ObjectUpload,
)
from postroad.modules.artifacts.queries import get_artifact, get_usage, list_artifacts

__all__ = [
    "Artifact",
    "ArtifactAsked",
    "ArtifactFilter",
    "ArtifactKeeper",
    "ArtifactPolicies",
    "ArtifactPolicy",
    "ArtifactReferences",
    "ArtifactState",
    "ArtifactStore",
    "ArtifactType",
    "ArtifactUpload",
    "Behalf",
    "Delivery",
    "KeepingRules",
    "ObjectUpload",
    "Owner",
    "Usage",
    "count_expired",
    "delete_artifact",
    "get_artifact",
    "get_usage",
    "hold_artifact",
    "list_artifacts",
    "note_retention",
    "pin_artifact",
    "release_artifact",
]
