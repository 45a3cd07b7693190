"""Audiences and imports over HTTP, from an upload to the recipients of a snapshot."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.builders.service import RunningService, running_service

from postroad.foundation.service_settings import load_settings
from postroad.vocabulary.roles import Role

PEOPLE = "姓名,手机号\nBo,13800000001\nLi,13800000002\nLi,13800000002\n".encode("gb18030")


@pytest.fixture(scope="module")
def open_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where queries may read databases."""
    return tmp_path_factory.mktemp("open")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, open_folder: Path) -> Iterator[RunningService]:
    """One for all tests: each has a workspace of its own."""
    folder = tmp_path_factory.mktemp("data")
    flags = {"dataDir": str(folder), "audiences.databaseFolders": str(open_folder), "limits.upload": "1MiB"}
    with running_service(folder, settings=load_settings(flags=flags)) as running:
        yield running


@pytest.fixture
def workspace_id(service: RunningService, request: pytest.FixtureRequest) -> str:
    return service.new_workspace(request.node.name[-100:])


@pytest.fixture
def operator(service: RunningService, workspace_id: str) -> httpx.Client:
    return service.client(Role.OPERATOR, workspace_id=workspace_id)


def read_all(service: RunningService) -> None:
    while service.composition.import_reader.tick():
        pass


def uploaded(client: httpx.Client, content: bytes = PEOPLE, **query: Any) -> Any:
    answer = client.post("/audience-imports/files", params={"fileName": "people.csv", **query}, content=content)
    assert answer.status_code == 201, answer.text
    return answer.json()


