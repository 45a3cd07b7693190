"""The OpenAPI document: named operations, one Problem schema, two ways to say who one is."""

from typing import Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

OPENAPI_PATH = "/api/openapi.json"
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
        "current": {"type": "object", "description": "The current version, with VERSION_CONFLICT"},
    },
}
_SCHEMES = {
    "token": {"type": "http", "scheme": "bearer", "description": "A token of this service: pst_…"},
    "session": {"type": "apiKey", "in": "cookie", "name": "postroad_session"},
}


def operation_id(route: APIRoute) -> str:
    """`get_workspace` becomes `getWorkspace`: the names of the functions are the names of the operations."""
    first, *rest = route.name.split("_")
    return first + "".join(part.title() for part in rest)


def document(app: FastAPI) -> dict[str, Any]:
    """The contract as it is served."""
    if app.openapi_schema is None:
        made = get_openapi(title=app.title, version="1", openapi_version="3.1.0", routes=app.routes)
        components = made.setdefault("components", {})
        components.setdefault("schemas", {})["Problem"] = _PROBLEM
        components["securitySchemes"] = _SCHEMES
        app.openapi_schema = made
    return app.openapi_schema


def serve(app: FastAPI) -> None:
    """Answers the document at `OPENAPI_PATH`."""

    async def openapi(_: Request) -> Response:
        return Response(orjson.dumps(document(app)), media_type="application/json")

    app.add_route(OPENAPI_PATH, openapi, methods=["GET"], include_in_schema=False)
