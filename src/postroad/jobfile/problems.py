"""Collecting what is wrong, so that one look at a job file is enough to put it right."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from postroad.spi import Problem
from postroad.vocabulary.errors import ConfigInvalid

SHOWN = 20
NOT_IN_THE_FILE = 0
"""The line of what was laid over the file."""


class JobInvalid(ConfigInvalid):
    """A job that cannot be used. `problems` has each fault with its dotted field; `field` is the first one's."""

    def __init__(self, problems: Iterable[Problem], lines: Mapping[str, int] | None = None) -> None:
        self.problems = tuple(problems)
        told = [_told(problem, lines or {}) for problem in self.problems[:SHOWN]]
        if len(self.problems) > SHOWN:
            told.append(f"and {len(self.problems) - SHOWN} more")
        super().__init__("\n".join(told), field=self.problems[0].field if self.problems else "")


class Findings:
    """The problems found so far."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def add(self, field: str, message: str) -> None:
        self.problems.append(Problem(field, message))

    def refuse_unknown(self, given: Mapping[str, object], known: Iterable[str], path: str) -> None:
        """A finding for each key of `given` that nobody reads, with the nearest name that somebody does."""
        names = tuple(known)
        for key in given:
            if key not in names:
                folded = {name.casefold().replace("_", ""): name for name in names}
                near = get_close_matches(key.casefold().replace("_", "").replace("-", ""), folded, n=1)
                hint = f"did you mean `{folded[near[0]]}`?" if near else f"known here: {', '.join(names)}"
                self.add(join(path, key), f"is not a field of a job; {hint}")

    def raise_if_any(self, lines: Mapping[str, int] | None = None) -> None:
        if self.problems:
            raise JobInvalid(self.problems, lines)


def join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def shape_of(value: object) -> str:
    """A value's shape for a message, without the value."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return f"a text of {len(value)} characters"
    return "a list" if isinstance(value, list) else "a mapping"


def _told(problem: Problem, lines: Mapping[str, int]) -> str:
    path = problem.field
    while path and path not in lines:
        path = path.rpartition(".")[0]
    line = lines.get(path, NOT_IN_THE_FILE)
    where = f" (line {line})" if line != NOT_IN_THE_FILE else ""
    return f"{problem.field}{where}: {problem.message}" if problem.field else problem.message
