"""Puts the commands of all owners into one program."""

from collections.abc import Sequence
from typing import Annotated

import typer

import postroad
from postroad.entrypoints.cli import audiences, bench, drills, init, messages, providers, receipts, sends, service
from postroad.entrypoints.cli.composition import Composition
from postroad.entrypoints.cli.pages.help_page import PagedCommand, PagedGroup
from postroad.entrypoints.cli.remote import commands as remote
from postroad.entrypoints.cli.texts import is_language, say


def build(composition: Composition, word: str | None = None) -> typer.Typer:
    """The whole command line; the language must be set before.

    With `word`, the first word of a command line, all other commands have their names and summaries alone: reading the
    options of a hundred commands to run one of them would take longer than most of them do.
    """
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
    if word is not None:
        _leave_names_of_others(program, word)
    _with_our_pages(program)
    return program


def first_word(arguments: Sequence[str]) -> str:
    """The first word that is no option; empty where there is none."""
    after_lang = False
    for argument in arguments:
        if not after_lang and not argument.startswith("-"):
            return argument
        after_lang = argument == "--lang"
    return ""


def _leave_names_of_others(program: typer.Typer, word: str) -> None:
    for command in program.registered_commands:
        if word != (command.name or getattr(command.callback, "__name__", "")):
            command.name = command.name or getattr(command.callback, "__name__", "")
            command.callback = _nothing
    for group in program.registered_groups:
        owner = group.typer_instance
        if owner is not None and owner.info.name != word:
            group.typer_instance = typer.Typer(name=owner.info.name, help=owner.info.help)


def _nothing() -> None:
    """Stands in for a command that is not asked for."""


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
