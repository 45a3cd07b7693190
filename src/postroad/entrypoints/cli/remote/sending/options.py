"""Options of those commands that start and look at runs."""

from typing import Annotated

import typer

from postroad.entrypoints.cli.texts import say

Run = Annotated[str, typer.Argument(metavar="RUN", help=say("Id of the run, or latest."))]
RunId = Annotated[str, typer.Argument(metavar="RUN", help=say("Id of the run."))]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help=say("Why, in your words; it is kept."))]
Detach = Annotated[bool, typer.Option("--detach", help=say("Start it and do not watch."))]
