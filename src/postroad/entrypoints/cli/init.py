"""`postroad init`: a commented job file to start from."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from postroad.entrypoints.cli.composition import Composition
from postroad.entrypoints.cli.texts import current_language, say
from postroad.vocabulary.errors import InvalidInput, ProviderUnknown


def add_commands(program: typer.Typer) -> None:
    program.command(help=say("Write a commented job file for a channel."))(init)


def init(
    context: typer.Context,
    *,
    provider: Annotated[str, typer.Argument(metavar="ID", help=say("Id of the channel, such as smtp."))] = "http",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help=say("Where to write it; else to standard output."))
    ] = None,
    force: Annotated[bool, typer.Option("--force", help=say("Overwrite a file that is there."))] = False,
) -> None:
    composition: Composition = context.obj
    text = job_file(provider)
    if text is None:
        known = ", ".join(composition.descriptors())
        raise ProviderUnknown(
            say("there is no channel `{provider}`; there are: {known}", provider=provider, known=known)
        )
    if out is None:
        typer.echo(text, nl=False)
        return
    try:
        with out.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InvalidInput(say("{file} is there already; give --force to overwrite it", file=out)) from None
    except OSError as error:
        raise InvalidInput(f"{out}: {error.strerror}", field="--out") from error
    typer.echo(say("Written to {file}. Fill it in, then: postroad send {file} --dry-run", file=out), err=True)


def job_file(provider: str) -> str | None:
    """The commented job file of a channel in the language of this process; None where there is none."""
    file = files("postroad.entrypoints.cli") / "jobs" / current_language() / f"{provider}.yaml"
    return file.read_text(encoding="utf-8") if provider.replace("_", "").isalnum() and file.is_file() else None
