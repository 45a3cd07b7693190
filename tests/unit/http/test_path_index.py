"""The index finds what trying every route would find."""

import pytest
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

from postroad.entrypoints.http.path_index import PathIndex


async def _nothing() -> None:
    return None


def _route(path: str, *methods: str) -> APIRoute:
    return APIRoute(path, _nothing, methods=list(methods), name=f"{methods[0]} {path}")


ROUTES = [
    _route("/runs", "GET"),
    _route("/runs", "POST"),
    _route("/runs/{runId}", "GET"),
    _route("/runs/{runId}", "DELETE"),
    _route("/runs/{runId}/items", "GET"),
    _route("/runs/latest", "GET"),
    _route("/runs/{runId}/commands/{kind}", "POST"),
    _route("/runs/{runId}/commands/pause", "POST"),
]


def _scope(method: str, path: str) -> dict[str, object]:
    return {"type": "http", "method": method, "path": path, "root_path": ""}


@pytest.mark.parametrize(
    ("method", "path", "found", "parameters"),
    [
        ("GET", "/runs", "GET /runs", {}),
        ("POST", "/runs", "POST /runs", {}),
        ("GET", "/runs/7", "GET /runs/{runId}", {"runId": "7"}),
        ("DELETE", "/runs/latest", "DELETE /runs/{runId}", {"runId": "latest"}),
        ("GET", "/runs/latest", "GET /runs/latest", {}),
        ("GET", "/runs/7/items", "GET /runs/{runId}/items", {"runId": "7"}),
        ("POST", "/runs/7/commands/pause", "POST /runs/{runId}/commands/pause", {"runId": "7"}),
        ("POST", "/runs/7/commands/stop", "POST /runs/{runId}/commands/{kind}", {"runId": "7", "kind": "stop"}),
    ],
)
def test_a_route_is_found_by_its_parts(method: str, path: str, found: str, parameters: dict[str, str]) -> None:
    match, child = PathIndex(ROUTES).matches(_scope(method, path))
    assert match is Match.FULL
    assert child["route"].name == found
    assert child["path_params"] == parameters


@pytest.mark.parametrize("path", ["/", "", "/runs/", "//runs", "/runs//items", "/runs/7/items/8", "/run", "/runs/7/"])
def test_what_is_not_there_is_not_found(path: str) -> None:
    assert PathIndex(ROUTES).matches(_scope("GET", path)) == (Match.NONE, {})


async def test_another_method_is_refused_with_every_method_there_is() -> None:
    index = PathIndex(ROUTES)
    match, child = index.matches(_scope("PUT", "/runs/7"))
    assert match is Match.PARTIAL

    async def never(*_: object) -> None:
        raise AssertionError

    with pytest.raises(HTTPException) as refused:
        await index.handle(child, never, never)
    assert (refused.value.status_code, refused.value.headers) == (405, {"Allow": "DELETE, GET"})


def test_only_routes_it_can_find_again_are_taken() -> None:
    with pytest.raises(TypeError):
        PathIndex([Route("/plain", _nothing)])
    with pytest.raises(ValueError, match="whole part"):
        PathIndex([_route("/files/{name}.csv", "GET")])
    with pytest.raises(ValueError, match="whole part"):
        PathIndex([_route("/files/v{n}", "GET")])
