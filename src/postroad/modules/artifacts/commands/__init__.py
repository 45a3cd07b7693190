"""What is done with artifacts: taken in, kept, deleted, swept; and the keeper, who does it around the transactions."""

from postroad.modules.artifacts.commands.keeper import ArtifactKeeper, ArtifactUpload, Behalf, Delivery
from postroad.modules.artifacts.commands.keeping import delete_artifact, hold_artifact, pin_artifact, release_artifact

__all__ = [
    "ArtifactKeeper",
    "ArtifactUpload",
    "Behalf",
    "Delivery",
    "delete_artifact",
    "hold_artifact",
    "pin_artifact",
    "release_artifact",
]
