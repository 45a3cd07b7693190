"""API tokens over HTTP."""

from tests.builders.service import RunningService

from postroad.vocabulary.roles import Role


def test_a_token_is_shown_once_and_works_at_once(service: RunningService) -> None:
    owner = service.client(Role.OPERATOR)
    made = owner.post("/api-tokens", json={"name": "reports", "scopes": ["workspace:read"]})
    assert (made.status_code, made.headers["cache-control"]) == (201, "no-store")
    token, shown = made.json()["token"], made.json()
    assert token.startswith(shown["shown"])
    assert (shown["status"], shown["expiresSoon"], shown["lastUsedAt"]) == ("ACTIVE", False, None)
    listed = owner.get("/api-tokens")
    assert token not in listed.text
    assert [one["id"] for one in listed.json()["items"]] == [shown["id"]]
    bearer = {"authorization": f"Bearer {token}"}
    me = service.outside.get("/api/v1/me", headers=bearer).json()
    assert (me["tokenId"], me["scopes"], me["sessionId"]) == (shown["id"], ["workspace:read"], None)
    assert service.outside.get(f"/api/v1/workspaces/{service.workspace_id}", headers=bearer).status_code == 200


def test_a_revoked_token_is_refused_with_the_next_request(service: RunningService) -> None:
    owner = service.client(Role.OPERATOR)
    made = owner.post("/api-tokens", json={"name": "reports", "scopes": ["workspace:read"], "expiresInDays": 1}).json()
    assert made["expiresSoon"] is True
    bearer = {"authorization": f"Bearer {made['token']}"}
    for _ in range(2):
        ended = owner.delete(f"/api-tokens/{made['id']}")
        assert (ended.status_code, ended.json()["status"]) == (200, "REVOKED")
    assert service.outside.get("/api/v1/me", headers=bearer).status_code == 401


def test_a_token_manages_no_tokens_members_or_sessions(service: RunningService) -> None:
    program = service.program(Role.ADMIN, ["workspace:read", "workspace:write", "audit:read"])
    for answer in (
        program.get("/api-tokens"),
        program.post("/api-tokens", json={"name": "more", "scopes": ["audit:read"]}),
        program.get("/members"),
        program.get(f"{service.api}/sessions"),
        program.delete(f"{service.api}/sessions"),
        program.delete(f"{service.api}/sessions/current"),
        program.patch(f"{service.api}/me", json={"displayName": "x"}, headers={"if-match": '"1"'}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "ACCESS_DENIED")


def test_a_token_in_the_address_is_refused(service: RunningService) -> None:
    owner = service.client(Role.OPERATOR)
    token = owner.post("/api-tokens", json={"name": "x", "scopes": ["workspace:read"]}).json()["token"]
    answer = service.outside.get(f"/api/v1/me?access_token={token}")
    assert (answer.status_code, answer.json()["code"]) == (401, "AUTHENTICATION_REQUIRED")
    assert token not in answer.text


def test_an_administrator_sees_and_ends_the_tokens_of_others(service: RunningService) -> None:
    owner, admin = service.client(Role.VIEWER), service.client(Role.ADMIN)
    made = owner.post("/api-tokens", json={"name": "x", "scopes": ["workspace:read"]}).json()
    assert admin.get(f"/api-tokens/{made['id']}").headers["etag"] == '"1"'
    assert service.client(Role.OPERATOR).get(f"/api-tokens/{made['id']}").status_code == 404
    assert admin.delete(f"/api-tokens/{made['id']}").status_code == 200
    listed = admin.get("/api-tokens", params={"status": "REVOKED", "name": "X"}).json()["items"]
    assert [one["id"] for one in listed] == [made["id"]]


def test_a_scope_above_the_role_is_named(service: RunningService) -> None:
    answer = service.client(Role.VIEWER).post(
        "/api-tokens", json={"name": "x", "scopes": ["runs:read", "workspace:write"]}
    )
    assert (answer.status_code, answer.json()["errors"][0]) == (
        400,
        {
            "path": "scopes.1",
            "code": "SCOPE_ABOVE_ROLE",
            "message": "workspace:write needs the role ADMIN; you are VIEWER here",
        },
    )
