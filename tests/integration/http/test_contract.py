"""The contract: what is served is what is written down, and a client of the last release is not broken."""

from collections import Counter
from pathlib import Path

import pytest
import yaml
from tests.architecture.tree import ROOT
from tests.builders.breaking_changes import breaking_changes
from tests.builders.service import RunningService

LOCKED = ROOT / "contracts" / "openapi.yaml"
RELEASED = ROOT / "contracts" / "released.yaml"
METHODS = ("get", "post", "put", "patch", "delete", "head")


@pytest.fixture(scope="module")
def locked() -> dict:
    return yaml.safe_load(LOCKED.read_text(encoding="utf-8"))


def _operations(document: dict) -> list[tuple[str, str, dict]]:
    return [
        (path, method, item[method]) for path, item in document["paths"].items() for method in METHODS if method in item
    ]


def test_the_served_document_is_the_locked_one(service: RunningService, locked: dict) -> None:
    served = service.outside.get("/api/openapi.json").json()
    assert served == locked, "run `make contract`"


def test_a_client_of_the_last_release_is_not_broken(locked: dict) -> None:
    if not RELEASED.exists():
        assert "released" not in {path.stem for path in LOCKED.parent.iterdir()}
        return
    released = yaml.safe_load(RELEASED.read_text(encoding="utf-8"))
    assert breaking_changes(released, locked) == []


def test_every_operation_has_a_name_of_its_own_and_says_what_it_does(locked: dict) -> None:
    operations = _operations(locked)
    names = Counter(operation["operationId"] for _, _, operation in operations)
    assert [name for name, times in names.items() if times > 1] == []
    assert [operation["operationId"] for _, _, operation in operations if not operation.get("summary")] == []


def test_every_changing_operation_below_a_resource_asks_for_what_protects_it(locked: dict) -> None:
    unprotected = []
    for path, method, operation in _operations(locked):
        needed = {p["name"] for p in operation.get("parameters", ()) if p["in"] == "header" and p.get("required")}
        if method in ("put", "patch") and not needed & {"If-Match", "Idempotency-Key"}:
            unprotected.append(f"{method} {path}")
    assert unprotected == ["put /api/v1/me/password"], "the password of before protects that one"


def test_every_reference_leads_somewhere(locked: dict) -> None:
    def references(part: object) -> list[str]:
        if isinstance(part, dict):
            own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
            return own + [ref for inner in part.values() for ref in references(inner)]
        return [ref for inner in part for ref in references(inner)] if isinstance(part, list) else []

    for reference in set(references(locked)):
        place: dict = locked
        for step in reference.removeprefix("#/").split("/"):
            place = place[step]


def test_nothing_in_the_contract_shows_how_it_is_made(locked: dict) -> None:
    text = LOCKED.read_text(encoding="utf-8")
    assert "HTTPValidationError" not in text
    assert str(Path.home()) not in text
    assert locked["openapi"] == "3.1.0"
