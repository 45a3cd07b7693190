"""What a command line that cannot be understood is told: one line, in the language of this process."""

import re
from collections.abc import Callable

import typer

from postroad.entrypoints.cli.texts import say


def help_instead(error: typer.TyperException) -> str | None:
    """The help page, where nothing was asked for and so nothing is wrong."""
    if type(error).__name__ == "NoArgsIsHelpError":
        return error.format_message()
    where = getattr(error, "ctx", None)
    return str(where.get_help()) if where is not None and error.message.startswith("Missing command") else None


def told(error: typer.TyperException) -> str:
    """The message, with the way out; the parser's own words where there are no better ones."""
    teller = _TOLD.get(type(error).__name__)
    said = teller(error) if teller else _translated(error.format_message())
    where = getattr(getattr(error, "ctx", None), "command_path", "postroad")
    return say("{message}; see {command} --help", message=said.rstrip("."), command=where)


def _no_such_option(error: typer.TyperException) -> str:
    name = str(getattr(error, "option_name", ""))
    near = ", ".join(sorted(getattr(error, "possibilities", None) or ()))
    if near:
        return say("there is no option {name}; did you mean {near}?", name=name, near=near)
    return say("there is no option {name}", name=name)


def _missing(error: typer.TyperException) -> str:
    return say("{name} is missing", name=_name_of(error))


def _bad_value(error: typer.TyperException) -> str:
    name = _name_of(error)
    return f"{name}: {_translated(error.message)}" if name else error.message


def _name_of(error: typer.TyperException) -> str:
    parameter = getattr(error, "param", None)
    if parameter is None:
        return ""
    names = getattr(parameter, "opts", None) or [""]
    if getattr(parameter, "param_type_name", "") == "argument":
        return str(getattr(parameter, "metavar", None) or names[0])
    return str(max(names, key=len))


_TOLD: dict[str, Callable[[typer.TyperException], str]] = {
    "NoSuchOption": _no_such_option,
    "MissingParameter": _missing,
    "BadParameter": _bad_value,
}

_PARSER_WORDS = (
    (
        re.compile(r"No such command '(?P<name>[^']*)'\. Did you mean (?P<near>.+)\?"),
        "there is no command {name}; did you mean {near}?",
    ),
    (re.compile(r"No such command '(?P<name>[^']*)'\."), "there is no command {name}"),
    (re.compile(r"Option '(?P<name>[^']*)' requires an argument\."), "{name} needs a value"),
    (re.compile(r"Option '(?P<name>[^']*)' does not take a value\."), "{name} takes no value"),
    (re.compile(r"Got unexpected extra argument\(s\) \((?P<name>.*)\)"), "`{name}` is more than this command takes"),
    (re.compile(r"Input should be a valid integer.*"), "must be a whole number"),
    (re.compile(r"Input should be greater than or equal to (?P<least>\d+)"), "must be {least} or more"),
    (re.compile(r"Input should be less than or equal to (?P<most>\d+)"), "must be {most} or less"),
    (
        re.compile(r"(Value error, )?'(?P<value>.*)' is not one of '(?P<known>.*)'\."),
        "`{value}` is not one of '{known}'",
    ),
)


def _translated(text: str) -> str:
    for pattern, ours in _PARSER_WORDS:
        found = pattern.fullmatch(text)
        if found is not None:
            return say(ours, **found.groupdict())
    return text
