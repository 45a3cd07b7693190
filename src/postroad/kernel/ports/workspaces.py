"""In which state a workspace is: nothing is made in one that is not there, nothing is changed in an archived one."""

from typing import Protocol

from sqlalchemy import Connection

ARCHIVED = "ARCHIVED"


class WorkspaceStates(Protocol):
    def state(self, connection: Connection, workspace_id: str) -> str | None:
        """`ACTIVE` or `ARCHIVED`; None where there is no such workspace. One indexed read, no lock."""
        ...
