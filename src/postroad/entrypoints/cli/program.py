"""Puts the commands of all owners into one program."""

from typing import Annotated

import typer

import postroad
from postroad.entrypoints.cli import audiences, bench, drills, init, messages, providers, receipts, sends, service
from postroad.entrypoints.cli.composition import Composition
from postroad.entrypoints.cli.pages.help_page import PagedCommand, PagedGroup
from postroad.entrypoints.cli.remote import commands as remote
from postroad.entrypoints.cli.texts import is_language, say


def build(composition: Composition) -> typer.Typer:
    """The whole command line; the language must be set before."""
    program = typer.Typer(
        name="postroad",
        help=say("Send to many people, and know what became of each of them."),
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"], "obj": composition},
    )
    program.callback()(_everywhere)
    for owner in (sends, init, drills, bench):
        owner.add_commands(program)
    for owner in (audiences, messages, receipts, providers):
        program.add_typer(owner.commands())
    _put_under(say("On this machine"), program)
    service.add_commands(program)
    _put_under(say("Run a service"), program)
    remote.add_commands(program)
    _put_under(say("With a service"), program)
    _with_our_pages(program)
    return program


def _put_under(heading: str, program: typer.Typer) -> None:
    """The heading for all commands that have none yet."""
    for command in program.registered_commands:
        if not isinstance(command.rich_help_panel, str):
            command.rich_help_panel = heading
    for group in program.registered_groups:
        if not isinstance(group.rich_help_panel, str):
            group.rich_help_panel = heading


def _with_our_pages(program: typer.Typer) -> None:
    program.info.cls = PagedGroup
    for command in program.registered_commands:
        command.cls = PagedCommand
    for group in program.registered_groups:
        if group.typer_instance is not None:
            _with_our_pages(group.typer_instance)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"postroad {postroad.__version__}")
        raise typer.Exit


def _lang(name: str | None) -> str | None:
    if name is not None and not is_language(name):
        raise typer.BadParameter(say("there is no language {name}; write en or zh", name=name))
    return name


def _everywhere(
    *,
    lang: Annotated[
        str | None, typer.Option("--lang", metavar="en|zh", callback=_lang, help=say("Language of this program."))
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_version, help=say("The version."))
    ] = False,
) -> None:
    del lang, version
