"""Deliveries over HTTP: an event that has one, a replay that is counted first, consumers that are switched off."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert
from tests.builders.service import TESTS, RunningService, running_service

from postroad.kernel.consumers.rows import event_consumers, event_deliveries, row_of
from postroad.kernel.uow import UnitOfWork
from postroad.vocabulary.events import Aggregate, EventName
from postroad.vocabulary.roles import Role


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    with running_service(tmp_path) as running:
        yield running


def _dead_delivery(service: RunningService) -> str:
    def prepared(uow: UnitOfWork) -> str:
        uow.emit(EventName.JOB_CHANGED, Aggregate("job", "j1", 1), {"jobId": "j1"}, workspace_id=service.workspace_id)
        event = uow.events[-1]
        row = {**row_of(event, "toy"), "state": "DEAD", "attempts": 3, "last_error": "HTTP_500"}
        uow.connection.execute(insert(event_deliveries), row)
        uow.connection.execute(
            insert(event_consumers), {"name": "toy", "required": True, "held": False, "known_since_ms": 0}
        )
        return event.event_id

    return service.database.write(TESTS, prepared)


def test_a_dead_delivery_is_listed_shown_counted_and_replayed(service: RunningService) -> None:
    event_id = _dead_delivery(service)
    admin = service.client(Role.ADMIN)
    (listed,) = admin.get("/deliveries", params={"state": "DEAD"}).json()["items"]
    assert (listed["id"], listed["consumer"], listed["lastError"]) == (f"{event_id}.1.toy", "toy", "HTTP_500")
    asked = {"consumer": "toy", "reason": "mended"}
    assert admin.post("/deliveries/replay", json=asked).json() == {"number": 1, "done": False}
    assert admin.post("/deliveries/replay", json={**asked, "expected": 7}).status_code == 409
    assert admin.post("/deliveries/replay", json={**asked, "expected": 1}).json() == {"number": 1, "done": True}
    shown = admin.get(f"/deliveries/{event_id}.2.toy").json()
    assert [one["state"] for one in shown["generations"]] == ["DEAD", "PENDING"]
    assert shown["event"]["payload"] == {"jobId": "j1"}


def test_a_viewer_looks_and_changes_nothing(service: RunningService) -> None:
    _dead_delivery(service)
    viewer = service.client(Role.VIEWER)
    assert len(viewer.get("/deliveries").json()["items"]) == 1
    refused = viewer.post("/deliveries/discard", json={"consumer": "toy", "reason": "no", "expected": 1})
    assert refused.status_code == 403


def test_a_delivery_that_is_not_there_is_not_found(service: RunningService) -> None:
    assert service.client(Role.VIEWER).get("/deliveries/x.1.toy").status_code == 404
