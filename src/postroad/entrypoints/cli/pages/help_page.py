"""The help page of a command or of a group of commands."""

import shutil
from collections.abc import Sequence
from enum import Enum
from typing import Protocol

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from postroad.entrypoints.cli.pages.examples import EXAMPLES
from postroad.entrypoints.cli.pages.wrapping import columns, wrapped
from postroad.entrypoints.cli.texts import say

_WIDEST, _NARROWEST = 100, 50
_EPILOGS = {"postroad": "Start with `postroad demo`, then `postroad init`."}


class CalledAs(Protocol):
    """The part of the parser's context that a page needs."""

    @property
    def command_path(self) -> str: ...


class PagedCommand(TyperCommand):
    def get_help(self, ctx: CalledAs) -> str:
        return _page(self, ctx.command_path, _parameter_sections(self))


class PagedGroup(TyperGroup):
    def get_help(self, ctx: CalledAs) -> str:
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            heading = getattr(command, "rich_help_panel", None) or say("Commands")
            sections.setdefault(heading, []).append((name, summary_of(command.help)))
        return _page(self, ctx.command_path, [*sections.items(), *_parameter_sections(self)])


Section = tuple[str, list[tuple[str, str]]]


def summary_of(text: str | None) -> str:
    return (text or "").partition("\n\n")[0]


def described(parameter: TyperArgument | TyperOption) -> tuple[str, str]:
    """`-y, --yes` or `--rate N/s`, and what it is for, with its default where it has one."""
    text = parameter.help or ""
    if isinstance(parameter, TyperArgument):
        name = parameter.metavar or parameter.opts[0].upper()
    else:
        name = ", ".join(sorted(parameter.opts, key=len))
        if not parameter.is_flag:
            name = f"{name} {parameter.metavar or 'TEXT'}"
    default = parameter.default
    if parameter.required:
        text = f"{text} {say('[required]')}"
    elif default not in (None, "") and not isinstance(default, bool) and not callable(default):
        shown = default.value if isinstance(default, Enum) else default
        text = f"{text} {say('[default: {value}]', value=shown)}"
    return name, text


def usage_line(command: TyperCommand | TyperGroup, path: str) -> str:
    if isinstance(command, TyperGroup):
        name = say("COMMAND")
        return f"{path} [{name} …] {say('[OPTIONS]')}" if command.invoke_without_command else f"{path} {name} …"
    pieces = [path]
    for parameter in command.params:
        if isinstance(parameter, TyperArgument):
            name = described(parameter)[0]
            pieces.append(name if parameter.required else f"[{name}]")
    return " ".join([*pieces, say("[OPTIONS]")])


def _parameter_sections(command: TyperCommand | TyperGroup) -> Sequence[Section]:
    sections: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.params:
        if isinstance(parameter, TyperArgument):
            sections.setdefault(say("Arguments"), []).append(described(parameter))
        elif isinstance(parameter, TyperOption) and not parameter.hidden and "--help" not in parameter.opts:
            heading = parameter.rich_help_panel or say("Options")
            sections.setdefault(heading, []).append(described(parameter))
    sections.setdefault(say("Options"), []).append(("-h, --help", say("Show this page.")))
    return list(sections.items())


def _page(command: TyperCommand | TyperGroup, path: str, sections: Sequence[Section]) -> str:
    width = max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size().columns - 2))
    lines = wrapped(summary_of(command.help), width)
    lines += ["", say("Usage: {line}", line=usage_line(command, path))]
    if path in EXAMPLES:
        lines += ["", say("Examples"), *(f"  {example}" for example in EXAMPLES[path])]
    for heading, rows in sections:
        lines += ["", heading, *columns(rows, width)]
    if path in _EPILOGS:
        lines += ["", *wrapped(say(_EPILOGS[path]), width)]
    return "\n".join(lines)
