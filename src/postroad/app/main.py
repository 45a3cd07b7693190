"""`postroad` starts here. Every error ends as one line and an exit code, never as a traceback.

Exit codes: 0 succeeded, 1 failed, 2 usage or bad input, 3 partial, 4 cancelled, 130 stopped and resumable.
"""

import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postroad.vocabulary.errors import PostroadError

USAGE, FAILED, INTERRUPTED = 2, 1, 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and exits the process."""
    try:
        sys.exit(run(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def run(arguments: Sequence[str]) -> int:
    """The exit code of one command line."""
    from postroad.entrypoints.cli.texts import chosen_language, language_first, speak

    arguments = language_first(arguments)
    speak(chosen_language(arguments, os.environ))
    import typer

    from postroad.app.composition import LocalComposition
    from postroad.entrypoints.cli.pages import usage_errors
    from postroad.entrypoints.cli.program import build, first_word
    from postroad.vocabulary.errors import Kind, PostroadError

    try:
        program = build(LocalComposition(arguments), first_word(arguments))
        code = program(args=arguments, prog_name="postroad", standalone_mode=False)
    except typer.TyperException as error:
        page = usage_errors.help_instead(error)
        if page is not None:
            typer.echo(page, err=True)
            return USAGE
        return _complain(usage_errors.told(error))
    except typer.Abort:
        return INTERRUPTED
    except PostroadError as error:
        bad_input = error.kind not in (Kind.BUG, Kind.UNAVAILABLE)
        return _complain(_sentence(error), USAGE if bad_input else FAILED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  (app: the last door before the shell; until 2027-11-30)
        return _complain(_unforeseen(error), FAILED)
    return code if isinstance(code, int) else 0


def _sentence(error: "PostroadError") -> str:
    from postroad.entrypoints.cli.texts import named

    places = [place for place in (error.field, f"row {error.row}" if error.row is not None else "") if place]
    known = [place for place in places if place in error.message]
    said = error.message if known or not places else f"{', '.join(places)}: {error.message}"
    return named(error.code, said)


def _complain(message: str, code: int = USAGE) -> int:
    from postroad.entrypoints.cli.show import console

    console.complain(message)
    return code


def _unforeseen(error: Exception) -> str:
    from postroad.entrypoints.cli.texts import say

    with tempfile.NamedTemporaryFile("w", prefix="postroad-error-", suffix=".txt", delete=False) as file:
        traceback.print_exception(error, file=file)
    return say(
        "this should not happen: {error}; please report it with {file}", error=type(error).__name__, file=file.name
    )
