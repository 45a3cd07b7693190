"""Calls of operations as the contract describes them: the smallest body that is allowed, something in every path."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.integration.http.rights import Right

_METHODS = ("get", "head", "post", "put", "patch", "delete")
_TEXTS = {"date-time": "2030-01-01T00:00:00.000Z", "uuid": "0190a000-0000-7000-8000-000000000009"}


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    content: bytes | None
    json: object


def operations(contract: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for path, item in contract["paths"].items():
        yield from ((method.upper(), path) for method in _METHODS if method in item)


def call_of(contract: Mapping[str, Any], operation: tuple[str, str], right: Right, workspace_id: str) -> Call:
    method, path = operation
    said = contract["paths"][path][method.lower()]
    filled, query, headers = path, dict(right.query), dict[str, str]()
    for parameter in said.get("parameters", ()):
        value = str(_smallest(contract, parameter.get("schema", {})))
        if parameter["in"] == "path":
            given = workspace_id if parameter["name"] == "workspaceId" else value or "missing"
            filled = filled.replace(f"{{{parameter['name']}}}", given)
        elif parameter["in"] == "query" and parameter.get("required"):
            query.setdefault(parameter["name"], value)
        elif parameter["name"] == "Idempotency-Key":
            headers[parameter["name"]] = "a-key"
    schema = said.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if isinstance(right.body, bytes):
        return Call(method, filled, query, headers, right.body, None)
    body = _smallest(contract, schema) if right.body is None and schema is not None else right.body
    return Call(method, filled, query, headers, None, body)


def _smallest(contract: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    if "$ref" in schema:
        return _smallest(contract, contract["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in schema:
            return _smallest(contract, schema[choice][0])
    match schema.get("type"):
        case "object":
            known = schema.get("properties", {})
            return {name: _smallest(contract, known[name]) for name in schema.get("required", ())}
        case "array":
            return [_smallest(contract, schema["items"])] * max(1, schema.get("minItems", 0))
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return False
        case "null":
            return None
        case _:
            return _TEXTS.get(schema.get("format", ""), "x" * max(1, schema.get("minLength", 0)))
