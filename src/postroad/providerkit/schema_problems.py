"""What a schema's complaint says in words a person can act on. Values are never repeated, only fields and limits.

Where a field may take several shapes (`oneOf` by a `type`), only the shape that was meant is complained about: the one
whose constants fit. When none fits, the possible constants are listed.
"""

import difflib
import json
from collections.abc import Iterator
from typing import Any, Protocol

from postroad.spi import Problem


class SchemaError(Protocol):
    """What this module reads of a `jsonschema_rs.ValidationError`."""

    @property
    def kind(self) -> Any: ...
    @property
    def instance_path(self) -> list[str | int]: ...
    @property
    def schema_path(self) -> list[str | int]: ...


_WORDS: dict[str, tuple[str, str]] = {
    "minimum": ("RANGE", "must be at least {limit}"),
    "maximum": ("RANGE", "must be at most {limit}"),
    "exclusiveMinimum": ("RANGE", "must be above {limit}"),
    "exclusiveMaximum": ("RANGE", "must be below {limit}"),
    "multipleOf": ("RANGE", "must be a multiple of {multiple_of}"),
    "minLength": ("LENGTH", "must have at least {limit} characters"),
    "maxLength": ("LENGTH", "must have at most {limit} characters"),
    "minItems": ("LENGTH", "must have at least {limit} entries"),
    "maxItems": ("LENGTH", "must have at most {limit} entries"),
    "minProperties": ("LENGTH", "must have at least {limit} fields"),
    "maxProperties": ("LENGTH", "must have at most {limit} fields"),
    "uniqueItems": ("DUPLICATE", "must not repeat an entry"),
    "pattern": ("PATTERN", "must match {pattern}"),
    "format": ("FORMAT", "must be a valid {format}"),
    "dependentRequired": ("REQUIRED", "needs another field beside it"),
    "falseSchema": ("UNKNOWN_FIELD", "is not allowed here"),
    "not": ("INVALID", "has a shape that is not allowed here"),
    "oneOf": ("INVALID", "fits none, or more than one, of the allowed shapes"),
    "anyOf": ("INVALID", "fits none of the allowed shapes"),
}


def dotted(path: list[str | int]) -> str:
    """`["auth", "keys", 0]` as `auth.keys[0]`."""
    shown = ""
    for step in path:
        shown += f"[{step}]" if isinstance(step, int) else f".{step}" if shown else step
    return shown


def in_words(error: SchemaError, schema: dict[str, Any]) -> Iterator[Problem]:
    """The problems behind one complaint. `schema` is the whole document, to suggest names of fields."""
    kind, path = error.kind, list(error.instance_path)
    context = getattr(kind, "context", None)
    if kind.name in ("oneOf", "anyOf") and context and all(context):
        yield from _shape(context, schema)
    elif kind.name == "required":
        yield Problem(dotted([*path, kind.property]), "is missing", "REQUIRED")
    elif kind.name in ("additionalProperties", "unevaluatedProperties"):
        known = _siblings(error.schema_path, schema)
        for name in kind.unexpected:
            close = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {close[0]!r}?" if close else f"; known here: {', '.join(known)}" if known else ""
            yield Problem(dotted([*path, name]), f"is not a field here{hint}", "UNKNOWN_FIELD")
    else:
        code, message = _worded(kind)
        yield Problem(dotted(path), message, code)


def _shape(branches: list[list[SchemaError]], schema: dict[str, Any]) -> Iterator[Problem]:
    constants = [[error for error in branch if error.kind.name in ("const", "enum")] for branch in branches]
    if all(constants):
        where = dotted(list(constants[0][0].instance_path))
        options = dict.fromkeys(option for branch in constants for option in _options(branch[0].kind))
        yield Problem(where, f"must be one of {', '.join(options)}", "ENUM")
        return
    meant = min(range(len(branches)), key=lambda index: (len(constants[index]), len(branches[index])))
    for error in branches[meant]:
        yield from in_words(error, schema)


def _options(kind: Any) -> list[str]:
    values = kind.options if kind.name == "enum" else [kind.expected_value]
    return [json.dumps(value, ensure_ascii=False) for value in values]


def _worded(kind: Any) -> tuple[str, str]:
    if kind.name in ("const", "enum"):
        options = _options(kind)
        return "ENUM", f"must be {'one of ' if len(options) > 1 else ''}{', '.join(options)}"
    if kind.name == "type":
        return "TYPE", f"must be of type {' or '.join(kind.types)}"
    if hasattr(kind, "keyword"):
        return "SECRET", str(kind.message)
    code, words = _WORDS.get(kind.name, ("INVALID", "does not fit the schema ({name})"))
    return code, words.format(name=kind.name, **kind.as_dict()) if "{" in words else words


def _siblings(schema_path: list[str | int], schema: dict[str, Any]) -> list[str]:
    """The names of fields beside an unexpected one; empty where the path leads through a reference."""
    node: Any = schema
    for step in list(schema_path)[:-1]:
        try:
            node = node[step]
        except (KeyError, IndexError, TypeError):
            return []
    return list(node.get("properties", {})) if isinstance(node, dict) else []
