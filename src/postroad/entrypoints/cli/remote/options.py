"""Options that the commands of the service share."""

from collections.abc import Mapping
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
ProviderFilter = Annotated[str | None, typer.Option("--provider", metavar="ID", help=say("Only of this channel."))]
Named = Annotated[str, typer.Argument(metavar=NAME_OR_ID, help=say("Its name or its id."))]
NewName = Annotated[str, typer.Argument(metavar="NAME", help=say("Its name in the workspace."))]
Rename = Annotated[str | None, typer.Option("--rename", metavar="NAME", help=say("Its new name."))]
Yes = Annotated[bool, typer.Option("--yes", "-y", help=say("Go on without asking."))]
Provider = Annotated[str | None, typer.Option("--provider", metavar="ID", help=say("Id of the channel, such as smtp."))]
Account = Annotated[
    str | None, typer.Option("--account", metavar=NAME_OR_ID, help=say("Check the message with this account."))
]
Out = Annotated[Path | None, typer.Option("--out", metavar="FILE", help=say("Where to write it."))]
Force = Annotated[bool, typer.Option("--force", help=say("Overwrite a file that is there."))]


def need_one_of(given: Mapping[str, object]) -> None:
    """Raises typer.BadParameter where none of the options says what to change."""
    if not any(value is not None and value is not False for value in given.values()):
        raise typer.BadParameter(say("say what to change, with one of {options}", options=", ".join(given)))


def pairs(texts: list[str] | None, option: str) -> dict[str, str]:
    """`FIELD=VALUE` options. Raises typer.BadParameter."""
    found = {}
    for text in texts or []:
        field, separator, value = text.partition("=")
        if not separator or not field:
            raise typer.BadParameter(say("`{option} {pair}` must be FIELD=VALUE", option=option, pair=text))
        found[field] = value
    return found
