"""The OpenAPI document: named operations, one Problem schema, two ways to say who one is.

The framework makes the document from the routes; what holds for all of them is added here once: who may call, which
problems can come, which headers are needed.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import orjson
from fastapi import Request, Response
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Route

from postroad.entrypoints.http.conventions.answers import SAID
from postroad.entrypoints.http.conventions.error_answers import MEDIA_TYPE

OPENAPI_PATH = "/api/openapi.json"
_ABOUT = """\
Everything the service can do. Times are ISO-8601 in UTC, names are camelCase, unknown fields are refused.

* Errors are `application/problem+json` with a stable `code`; quote `traceId` when you ask for help.
* A resource that can change has a version, shown as `ETag`; changes send it back in `If-Match`.
* Lists come in pages: send `cursor` with the `nextCursor` of the page before and the same filters.
* `Idempotency-Key`: repeat a request with the same key and body as often as you like, it happens once.
* With a session cookie, changing requests also need the header `X-Postroad-CSRF: 1`.
"""
_PROBLEM: dict[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "code", "detail", "traceId", "errors"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string"},
        "detail": {"type": "string"},
        "traceId": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["path", "code", "message"],
                "properties": {name: {"type": "string"} for name in ("path", "code", "message")},
            },
        },
        "current": {"type": "object", "description": "With VERSION_CONFLICT: what stands now"},
    },
}
_SCHEMES = {
    "token": {"type": "http", "scheme": "bearer", "description": "A token of this service: pst_…"},
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "postroad_session",
        "description": "A signed-in person; over TLS the cookie is called __Host-postroad_session",
    },
}
_SHAPE = {"content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
_METHODS = ("get", "head", "post", "put", "patch", "delete")
_NEEDED = ("If-Match", "Idempotency-Key")
_FRAMEWORKS_OWN = ("HTTPValidationError", "ValidationError")
_OF_ALL = (400, 429, 503)


def operation_id(route: APIRoute) -> str:
    """`get_workspace` becomes `getWorkspace`: the names of the functions are the names of the operations."""
    first, *rest = route.name.split("_")
    return first + "".join(part.title() for part in rest)


def document(routes: Sequence[BaseRoute]) -> dict[str, Any]:
    """The contract of these routes."""
    made = get_openapi(title="Postroad", version="1", openapi_version="3.1.0", description=_ABOUT, routes=routes)
    components = made.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in _FRAMEWORKS_OWN:
        schemas.pop(name, None)
    schemas["Problem"] = _PROBLEM
    components["responses"] = {_name(status): {"description": said, **_SHAPE} for status, said in SAID.items()}
    components["securitySchemes"] = _SCHEMES
    made["security"] = [{"token": []}, {"session": []}]
    for operation in operations(made):
        _complete(operation)
    for part in ("paths", "components"):
        made[part] = _without_titles(made[part])
    return made


def operations(made: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for item in made["paths"].values():
        yield from (item[method] for method in _METHODS if method in item)


def route(routes: Sequence[BaseRoute]) -> BaseRoute:
    """Answers the document at `OPENAPI_PATH`; it is made when it is first asked for."""
    made: list[bytes] = []

    async def openapi(_: Request) -> Response:
        if not made:
            made.append(orjson.dumps(document(routes)))
        return Response(made[0], media_type="application/json")

    return Route(OPENAPI_PATH, openapi)


def _complete(operation: dict[str, Any]) -> None:
    answers = operation["responses"]
    if "HTTPValidationError" in str(answers.get("422", "")):
        del answers["422"]
    general = _OF_ALL if operation.get("security") == [] else (*_OF_ALL, 401)
    refused = {status for status in SAID if answers.get(str(status), {}).get("description") == SAID[status]}
    for status in refused.union(general):
        answers[str(status)] = {"$ref": f"#/components/responses/{_name(status)}"}
    operation["responses"] = dict(sorted(answers.items()))
    operation["summary"], _, rest = operation.get("description", "").strip().partition("\n\n")
    operation["description"] = rest
    if not rest:
        del operation["description"]
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "header" and parameter["name"] in _NEEDED:
            parameter["required"] = True
            parameter["schema"] = _without_null(parameter["schema"])


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    left = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
    return dict(left[0]) if len(left) == 1 else schema


def _name(status: int) -> str:
    return f"Problem{status}"


def _without_titles(part: Any) -> Any:
    """The same without the titles the framework makes of the names of fields; a field called `title` stays."""
    if isinstance(part, list):
        return [_without_titles(one) for one in part]
    if not isinstance(part, dict):
        return part
    return {name: _without_titles(one) for name, one in part.items() if name != "title" or not isinstance(one, str)}
