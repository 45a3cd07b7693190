"""People over HTTP: the first administrator, signing in, users, members, oneself."""

import re
from pathlib import Path

import httpx
import pytest
from tests.builders.service import TESTS, RunningService, running_service

from postroad.entrypoints.http.composition import HttpSettings
from postroad.modules import identity
from postroad.vocabulary.roles import Role

PASSWORD = "a password for tests"


def _code(service: RunningService) -> str:
    code = service.database.write(TESTS, identity.new_setup_code)
    assert code is not None
    return code.secret.reveal()


def _set_up(service: RunningService) -> httpx.Response:
    body = {"code": _code(service), "username": "root", "displayName": "The Root", "password": PASSWORD}
    return service.outside.post("/api/v1/setup", json=body)


def _signed_in(service: RunningService, username: str, password: str = PASSWORD) -> httpx.Client:
    """A client that signed in as a browser does and keeps the cookie."""
    client = httpx.Client(base_url=service.api, headers={"x-postroad-csrf": "1"}, trust_env=False, verify=False)
    service._clients.append(client)
    answer = client.post(f"{service.api}/sessions", json={"username": username, "password": password})
    assert answer.status_code == 201
    return client


def test_the_first_administrator_comes_by_the_printed_code_and_once(service: RunningService) -> None:
    assert service.outside.get("/api/v1/setup").json() == {"needed": True}
    made = _set_up(service)
    assert made.status_code == 201
    assert (made.json()["username"], made.json()["systemAdmin"]) == ("root", True)
    assert service.outside.get("/api/v1/setup").json() == {"needed": False}
    again = service.outside.post("/api/v1/setup", json={"code": "x", "username": "r2", "password": PASSWORD})
    assert (again.status_code, again.json()["code"]) == (409, "STATE_CONFLICT")


def test_a_wrong_code_is_named_by_its_field_and_shown_nowhere(service: RunningService) -> None:
    _code(service)
    body = {"code": "my wrong code", "username": "root", "password": PASSWORD}
    answer = service.outside.post("/api/v1/setup", json=body)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, "code")
    assert "my wrong code" not in answer.text
    assert PASSWORD not in answer.text


