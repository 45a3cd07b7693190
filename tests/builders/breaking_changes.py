"""What in a newer OpenAPI document breaks a client that was made from an older one.

A client breaks where a path or a method is gone, where a parameter or a field of a request becomes necessary or is no
longer taken, where a value it may send is refused, and where a field or an answer it reads is gone or of another type.
"""

from collections.abc import Iterator
from typing import Any

METHODS = ("get", "post", "put", "patch", "delete", "head")


def breaking_changes(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    return list(_paths(old, new))


def _paths(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for path, item in old["paths"].items():
        for method in (one for one in METHODS if one in item):
            where = f"{method.upper()} {path}"
            if method not in new["paths"].get(path, {}):
                yield f"{where} is gone"
                continue
            yield from _operation(where, (item[method], old), (new["paths"][path][method], new))


Part = tuple[dict[str, Any], dict[str, Any]]
"""A part of a document, and the document."""


def _operation(where: str, old: Part, new: Part) -> Iterator[str]:
    before = {(p["in"], p["name"]): p for p in old[0].get("parameters", ())}
    after = {(p["in"], p["name"]): p for p in new[0].get("parameters", ())}
    for key in before.keys() - after.keys():
        yield f"{where}: the {key[0]} parameter {key[1]} is gone"
    for key, parameter in after.items():
        if parameter.get("required") and not before.get(key, {}).get("required"):
            yield f"{where}: the {key[0]} parameter {key[1]} became necessary"
        elif key in before:
            yield from _sent(f"{where} {key[1]}", (before[key]["schema"], old[1]), (parameter["schema"], new[1]))
    yield from _bodies(where, old, new)
    for status, answer in old[0]["responses"].items():
        if not status.startswith("2"):
            continue
        if status not in new[0]["responses"]:
            yield f"{where}: the answer {status} is gone"
            continue
        for media, content in answer.get("content", {}).items():
            there = new[0]["responses"][status].get("content", {}).get(media)
            if there is None:
                yield f"{where}: the answer {status} is no longer {media}"
            else:
                yield from _read(f"{where} {status}", (content.get("schema", {}), old[1]), (there["schema"], new[1]))


def _bodies(where: str, old: Part, new: Part) -> Iterator[str]:
    before, after = old[0].get("requestBody", {}), new[0].get("requestBody", {})
    if after.get("required") and not before.get("required"):
        yield f"{where}: a body became necessary"
    for media, content in before.get("content", {}).items():
        there = after.get("content", {}).get(media)
        if there is None:
            yield f"{where}: a body of {media} is no longer taken"
        else:
            yield from _sent(f"{where} body", (content["schema"], old[1]), (there["schema"], new[1]))


def _sent(where: str, old: Part, new: Part) -> Iterator[str]:
    """Changes of what a client sends."""
    before, after = _resolved(old), _resolved(new)
    yield from _types(where, before, after)
    for value in set(map(str, before.get("enum", ()))) - set(map(str, after.get("enum", before.get("enum", ())))):
        yield f"{where}: the value {value} is refused"
    fields, there = before.get("properties", {}), after.get("properties", {})
    if after.get("additionalProperties") is False:
        for name in fields.keys() - there.keys():
            yield f"{where}: the field {name} is no longer taken"
    for name in set(after.get("required", ())) - set(before.get("required", ())):
        yield f"{where}: the field {name} became necessary"
    for name in fields.keys() & there.keys():
        yield from _sent(f"{where}.{name}", (fields[name], old[1]), (there[name], new[1]))


def _read(where: str, old: Part, new: Part) -> Iterator[str]:
    """Changes of what a client reads."""
    before, after = _resolved(old), _resolved(new)
    yield from _types(where, before, after)
    fields, there = before.get("properties", {}), after.get("properties", {})
    for name, schema in fields.items():
        if name not in there:
            yield f"{where}: the field {name} is gone"
        else:
            yield from _read(f"{where}.{name}", (schema, old[1]), (there[name], new[1]))
    for name in set(before.get("required", ())) - set(after.get("required", ())):
        if name in there:
            yield f"{where}: the field {name} may be missing"
    if "items" in before and "items" in after:
        yield from _read(f"{where}[]", (before["items"], old[1]), (after["items"], new[1]))


def _types(where: str, before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    if "type" in before and before["type"] != after.get("type", before["type"]):
        yield f"{where}: {before['type']} became {after['type']}"


def _resolved(part: Part) -> dict[str, Any]:
    schema, document = part
    while "$ref" in schema:
        place: dict[str, Any] = document
        for step in schema["$ref"].removeprefix("#/").split("/"):
            place = place[step]
        schema = place
    return schema
