"""What a person types to get in. A password is never an option: it would stand in the history and the process list."""

import getpass
import sys

from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say
from postroad.vocabulary.errors import InvalidInput
from postroad.vocabulary.secret import Secret


def username(given: str | None) -> str:
    """Raises InvalidInput where nobody can be asked."""
    if given:
        return given
    if not sys.stdin.isatty():
        raise InvalidInput(say("nobody can be asked here; give --username NAME"), field="--username")
    name = console.people.input(say("Username: ")).strip()
    if not name:
        raise InvalidInput(say("a username is needed"), field="--username")
    return name


def password(*, from_input: bool) -> Secret:
    """From the terminal, unseen, or the first line of standard input."""
    if from_input:
        return secret_line("--password-stdin")
    _must_be_asked("--password-stdin")
    return Secret(getpass.getpass(say("Password: "), sys.stderr))


def new_password(*, from_input: bool) -> Secret:
    """As `password`, typed twice."""
    if from_input:
        return secret_line("--password-stdin")
    _must_be_asked("--password-stdin")
    first = getpass.getpass(say("New password: "), sys.stderr)
    if getpass.getpass(say("The same again: "), sys.stderr) != first:
        raise InvalidInput(say("the two were not the same; nothing was changed"), field="password")
    return Secret(first)


def secret_text(prompt: str) -> Secret:
    """A secret: asked for unseen in a terminal, else the whole of standard input without its last line break."""
    if sys.stdin.isatty():
        text = getpass.getpass(prompt, sys.stderr)
    else:
        text = _read_all().removesuffix("\n").removesuffix("\r")
    if not text:
        raise InvalidInput(say("the secret is empty; pipe it in, such as: postroad secrets set NAME < FILE"))
    return Secret(text)


def secret_line(option: str) -> Secret:
    line = sys.stdin.readline().removesuffix("\n").removesuffix("\r")
    if not line:
        raise InvalidInput(say("{option}: there was nothing to read", option=option), field=option)
    return Secret(line)


def _read_all() -> str:
    try:
        return sys.stdin.read()
    except UnicodeDecodeError:
        raise InvalidInput(say("a secret is text in UTF-8; this is not")) from None


def _must_be_asked(option: str) -> None:
    if not sys.stdin.isatty():
        raise InvalidInput(say("nobody can be asked here; give {option}", option=option), field=option)