def test_signing_in_gives_a_cookie_that_scripts_and_other_sites_cannot_use(service: RunningService) -> None:
    _set_up(service)
    answer = service.outside.post("/api/v1/sessions", json={"username": "ROOT", "password": PASSWORD})
    cookie = answer.headers["set-cookie"]
    assert re.match(r"postroad_session=[\w-]{43}; ", cookie)
    assert {"HttpOnly", "Path=/", "SameSite=strict", "Max-Age=604800"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    secret = cookie.split(";")[0].partition("=")[2]
    assert secret not in answer.text
    shown = answer.json()
    assert (shown["user"]["username"], shown["session"]["isCurrent"]) == ("root", True)


def test_over_tls_the_cookie_is_bound_to_this_host(tmp_path: Path) -> None:
    with running_service(tmp_path, http=HttpSettings(public_base_url="https://post.example.org")) as service:
        _set_up(service)
        answer = service.outside.post("/api/v1/sessions", json={"username": "root", "password": PASSWORD})
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith("__Host-postroad_session=")
        assert "Secure" in cookie.split("; ")


def test_whatever_is_wrong_with_a_sign_in_the_answer_is_the_same(service: RunningService) -> None:
    _set_up(service)
    answers = [
        service.outside.post("/api/v1/sessions", json={"username": name, "password": password}).json()
        for name, password in (
            ("root", "a wrong password"),
            ("nobody", PASSWORD),
            ("\x00", "\ud800".encode("utf-16", "surrogatepass").hex()),
        )
    ]
    for answer in answers:
        answer.pop("traceId")
    assert answers[0]["code"] == "AUTHENTICATION_REQUIRED"
    assert answers[0] == answers[1] == answers[2]


def test_guessing_is_told_when_to_come_again(service: RunningService) -> None:
    for _ in range(10):
        service.outside.post("/api/v1/sessions", json={"username": "root", "password": "a wrong password"})
    answer = service.outside.post("/api/v1/sessions", json={"username": "root", "password": PASSWORD})
    assert (answer.status_code, answer.json()["code"]) == (429, "RATE_LIMITED")
    assert int(answer.headers["retry-after"]) > 0


def test_a_page_of_another_site_signs_nobody_in(service: RunningService) -> None:
    _set_up(service)
    answer = service.outside.post(
        "/api/v1/sessions",
        json={"username": "root", "password": PASSWORD},
        headers={"origin": "https://evil.example"},
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "ACCESS_DENIED")
    assert "set-cookie" not in answer.headers


def test_who_signed_in_is_known_until_signing_out(service: RunningService) -> None:
    _set_up(service)
    root = _signed_in(service, "root")
    assert root.get(f"{service.api}/sessions/current").json()["user"]["username"] == "root"
    assert root.get(f"{service.api}/me").json()["user"]["systemAdmin"] is True
    out = root.delete(f"{service.api}/sessions/current")
    assert out.status_code == 204
    assert 'postroad_session=""' in out.headers["set-cookie"]
    assert service.outside.get("/api/v1/me").status_code == 401


def test_regression_who_comes_with_the_cookie_of_an_ended_session_can_sign_in_again(service: RunningService) -> None:
    _set_up(service)
    headers = {"cookie": "postroad_session=of-a-session-that-is-over", "x-postroad-csrf": "1"}
    assert service.outside.get("/api/v1/me", headers=headers).status_code == 401
    answer = service.outside.post("/api/v1/sessions", json={"username": "root", "password": PASSWORD}, headers=headers)
    assert answer.status_code == 201


def test_a_new_user_chooses_a_password_by_the_link_and_gets_in(service: RunningService) -> None:
    admin = service.client(None, system_admin=True)
    made = admin.post(f"{service.api}/users", json={"username": "anna", "displayName": "Anna"})
    assert (made.status_code, made.headers["location"]) == (201, f"/api/v1/users/{made.json()['user']['id']}")
    link = made.json()["passwordLink"]
    assert link["link"] == f"{service.url}/password#code={link['code']}"
    chosen = service.outside.post("/api/v1/passwords", json={"code": link["code"], "password": PASSWORD})
    assert (chosen.status_code, chosen.content) == (204, b"")
    again = service.outside.post("/api/v1/passwords", json={"code": link["code"], "password": PASSWORD})
    assert (again.status_code, again.json()["errors"][0]["path"]) == (400, "code")
    assert _signed_in(service, "anna").get(f"{service.api}/me").json()["roles"] == []


def test_the_link_leads_to_a_page_that_asks_for_the_password(service: RunningService) -> None:
    page = service.outside.get("/password")
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert 'data-to="/api/v1/passwords"' in page.text
    assert "script-src 'self'" in page.headers["content-security-policy"]


def test_a_disabled_user_is_out_at_once(service: RunningService) -> None:
    user = service.new_user(Role.OPERATOR)
    anna, admin = service.signed_in(user), service.client(None, system_admin=True)
    assert anna.get(service.workspace).status_code == 200
    where = f"{service.api}/users/{user.id}"
    shown = admin.get(where)
    changed = admin.patch(where, json={"status": "DISABLED"}, headers={"if-match": shown.headers["etag"]})
    assert (changed.status_code, changed.json()["status"]) == (200, "DISABLED")
    assert anna.get(service.workspace).status_code == 401


def test_the_last_system_administrator_stays(service: RunningService) -> None:
    user = service.new_user(None, system_admin=True)
    admin, where = service.signed_in(user), f"{service.api}/users/{user.id}"
    answer = admin.patch(where, json={"systemAdmin": False}, headers={"if-match": '"1"'})
    assert (answer.status_code, answer.json()["code"]) == (409, "STATE_CONFLICT")


def test_a_new_link_and_signing_out_are_a_system_administrators(service: RunningService) -> None:
    user = service.new_user(Role.VIEWER)
    anna, admin = service.signed_in(user), service.client(None, system_admin=True)
    link = admin.post(f"{service.api}/users/{user.id}/password-link")
    assert (link.status_code, set(link.json())) == (201, {"link", "code", "expiresAt"})
    assert admin.delete(f"{service.api}/users/{user.id}/sessions").status_code == 204
    assert anna.get(f"{service.api}/me").status_code == 401


def test_users_are_listed_for_system_administrators_alone(service: RunningService) -> None:
    admin = service.client(None, system_admin=True)
    service.new_user(Role.VIEWER)
    found = admin.get(f"{service.api}/users", params={"name": "VIEWER-", "status": "ACTIVE"})
    assert [user["username"][:7] for user in found.json()["items"]] == ["viewer-"]
    assert found.json()["page"] == {"nextCursor": None, "hasMore": False}
    assert service.client(Role.ADMIN).get(f"{service.api}/users").status_code == 403


def test_oneself_changes_name_and_password(service: RunningService) -> None:
    _set_up(service)
    root, other = _signed_in(service, "root"), _signed_in(service, "root")
    shown = root.get(f"{service.api}/me")
    named = root.patch(f"{service.api}/me", json={"displayName": "Root"}, headers={"if-match": shown.headers["etag"]})
    assert (named.status_code, named.json()["displayName"]) == (200, "Root")
    wrong = root.put(
        f"{service.api}/me/password", json={"currentPassword": "wrong one", "newPassword": "quite another one"}
    )
    assert (wrong.status_code, wrong.json()["errors"][0]["path"]) == (400, "currentPassword")
    right = root.put(
        f"{service.api}/me/password", json={"currentPassword": PASSWORD, "newPassword": "quite another one"}
    )
    assert right.status_code == 204
    assert root.get(f"{service.api}/me").status_code == 200
    assert other.get(f"{service.api}/me").status_code == 401


def test_sessions_are_listed_and_ended(service: RunningService) -> None:
    user = service.new_user(Role.VIEWER)
    here, there = service.signed_in(user), service.signed_in(user)
    listed = here.get(f"{service.api}/sessions").json()["items"]
    assert sorted(session["isCurrent"] for session in listed) == [False, True]
    other = next(session["id"] for session in listed if not session["isCurrent"])
    assert here.delete(f"{service.api}/sessions/{other}").status_code == 204
    assert here.delete(f"{service.api}/sessions/{other}").status_code == 404
    assert there.get(f"{service.api}/me").status_code == 401
    assert here.delete(f"{service.api}/sessions", params={"keepCurrent": "false"}).status_code == 204
    assert here.get(f"{service.api}/me").status_code == 401


def test_members_come_change_and_go(service: RunningService) -> None:
    admin, user = service.client(Role.ADMIN), service.new_user(None)
    added = admin.post("/members", json={"username": user.username.upper(), "role": "VIEWER"})
    assert (added.status_code, added.json()["role"], added.headers["etag"]) == (201, "VIEWER", '"1"')
    where = f"/members/{user.id}"
    assert added.headers["location"].endswith(where)
    anna = service.signed_in(user)
    assert anna.patch(service.workspace, json={"name": "x"}, headers={"if-match": '"1"'}).status_code == 403
    changed = admin.put(where, json={"role": "ADMIN"}, headers={"if-match": '"1"'})
    assert (changed.status_code, changed.json()["version"]) == (200, 2)
    assert anna.patch(service.workspace, json={"name": "x"}, headers={"if-match": '"1"'}).status_code == 200
    assert admin.delete(where).status_code == 428
    assert admin.delete(where, headers={"if-match": '"1"'}).status_code == 412
    assert admin.delete(where, headers={"if-match": '"2"'}).status_code == 204
    assert anna.get(service.workspace).status_code == 404
    assert admin.get(where).status_code == 404


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"username": "nobody-there", "role": "VIEWER"}, "username"),
        ({"username": "x", "role": "BOSS"}, "role"),
        ({"username": "x", "role": "VIEWER", "userId": "1"}, "userId"),
        ({"role": "VIEWER"}, "username"),
    ],
)
def test_what_is_wrong_with_a_new_member_is_named(service: RunningService, body: dict[str, str], path: str) -> None:
    answer = service.client(Role.ADMIN).post("/members", json=body)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, path)
