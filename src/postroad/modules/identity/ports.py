"""What identity needs from others; the composition root fills it."""

from typing import Protocol

from postroad.kernel.uow import Reading


class Workspaces(Protocol):
    def exists(self, reading: Reading, workspace_id: str) -> bool:
        """Whether there is such a workspace, in any state."""
        ...
