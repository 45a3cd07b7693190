"""The part of JSONPath a success condition needs: one way down, no search.

`$`, `.name`, `['name']`, `["name"]` and `[0]` (also counted from the end: `[-1]`), as in RFC 9535. Wildcards, slices,
filters and `..` are refused with an explanation, because a condition that may match many values has no single truth.
"""

import re
from dataclasses import dataclass

from postroad.vocabulary.errors import ConfigInvalid

_STEP = re.compile(r"\.([^\W\d][\w-]*)|\[\s*(-?\d+)\s*\]|\[\s*'([^'\\]*)'\s*\]|\[\s*\"([^\"\\]*)\"\s*\]")


class Absent:
    """There is no value at a path. Not the same as null."""


ABSENT = Absent()


@dataclass(frozen=True, slots=True)
class JsonPath:
    """One compiled path."""

    source: str
    steps: tuple[str | int, ...]

    def find(self, value: object) -> object:
        """The value at the path in parsed JSON, or `ABSENT`."""
        for step in self.steps:
            if isinstance(step, str):
                if not isinstance(value, dict) or step not in value:
                    return ABSENT
                value = value[step]
            elif isinstance(value, list) and -len(value) <= step < len(value):
                value = value[step]
            else:
                return ABSENT
        return value


def parse(source: str, where: str) -> JsonPath:
    """Raises ConfigInvalid, which shows how far the path could be read."""
    if not source.startswith("$"):
        raise ConfigInvalid(f"{where}: {source!r} must begin with $, such as $.data[0].status", field=where)
    steps: list[str | int] = []
    position = 1
    while position < len(source):
        found = _STEP.match(source, position)
        if found is None:
            raise ConfigInvalid(
                f"{where}: cannot read {source[position:]!r} in {source!r}; use only .name, ['name'] and [0]",
                field=where,
            )
        name, index, single, double = found.groups()
        steps.append(
            int(index) if index is not None else next(part for part in (name, single, double) if part is not None)
        )
        position = found.end()
    return JsonPath(source, tuple(steps))
