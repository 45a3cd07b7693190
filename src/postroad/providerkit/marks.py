"""Which values of a configuration stand in fields that a schema marks: files of the machine, for one.

A service takes configurations from people who are not its operator. A path they write would name a file of the server,
so a value in a field marked `x-postroad-local-file` is refused there, while a job on one's own machine may use it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

LOCAL_FILE = "x-postroad-local-file"
"""Marks a field whose value is the path of a file on the machine that sends."""

_BRANCHES = ("oneOf", "anyOf", "allOf")


def marked_values(schema: Mapping[str, Any], value: object, mark: str) -> tuple[str, ...]:
    """Dotted paths of the values whose field carries `mark`, in any of the shapes that the schema allows."""
    return tuple(dict.fromkeys(_marked(schema, value, mark, "")))


def _marked(schema: Mapping[str, Any], value: object, mark: str, path: str) -> Iterator[str]:
    if schema.get(mark) is True:
        yield path
    for word in _BRANCHES:
        for branch in schema.get(word, ()):
            yield from _marked(branch, value, mark, path)
    if isinstance(value, Mapping):
        known = schema.get("properties", {})
        for key, inner in value.items():
            if key in known:
                yield from _marked(known[key], inner, mark, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        for index, inner in enumerate(value):
            yield from _marked(schema["items"], inner, mark, f"{path}[{index}]")
