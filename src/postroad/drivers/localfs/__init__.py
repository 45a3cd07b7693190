"""Folders of this machine as the place of artifacts."""

from postroad.drivers.localfs.artifact_store import LocalArtifactStore

__all__ = ["LocalArtifactStore"]
