"""Workspaces over HTTP: the conventions as every owner keeps them."""

from tests.builders.service import RunningService

from postroad.vocabulary.roles import Role


def test_a_workspace_is_shown_with_its_version_as_etag(service: RunningService) -> None:
    answer = service.client(Role.VIEWER).get(service.workspace)
    assert answer.status_code == 200
    assert answer.headers["etag"] == '"1"'
    shown = answer.json()
    assert (shown["name"], shown["status"], shown["version"]) == ("Work", "ACTIVE", 1)
    assert shown["createdAt"].endswith("Z")


def test_a_stranger_learns_nothing(service: RunningService) -> None:
    answer = service.client(None).get(service.workspace)
    assert (answer.status_code, answer.json()["code"]) == (404, "RESOURCE_NOT_FOUND")


def test_nobody_is_asked_to_sign_in(service: RunningService) -> None:
    answer = service.outside.get(f"{service.api}/workspaces")
    assert (answer.status_code, answer.json()["code"]) == (401, "AUTHENTICATION_REQUIRED")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_viewer_changes_nothing(service: RunningService) -> None:
    answer = service.client(Role.VIEWER).patch(service.workspace, json={"name": "Mine"}, headers={"if-match": '"1"'})
    assert (answer.status_code, answer.json()["code"]) == (403, "ACCESS_DENIED")


def test_a_change_needs_the_version_it_started_from(service: RunningService) -> None:
    admin = service.client(Role.ADMIN)
    missing = admin.patch(service.workspace, json={"name": "Post"})
    changed = admin.patch(service.workspace, json={"name": "Post"}, headers={"if-match": '"1"'})
    stale = admin.patch(service.workspace, json={"name": "Mail"}, headers={"if-match": '"1"'})
    assert (missing.status_code, missing.json()["code"]) == (428, "PRECONDITION_REQUIRED")
    assert (changed.status_code, changed.headers["etag"]) == (200, '"2"')
    assert (stale.status_code, stale.json()["code"]) == (412, "VERSION_CONFLICT")
    assert stale.json()["current"]["version"] == 2
    assert stale.json()["current"]["updatedAt"] == changed.json()["updatedAt"]


def test_an_unknown_field_is_named(service: RunningService) -> None:
    answer = service.client(Role.ADMIN).patch(service.workspace, json={"nam": "Post"}, headers={"if-match": '"1"'})
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_FAILED")
    assert {(one["path"], one["code"]) for one in answer.json()["errors"]} == {
        ("nam", "extra_forbidden"),
        ("name", "missing"),
    }


def test_a_new_workspace_says_where_it_is(service: RunningService) -> None:
    made = service.client(Role.VIEWER, system_admin=True).post(f"{service.api}/workspaces", json={"name": "Second"})
    assert made.status_code == 201
    assert made.headers["location"] == f"/api/v1/workspaces/{made.json()['id']}"


def test_a_list_goes_on_where_the_page_before_ended(service: RunningService) -> None:
    for number in range(3):
        service.new_workspace(f"More {number}")
    admin = service.client(Role.VIEWER, system_admin=True)
    first = admin.get(f"{service.api}/workspaces", params={"limit": 3}).json()
    second = admin.get(f"{service.api}/workspaces", params={"limit": 3, "cursor": first["page"]["nextCursor"]}).json()
    assert [one["name"] for one in first["items"]] == ["More 2", "More 1", "More 0"]
    assert first["page"]["hasMore"]
    assert [one["name"] for one in second["items"]] == ["Work", "Default"]
    assert second["page"] == {"nextCursor": None, "hasMore": False}


def test_a_cursor_does_not_fit_other_filters(service: RunningService) -> None:
    service.new_workspace("More")
    admin = service.client(Role.VIEWER, system_admin=True)
    cursor = admin.get(f"{service.api}/workspaces", params={"limit": 1}).json()["page"]["nextCursor"]
    answer = admin.get(f"{service.api}/workspaces", params={"limit": 1, "cursor": cursor, "status": "ACTIVE"})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, "cursor")