def committed(service: RunningService, client: httpx.Client, begun: Any, **body: Any) -> Any:
    read_all(service)
    seen = client.get(f"/audience-imports/{begun['id']}")
    answer = client.post(
        f"/audience-imports/{begun['id']}/commit", json=body, headers={"if-match": seen.headers["etag"]}
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_spreadsheet_becomes_an_audience(service: RunningService, operator: httpx.Client) -> None:
    answer = operator.post(
        "/audience-imports/files",
        params={"fileName": "C:\\lists\\客户.csv", "key": "手机号", "mapping": ["mobile=手机号"]},
        content=PEOPLE,
    )
    begun = answer.json()
    assert answer.headers["location"].endswith(f"/audience-imports/{begun['id']}")
    assert (begun["state"], begun["source"]["fileName"], begun["upload"]["sizeBytes"]) == (
        "UPLOADED",
        "客户.csv",
        len(PEOPLE),
    )

    read_all(service)
    parsed = operator.get(f"/audience-imports/{begun['id']}").json()
    report = parsed["report"]
    assert (parsed["state"], parsed["rowsRead"], parsed["hasErrorsFile"]) == ("PARSED", 3, True)
    assert (report["accepted"], report["duplicates"], report["encoding"]) == (2, 1, "gb18030")
    assert report["columns"][1] == {"name": "手机号", "also": ["mobile"], "guessed": False}
    preview = operator.get(f"/audience-imports/{begun['id']}/preview").json()
    assert preview["accepted"][0] == {
        "row": 2,
        "fields": {"姓名": "Bo", "手机号": "13800000001", "mobile": "13800000001"},
    }
    assert preview["problems"][0]["code"] == "DUPLICATE"

    audience = committed(service, operator, begun, name="客户")
    assert (audience["snapshotRevision"], audience["recordCount"], audience["mapping"]) == (1, 2, {"mobile": "手机号"})
    rows = operator.get(f"/audiences/{audience['id']}/snapshots/1/rows", params={"first": 1, "limit": 1}).json()
    assert (rows["total"], rows["nextFirst"], rows["items"][0]["sequence"]) == (2, None, 1)
    assert rows["items"][0]["fields"]["姓名"] == "Li"


def test_tables_are_taken_away_as_csv(service: RunningService, operator: httpx.Client) -> None:
    begun = uploaded(operator, key="手机号")
    audience = committed(service, operator, begun, name="People")
    errors = operator.get(f"/audience-imports/{begun['id']}/errors.csv")
    accepted = operator.get(f"/audience-imports/{begun['id']}/accepted.csv")
    snapshot = operator.get(f"/audiences/{audience['id']}/snapshots/1/content.csv")
    assert errors.content.decode("utf-8-sig").splitlines()[1].startswith("4,手机号,DUPLICATE")
    assert accepted.text == snapshot.text == "row,姓名,手机号\n2,Bo,13800000001\n3,Li,13800000002\n"
    assert snapshot.headers["content-disposition"] == 'attachment; filename="audience-revision-1.csv"'
    assert (snapshot.headers["content-type"], snapshot.headers["cache-control"]) == (
        "text/csv; charset=utf-8",
        "private, no-store",
    )
    assert list((service.composition.settings.data_dir / "work" / "audiences").iterdir()) == []


def test_an_import_is_read_in_another_way(service: RunningService, operator: httpx.Client) -> None:
    begun = uploaded(operator, b"a;b\n1;2\n1;3\n", delimiter=",")
    read_all(service)
    seen = operator.get(f"/audience-imports/{begun['id']}")
    assert [column["name"] for column in seen.json()["report"]["columns"]] == ["a;b"]
    path = f"/audience-imports/{begun['id']}"
    body = {"file": {"delimiter": ";"}, "key": ["a"]}
    assert operator.patch(path, json=body).status_code == 428
    changed = operator.patch(path, json=body, headers={"if-match": seen.headers["etag"]})
    assert (changed.json()["state"], changed.json()["source"]["fileName"]) == ("UPLOADED", "people.csv")
    assert operator.patch(path, json=body, headers={"if-match": seen.headers["etag"]}).status_code == 412
    read_all(service)
    assert operator.get(path).json()["report"]["duplicates"] == 1


def test_an_import_is_discarded(service: RunningService, operator: httpx.Client) -> None:
    begun = uploaded(operator)
    gone = operator.delete(f"/audience-imports/{begun['id']}", headers={"if-match": '"1"'})
    assert (gone.status_code, gone.json()["state"]) == (200, "DISCARDED")
    again = operator.delete(f"/audience-imports/{begun['id']}", headers={"if-match": '"2"'})
    assert (again.status_code, again.json()["code"]) == (409, "STATE_CONFLICT")


def test_rows_of_a_request_and_made_up_ones(service: RunningService, operator: httpx.Client) -> None:
    rows = operator.post("/audience-imports", json={"rows": [{"name": "Bo", "age": 7, "vip": True, "x": None}]})
    assert rows.json()["source"] == {"type": "INLINE", "count": 1}
    made_up = operator.post("/audience-imports", json={"count": 3})
    assert made_up.json()["source"] == {"type": "SYNTHETIC", "count": 3}
    audience = committed(service, operator, rows.json(), name="One")
    shown = operator.get(f"/audiences/{audience['id']}/snapshots/1/rows").json()["items"][0]
    assert shown["fields"] == {"name": "Bo", "age": 7, "vip": True, "x": None}
    into = operator.post("/audience-imports", json={"count": 4, "audienceId": audience["id"]}).json()
    read_all(service)
    path = f"/audience-imports/{into['id']}/commit"
    etag = operator.get(f"/audience-imports/{into['id']}").headers["etag"]
    assert operator.post(path, json={}, headers={"if-match": etag}).status_code == 428
    stale = operator.post(path, json={"audienceVersion": 9}, headers={"if-match": etag})
    assert (stale.status_code, stale.json()["code"], stale.json()["current"]["version"]) == (409, "VERSION_CONFLICT", 1)
    grown = operator.post(path, json={"audienceVersion": 1}, headers={"if-match": etag}).json()
    assert (grown["snapshotRevision"], grown["recordCount"]) == (2, 4)
    revisions = operator.get(f"/audiences/{audience['id']}/snapshots").json()["items"]
    assert [(one["revision"], one["recordCount"], one["state"]) for one in revisions] == [
        (2, 4, "READY"),
        (1, 1, "READY"),
    ]


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "rows"),
    ({"count": 1, "rows": [{"a": 1}]}, "rows"),
    ({"rows": []}, "rows"),
    ({"rows": [{"a": 1}] * 1001}, "rows"),
    ({"rows": [{"a": 2**80}]}, "rows"),
    ({"count": 0}, "count"),
    ({"query": {"database": "sqlite:////etc/passwd", "query": "SELECT 1"}}, "database"),
    ({"query": {"database": "postgresql://u:p@h/d", "query": "SELECT 1"}}, "database"),
    ({"query": {"database": "postgresql://h/d", "query": "DROP TABLE x"}}, "query"),
    ({"count": 1, "mapping": {"": "x"}}, "mapping"),
    ({"count": 1, "audienceId": "x", "more": 1}, "more"),
]


def test_what_cannot_be_imported_is_refused_by_its_field(operator: httpx.Client) -> None:
    for body, path in REFUSED:
        answer = operator.post("/audience-imports", json=body)
        assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, path), answer.text


def test_a_file_beyond_the_limit_is_refused(operator: httpx.Client) -> None:
    answer = operator.post("/audience-imports/files", params={"fileName": "a.csv"}, content=b"a\n" * 1024 * 1024)
    assert (answer.status_code, answer.json()["code"]) == (413, "BODY_TOO_LARGE")


