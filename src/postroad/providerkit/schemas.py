"""The schemas of a provider, loaded from its package, and what they say against a configuration.

A provider folder holds `schema/{account,message,recipient,ui}.schema.json` (JSON Schema 2020-12). A field marked
`"x-postroad-secret": true` must hold `{"$secret": "name"}`; a secret written there in the clear is refused and never
repeated. No message quotes the value it complains about, so a secret in the wrong field is not repeated either.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any, Protocol

from postroad.providerkit.schema_problems import SchemaError, in_words
from postroad.spi import Problem

MARK = "x-postroad-secret"
"""Marks a field whose value is the name of a secret."""

HINTS = frozenset(
    "x-postroad-" + hint
    for hint in (
        "secret",
        "widget",
        "variable",
        "multiline",
        "code-language",
        "display-order",
        "advanced",
        "capability",
        "local-file",
    )
)
"""The hints a schema may carry beside JSON Schema. Source: spec wepush §14.2; `local-file` is our own."""


class SecretReference:
    """The custom keyword behind `x-postroad-secret`."""

    def __init__(self, parent_schema: dict[str, Any], value: object, schema_path: list[str | int]) -> None:
        del parent_schema, schema_path
        self._wanted = bool(value)

    def validate(self, instance: object) -> None:
        """Raises ValueError, which the validator turns into an error of the field."""
        if self._wanted and not is_secret_reference(instance):
            raise ValueError('must name a secret as {"$secret": "name"}; never write the secret itself here')


class _Validator(Protocol):
    def iter_errors(self, instance: object) -> Iterator[SchemaError]: ...


@dataclass(frozen=True)
class ConfigSchema:
    """One schema, compiled on first use."""

    content: dict[str, Any]

    @cached_property
    def _validator(self) -> _Validator:
        import jsonschema_rs

        validator: _Validator = jsonschema_rs.Draft202012Validator(
            self.content, validate_formats=True, keywords={MARK: SecretReference}
        )
        return validator

    def problems(self, value: Mapping[str, Any]) -> list[Problem]:
        """Everything wrong with `value`, one entry per fault, in order of the fields. Empty means good."""
        found = {
            (problem.field, problem.message): problem
            for error in self._validator.iter_errors(value)
            for problem in in_words(error, self.content)
        }
        return sorted(found.values(), key=lambda problem: problem.field)


@dataclass(frozen=True)
class SchemaSet:
    """The four schemas of one provider."""

    account: ConfigSchema
    message: ConfigSchema
    recipient: ConfigSchema
    ui: dict[str, Any]


@lru_cache(maxsize=64)
def load(package: str) -> SchemaSet:
    """The schemas of a provider by the name of its package (`__package__`). A missing or broken file is a bug."""
    folder = files(package) / "schema"

    def read(name: str) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((folder / f"{name}.schema.json").read_text("utf-8"))
        return content

    return SchemaSet(
        ConfigSchema(read("account")), ConfigSchema(read("message")), ConfigSchema(read("recipient")), read("ui")
    )


def is_secret_reference(value: object) -> bool:
    """`{"$secret": "name"}` and nothing else, with a name that is not empty."""
    if not isinstance(value, dict) or list(value) != ["$secret"]:
        return False
    name = value["$secret"]
    return isinstance(name, str) and bool(name.strip())


def secret_name(value: object, where: str) -> str:
    """The name inside a checked reference. Raises ValueError for anything else, without repeating it."""
    if not isinstance(value, dict) or not is_secret_reference(value):
        raise ValueError(f'{where} must name a secret as {{"$secret": "name"}}')
    return str(value["$secret"])
