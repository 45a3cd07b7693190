"""The rules themselves: each kind of break is found, and what breaks nobody is let through."""

import copy
from collections.abc import Callable

import pytest
from tests.builders.breaking_changes import breaking_changes

OLD = {
    "paths": {
        "/runs": {
            "get": {
                "parameters": [{"in": "query", "name": "limit", "required": False, "schema": {"type": "integer"}}],
                "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/schemas/Run"}}}}},
            },
            "post": {
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/schemas/Asked"}}},
                },
                "responses": {"202": {"description": "taken"}},
            },
        }
    },
    "schemas": {
        "Run": {
            "type": "object",
            "required": ["id", "state"],
            "properties": {
                "id": {"type": "string"},
                "state": {"type": "string"},
                "parts": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}},
            },
        },
        "Asked": {
            "type": "object",
            "required": ["job"],
            "additionalProperties": False,
            "properties": {"job": {"type": "string"}, "kind": {"type": "string", "enum": ["DRY", "REAL"]}},
        },
    },
}


def _changed(change: Callable[[dict], object]) -> list[str]:
    new = copy.deepcopy(OLD)
    change(new)
    return breaking_changes(OLD, new)


def _run(new: dict) -> dict:
    return new["schemas"]["Run"]


def _asked(new: dict) -> dict:
    return new["schemas"]["Asked"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda new: new["paths"].pop("/runs"), "GET /runs is gone"),
        (lambda new: new["paths"]["/runs"].pop("post"), "POST /runs is gone"),
        (lambda new: new["paths"]["/runs"]["get"].update(parameters=[]), "the query parameter limit is gone"),
        (lambda new: new["paths"]["/runs"]["get"]["parameters"][0].update(required=True), "limit became necessary"),
        (lambda new: _run(new)["properties"].pop("state"), "the field state is gone"),
        (lambda new: _run(new)["properties"]["id"].update(type="integer"), "string became integer"),
        (lambda new: _run(new)["required"].remove("state"), "the field state may be missing"),
        (lambda new: _run(new)["properties"]["parts"]["items"]["properties"].clear(), "the field n is gone"),
        (lambda new: _asked(new)["required"].append("kind"), "the field kind became necessary"),
        (lambda new: _asked(new)["properties"].pop("kind"), "the field kind is no longer taken"),
        (lambda new: _asked(new)["properties"]["kind"].update(enum=["REAL"]), "the value DRY is refused"),
        (lambda new: new["paths"]["/runs"]["post"].update(responses={}), "the answer 202 is gone"),
    ],
)
def test_a_break_is_found(change: Callable[[dict], object], said: str) -> None:
    assert any(said in one for one in _changed(change)), _changed(change)


@pytest.mark.parametrize(
    "change",
    [
        lambda new: new["paths"].update({"/more": {}}),
        lambda new: _run(new)["properties"].update(note={"type": "string"}),
        lambda new: _asked(new)["properties"].update(note={"type": "string"}),
        lambda new: _asked(new)["required"].remove("job"),
        lambda new: _asked(new)["properties"]["kind"]["enum"].append("TEST"),
    ],
)
def test_what_breaks_nobody_is_let_through(change: Callable[[dict], object]) -> None:
    assert _changed(change) == []
