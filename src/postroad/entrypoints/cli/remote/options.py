"""Options that the commands of the service share."""

from pathlib import Path
from typing import Annotated

import typer

from postroad.entrypoints.cli.texts import say

NAME_OR_ID = "NAME|ID"

AsJson = Annotated[bool, typer.Option("--json", help=say("Print the answer of the service as one line of JSON."))]
Limit = Annotated[int, typer.Option("--limit", min=1, metavar="N", help=say("How many, the newest first."))]
Cursor = Annotated[
    str | None, typer.Option("--cursor", metavar="CURSOR", help=say("Where a list goes on, as the one before said."))
]
NameFilter = Annotated[str | None, typer.Option("--name", metavar="TEXT", help=say("Only names that contain this."))]
StatusFilter = Annotated[str | None, typer.Option("--status", metavar="STATUS", help=say("Only this status."))]
Named = Annotated[str, typer.Argument(metavar=NAME_OR_ID, help=say("Its name or its id."))]
NewName = Annotated[str, typer.Argument(metavar="NAME", help=say("Its name in the workspace."))]
Yes = Annotated[bool, typer.Option("--yes", "-y", help=say("Go on without asking."))]
Provider = Annotated[str, typer.Option("--provider", metavar="ID", help=say("Id of the channel, such as smtp."))]
Out = Annotated[Path | None, typer.Option("--out", metavar="FILE", help=say("Where to write it."))]
Force = Annotated[bool, typer.Option("--force", help=say("Overwrite a file that is there."))]
