"""Options that the commands of a service on this machine share."""

from pathlib import Path
from typing import Annotated

import typer

from postroad.entrypoints.cli.texts import say

DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", metavar="FOLDER", help=say("Folder of the database, the keys and the files.")),
]
Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help=say("Settings; else postroad.yaml in the data folder.")),
]
