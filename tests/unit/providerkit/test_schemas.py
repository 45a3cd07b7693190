"""What a schema's complaint says to a person."""

from typing import Any

import pytest

from postroad.providerkit.schemas import ConfigSchema, is_secret_reference, load, secret_name
from postroad.spi import Problem

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "additionalProperties": False,
    "required": ["host"],
    "properties": {
        "host": {"type": "string", "minLength": 1, "format": "hostname"},
        "port": {"type": "integer", "minimum": 1, "maximum": 65535},
        "mode": {"enum": ["FAST", "SAFE"]},
        "code": {"type": "string", "pattern": "^[a-z]+$"},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "maxItems": 2},
        "password": {"type": "object", "x-postroad-secret": True},
        "auth": {
            "oneOf": [
                {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["type", "token"],
                    "properties": {"type": {"const": "BEARER"}, "token": {"type": "object", "x-postroad-secret": True}},
                },
                {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["type"],
                    "properties": {"type": {"const": "NONE"}},
                },
            ]
        },
    },
}


def problems(value: dict[str, Any]) -> list[tuple[str, str, str]]:
    found = ConfigSchema(SCHEMA).problems(value)
    return [(problem.field, problem.code, problem.message) for problem in found]


@pytest.mark.parametrize(
    ("value", "field", "code", "message"),
    [
        ({}, "host", "REQUIRED", "is missing"),
        ({"host": ""}, "host", "LENGTH", "must have at least 1 characters"),
        ({"host": 5}, "host", "TYPE", "must be of type string"),
        ({"host": "a", "port": 0}, "port", "RANGE", "must be at least 1"),
        ({"host": "a", "port": 70000}, "port", "RANGE", "must be at most 65535"),
        ({"host": "a", "mode": "X"}, "mode", "ENUM", 'must be one of "FAST", "SAFE"'),
        ({"host": "a", "code": "A"}, "code", "PATTERN", "must match ^[a-z]+$"),
        ({"host": "a", "tags": ["x", 1]}, "tags[1]", "TYPE", "must be of type string"),
        ({"host": "a", "tags": ["x", "x"]}, "tags", "DUPLICATE", "must not repeat an entry"),
        ({"host": "a", "prot": 1}, "prot", "UNKNOWN_FIELD", "is not a field here; did you mean 'port'?"),
        ({"host": "a", "auth": {"type": "BEARER"}}, "auth.token", "REQUIRED", "is missing"),
        ({"host": "a", "auth": {"type": "MAGIC"}}, "auth.type", "ENUM", 'must be one of "BEARER", "NONE"'),
        ({"host": "a", "auth": {}}, "auth.type", "REQUIRED", "is missing"),
    ],
)
def test_a_complaint_says_where_and_what(value: dict[str, Any], field: str, code: str, message: str) -> None:
    assert (field, code, message) in problems(value)


def test_only_the_shape_that_was_meant_is_complained_about() -> None:
    assert [field for field, _, _ in problems({"host": "a", "auth": {"type": "BEARER"}})] == ["auth.token"]


@pytest.mark.parametrize(
    "clear", ["hunter2", {"$secret": ""}, {"$secret": 5}, {"$secret": "a", "b": 1}, {}, None, ["hunter2"]], ids=repr
)
def test_a_secret_in_the_clear_is_refused_and_not_repeated(clear: object) -> None:
    for value in ({"host": "a", "password": clear}, {"host": "a", "auth": {"type": "BEARER", "token": clear}}):
        found = problems(value)
        assert found
        assert {field for field, _, _ in found} <= {"password", "auth.token"}
        assert "hunter2" not in repr(found)


def test_a_reference_to_a_secret_is_accepted() -> None:
    assert problems({"host": "a", "password": {"$secret": "smtp"}}) == []
    assert is_secret_reference({"$secret": "smtp"})
    assert secret_name({"$secret": "smtp"}, "password") == "smtp"
    with pytest.raises(ValueError, match="password") as caught:
        secret_name("hunter2", "password")
    assert "hunter2" not in str(caught.value)


def test_values_are_never_repeated() -> None:
    value = {"host": "private value", "port": "private", "mode": "private", "code": "PRIVATE", "tags": "private"}
    assert "private" not in repr(problems(value)).lower()


def test_everything_wrong_is_listed_at_once() -> None:
    assert [field for field, _, _ in problems({"port": 0, "mode": "X", "zz": 1})] == ["host", "mode", "port", "zz"]


def test_schemas_load_from_a_provider_package() -> None:
    found = load("postroad.providers.http")
    assert found is load("postroad.providers.http")
    assert found.account.problems({"baseUrl": "https://example.com"}) == []
    assert found.message.problems({}) == [Problem("path", "is missing", "REQUIRED")]
