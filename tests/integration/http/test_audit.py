"""The audit over HTTP."""

import csv
import io
import json

from tests.builders.service import TESTS, RunningService

from postroad.kernel.authz import Resource
from postroad.vocabulary.roles import Role


def _rename(service: RunningService, name: str, version: int) -> None:
    admin = service.client(Role.ADMIN)
    answer = admin.patch(service.workspace, json={"name": name}, headers={"if-match": f'"{version}"'})
    assert answer.status_code == 200


def test_a_change_is_found_with_who_what_and_where(service: RunningService) -> None:
    _rename(service, "North", 1)
    page = service.client(Role.ADMIN).get("/audit-events", params={"action": "workspace.*", "result": "OK"}).json()
    row = page["items"][0]
    assert (row["action"], row["actorKind"], row["resourceType"]) == ("workspace.rename", "user", "workspace")
    assert (row["sourceAddress"], row["details"]) == ("127.0.0.1", {"name": "North"})
    assert len(row["traceId"]) == 32


def test_a_refusal_is_found_too(service: RunningService) -> None:
    viewer = service.client(Role.VIEWER)
    refused = viewer.patch(service.workspace, json={"name": "Mine"}, headers={"if-match": '"1"'})
    rows = service.client(Role.ADMIN).get("/audit-events", params={"result": "DENIED"}).json()["items"]
    assert [(row["action"], row["traceId"]) for row in rows] == [("workspace:write", refused.json()["traceId"])]


def test_an_operator_does_not_read_it_and_a_stranger_not_even_that_it_is_there(service: RunningService) -> None:
    assert service.client(Role.OPERATOR).get("/audit-events").status_code == 403
    assert service.client(None).get("/audit-events").status_code == 404
    assert service.client(Role.ADMIN).get(f"{service.api}/audit-events").status_code == 403


def test_a_system_administrator_reads_what_belongs_to_no_workspace(service: RunningService) -> None:
    admin = service.client(None, system_admin=True)
    admin.post(f"{service.api}/users", json={"username": "anna"})
    rows = admin.get(f"{service.api}/audit-events", params={"action": "user.create"}).json()["items"]
    assert (rows[0]["workspaceId"] or None, rows[0]["details"]["username"]) == (None, "anna")


def test_an_export_as_csv_is_safe_to_open_and_written_down(service: RunningService) -> None:
    resource = Resource(service.workspace_id, "thing", "=HYPERLINK(1)")
    service.database.write(TESTS, lambda uow: uow.audit("thing.change", resource, details={"name": 'a,b\n"c"'}))
    admin = service.client(Role.ADMIN)
    answer = admin.get("/audit-events/export", params={"resourceType": "thing"})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="audit.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [(row["action"], row["resourceId"], json.loads(row["details"])) for row in rows] == [
        ("thing.change", "'=HYPERLINK(1)", {"name": 'a,b\n"c"'})
    ]
    written = admin.get("/audit-events", params={"action": "audit.export"}).json()["items"]
    assert written[0]["details"] == {"format": "csv", "filters": {"resource_type": "thing"}}


def test_an_export_as_json_lines_holds_more_than_one_part(service: RunningService) -> None:
    resource = Resource(service.workspace_id, "thing")

    def many(uow: object) -> None:
        for number in range(1001):
            uow.audit(f"thing.{number}", resource)  # type: ignore[attr-defined]

    service.database.write(TESTS, many)
    answer = service.client(Role.ADMIN).get("/audit-events/export", params={"action": "thing.*", "format": "jsonl"})
    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert len({row["action"] for row in rows}) == len(rows) == 1001


def test_an_export_asks_for_the_right_first(service: RunningService) -> None:
    assert service.client(Role.OPERATOR).get("/audit-events/export").status_code == 403