def test_a_query_is_asked_again(service: RunningService, operator: httpx.Client, open_folder: Path) -> None:
    with sqlite3.connect(open_folder / "crm.db") as crm:
        crm.execute("CREATE TABLE people (name TEXT)")
        crm.execute("INSERT INTO people VALUES ('Bo')")
    query = {"database": f"sqlite:///{open_folder}/crm.db", "query": "SELECT name FROM people"}
    begun = operator.post("/audience-imports", json={"query": {**query, "password": {"$secret": "crm/password"}}})
    assert begun.json()["source"]["password"] == {"$secret": "crm/password"}
    read_all(service)
    failed = operator.get(f"/audience-imports/{begun.json()['id']}")
    assert (failed.json()["state"], failed.json()["reason"]["code"]) == ("FAILED", "SECRET_MISSING")
    path = f"/audience-imports/{begun.json()['id']}"
    operator.patch(path, json={"query": query}, headers={"if-match": failed.headers["etag"]})
    audience = committed(service, operator, begun.json(), name="CRM")
    with sqlite3.connect(open_folder / "crm.db") as crm:
        crm.execute("INSERT INTO people VALUES ('Li')")
    refresh = operator.post(f"/audiences/{audience['id']}/refresh")
    assert (refresh.status_code, refresh.json()["cause"]) == (202, "REFRESH")
    read_all(service)
    now = operator.get(f"/audiences/{audience['id']}").json()
    assert (now["snapshotRevision"], now["recordCount"]) == (2, 2)
    assert operator.get(f"/audience-imports/{refresh.json()['id']}").json()["state"] == "COMMITTED"


def test_an_audience_is_renamed_archived_and_erased(service: RunningService, operator: httpx.Client) -> None:
    audience = committed(service, operator, uploaded(operator), name="People")
    path = f"/audiences/{audience['id']}"
    renamed = operator.patch(path, json={"name": "Clients", "key": ["姓名"]}, headers={"if-match": '"1"'})
    assert (renamed.json()["name"], renamed.json()["key"], renamed.headers["etag"]) == ("Clients", ["姓名"], '"2"')
    archived = operator.delete(path, headers={"if-match": '"2"'})
    assert archived.json()["status"] == "ARCHIVED"
    assert operator.get("/audiences").json()["items"] == []
    listed = operator.get("/audiences", params={"status": "ARCHIVED"}).json()
    assert ([one["id"] for one in listed["items"]], listed["counters"]) == (
        [audience["id"]],
        {"ACTIVE": 0, "ARCHIVED": 1},
    )
    assert operator.post(f"{path}/erase", headers={"if-match": '"3"'}).status_code == 204
    assert operator.get(path).status_code == 404
    assert operator.get(f"/artifacts/{audience['snapshotId']}").status_code == 404


def test_lists_of_imports_are_filtered_and_paged(service: RunningService, operator: httpx.Client) -> None:
    begun = [operator.post("/audience-imports", json={"count": number}).json()["id"] for number in (1, 2, 3)]
    first = operator.get("/audience-imports", params={"limit": 2, "status": "UPLOADED"}).json()
    assert [one["id"] for one in first["items"]] == begun[:0:-1]
    rest = operator.get(
        "/audience-imports", params={"limit": 2, "status": "UPLOADED", "cursor": first["page"]["nextCursor"]}
    ).json()
    assert ([one["id"] for one in rest["items"]], rest["page"]["hasMore"]) == (begun[:1], False)
    other = operator.get("/audience-imports", params={"cursor": first["page"]["nextCursor"]})
    assert other.json()["code"] == "VALIDATION_FAILED"


def test_a_viewer_sees_recipients_and_changes_nothing(
    service: RunningService, operator: httpx.Client, workspace_id: str
) -> None:
    audience = committed(service, operator, uploaded(operator), name="People")
    viewer = service.client(Role.VIEWER, workspace_id=workspace_id)
    stranger = service.client(None, workspace_id=workspace_id)
    assert viewer.get(f"/audiences/{audience['id']}/snapshots/1/rows").status_code == 200
    assert viewer.get(f"/audiences/{audience['id']}/snapshots/1/content.csv").status_code == 200
    assert viewer.post("/audience-imports", json={"count": 1}).status_code == 403
    assert stranger.get(f"/audiences/{audience['id']}").status_code == 404


def test_a_program_does_what_its_token_says(service: RunningService) -> None:
    program = service.program(Role.OPERATOR, ["audiences:write"])
    begun = program.post("/audience-imports", json={"count": 1})
    changed = program.patch(f"/audience-imports/{begun.json()['id']}", json={"count": 2}, headers={"if-match": '"1"'})
    assert (begun.status_code, changed.status_code, changed.json()["source"]["count"]) == (201, 200, 2)
    assert program.get(f"/audience-imports/{begun.json()['id']}").status_code == 403
