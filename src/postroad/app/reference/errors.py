"""The page of every error code, from the error tree."""

from collections.abc import Iterator

from postroad.app.reference.markdown import page, paragraph
from postroad.vocabulary import errors, refusals
from postroad.vocabulary.errors import Kind, PostroadError

_INTRODUCTION = """
An error ends a command with one message that names the field, the shape of the value and the way out. Its code is
stable. What became of a single recipient is no error but an [outcome](outcomes.md), and codes of remotes stand in the
README of each provider.
"""
_KINDS = {
    Kind.INVALID: "what was given cannot be used; change it and try again (exit code 2)",
    Kind.DENIED: "a rule forbids it (exit code 2)",
    Kind.MISSING: "it is not there (exit code 2)",
    Kind.CONFLICT: "it does not fit what is there (exit code 2)",
    Kind.STALE: "it was changed since (exit code 2)",
    Kind.BUSY: "somebody else works on it; try again later (exit code 2)",
    Kind.UNAVAILABLE: "something outside did not work; try again later (exit code 1)",
    Kind.BUG: "our fault; please report it (exit code 1)",
}


def coded_errors() -> Iterator[type[PostroadError]]:
    """Every error of the tree that has a code of its own, roots first."""
    pending: list[type[PostroadError]] = [PostroadError]
    while pending:
        error = pending.pop(0)
        if "code" in vars(error) and error.__module__ in {errors.__name__, refusals.__name__}:
            yield error
        pending.extend(error.__subclasses__())


def errors_page() -> str:
    return page("Errors", _INTRODUCTION, *map(_section, coded_errors()))


def _section(error: type[PostroadError]) -> str:
    said = "A fault of the program itself." if error is PostroadError else _documented(error)
    return f"## {error.code}\n\n{paragraph(said)}\n\n{paragraph(f'Kind {error.kind}: {_KINDS[error.kind]}.')}"


def _documented(error: type[PostroadError]) -> str:
    text = vars(error).get("__doc__")
    if not text:
        raise ValueError(f"{error.__name__} has no docstring; say when it is raised")
    return str(text)
