"""The live feed of a workspace over a real connection."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
from tests.builders.service import RunningService, running_service

from postroad.foundation.service_settings import load_settings
from postroad.vocabulary.roles import Role


def _rename(service: RunningService, name: str, version: int) -> None:
    answer = service.client(Role.ADMIN).patch(
        service.workspace, json={"name": name}, headers={"if-match": f'"{version}"'}
    )
    assert answer.status_code == 200


def _events(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, object]]]:
    last_id = ""
    for line in lines:
        if line.startswith("id: "):
            last_id = line[4:]
        if line.startswith("data: "):
            yield last_id, json.loads(line[6:])


def test_a_member_hears_what_happens(service: RunningService) -> None:
    with service.client(Role.VIEWER).stream("GET", "/events") as answer:
        assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
        lines = answer.iter_lines()
        assert next(line for line in lines if line.startswith(":")) == ": open"
        _rename(service, "Post", 1)
        _, event = next(_events(lines))
    assert event["name"] == "workspace.changed"
    assert event["aggregate"] == {"type": "workspace", "id": service.workspace_id, "version": 2}
    assert str(event["occurredAt"]).endswith("Z")


def test_a_watcher_goes_on_after_its_last_event(service: RunningService) -> None:
    _rename(service, "Post", 1)
    _rename(service, "Mail", 2)
    with service.client(Role.VIEWER).stream("GET", "/events", params={"lastEventId": "0"}) as answer:
        seen = _events(answer.iter_lines())
        first_id, first = next(seen)
    with service.client(Role.VIEWER).stream("GET", "/events", headers={"last-event-id": first_id}) as answer:
        _, second = next(_events(answer.iter_lines()))
    assert [event["aggregate"]["version"] for event in (first, second)] == [1, 2]  # type: ignore[index]


def test_a_stranger_hears_nothing(service: RunningService) -> None:
    answer: httpx.Response = service.client(None).get("/events")
    assert answer.status_code == 404


def test_one_stream_too_many_is_refused_in_words(tmp_path: Path) -> None:
    settings = load_settings(flags={"dataDir": str(tmp_path), "limits.watchers": "1"})
    with running_service(tmp_path, settings=settings) as service:
        viewer = service.client(Role.VIEWER)
        with viewer.stream("GET", "/events") as answer:
            lines = answer.iter_lines()
            assert next(lines).startswith("retry:")
            refused = service.client(Role.VIEWER).get("/events")
        assert (refused.status_code, refused.json()["code"]) == (503, "OVERLOADED")
        assert refused.headers["retry-after"] == "5"


def test_an_id_that_is_none_is_refused(service: RunningService) -> None:
    answer = service.client(Role.VIEWER).get("/events", headers={"last-event-id": "yesterday"})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, "Last-Event-ID")
