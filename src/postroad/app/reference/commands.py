"""The page of every command, from the tables that parse the command line."""

from collections.abc import Iterator

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from postroad.app.composition import LocalComposition
from postroad.app.reference.markdown import code, page, paragraph, table
from postroad.entrypoints.cli.pages.examples import EXAMPLES
from postroad.entrypoints.cli.pages.help_page import described, usage_line
from postroad.entrypoints.cli.program import build

_INTRODUCTION = """
Every command shows its page with `--help`. The language is that of `--lang`, `POSTROAD_LANG` or the locale; this page
is the English one. People read standard error, programs standard output: with `--json` its last line is one JSON
object. What a command ends with is on the page of [exit codes](exit-codes.md).
"""


def commands_page() -> str:
    program = get_command(build(LocalComposition()))
    assert isinstance(program, TyperGroup)
    sections = [_section(path, command) for path, command in commands_below("postroad", program)]
    return page("The command line", _INTRODUCTION, *sections)


def commands_below(path: str, command: TyperCommand | TyperGroup) -> Iterator[tuple[str, TyperCommand | TyperGroup]]:
    """The command and all below it, by path."""
    yield path, command
    if isinstance(command, TyperGroup):
        for name, inner in command.commands.items():
            assert isinstance(inner, TyperCommand | TyperGroup)
            yield from commands_below(f"{path} {name}", inner)


def _section(path: str, command: TyperCommand | TyperGroup) -> str:
    blocks = [f"## {path}", paragraph(command.help or ""), f"```text\n{usage_line(command, path)}\n```"]
    if path in EXAMPLES:
        blocks.append("```sh\n" + "\n".join(EXAMPLES[path]) + "\n```")
    blocks.append(table(("Argument or option", "What it is for"), _parameters(command)))
    if isinstance(command, TyperGroup):
        inner = ((code(f"{path} {name}"), below.help or "") for name, below in command.commands.items())
        blocks.append(table(("Command", "What it does"), inner))
    return "\n\n".join(block for block in blocks if block)


def _parameters(command: TyperCommand | TyperGroup) -> Iterator[tuple[str, str]]:
    for parameter in command.params:
        if isinstance(parameter, TyperArgument | TyperOption):
            name, text = described(parameter)
            yield code(name), text
