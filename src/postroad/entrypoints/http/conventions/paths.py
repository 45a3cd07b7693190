"""Parts of paths. `AccountId = Annotated[str, path_part("accountId")]` in a route file names one of its own."""

from typing import Annotated

from fastapi import Path
from fastapi.params import Path as PathPart


def path_part(name: str, longest: int = 128) -> PathPart:
    part: PathPart = Path(alias=name, min_length=1, max_length=longest)
    return part


WorkspaceId = Annotated[str, path_part("workspaceId")]
