"""What holds for every route, whoever owns it."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.builders.service import TESTS, RunningService, running_service
from tests.integration.http import toy_routes

from postroad.entrypoints.http.composition import HttpSettings
from postroad.entrypoints.http.routes import OWNERS
from postroad.foundation.service_settings import load_settings
from postroad.kernel.pages import PageRequest
from postroad.modules import audit
from postroad.vocabulary.roles import Role


@pytest.fixture
def toys(tmp_path: Path) -> Iterator[RunningService]:
    with running_service(tmp_path, owners=(*OWNERS, toy_routes)) as service:
        yield service


def _code(answer: httpx.Response) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert set(problem) >= {"type", "title", "status", "code", "detail", "traceId", "errors"}
    assert problem["status"] == answer.status_code
    return answer.status_code, problem["code"]


def test_what_nobody_foresaw_shows_a_trace_id_and_nothing_else(toys: RunningService) -> None:
    answer = toys.outside.get("/api/v1/toys/broken")
    assert _code(answer) == (500, "INTERNAL_ERROR")
    assert answer.json()["traceId"] == answer.headers["x-trace-id"]
    assert "hunter2" not in answer.text
    assert "Traceback" not in answer.text


def test_a_bug_that_has_a_name_is_internal_too(toys: RunningService) -> None:
    answer = toys.outside.get("/api/v1/toys/bug")
    assert _code(answer) == (500, "INTERNAL_ERROR")
    assert "5 are not 6" not in answer.text


def test_a_caller_that_traces_keeps_its_trace(service: RunningService) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    answer = service.outside.get("/api/v1/nothing", headers={"traceparent": f"00-{trace}-00f067aa0ba902b7-01"})
    assert answer.json()["traceId"] == trace


@pytest.mark.parametrize("header", ["junk", "00-" + "0" * 32 + "-00f067aa0ba902b7-01", "00-abc-def-01"])
def test_a_trace_that_is_none_gets_a_new_one(service: RunningService, header: str) -> None:
    answer = service.outside.get("/api/v1/nothing", headers={"traceparent": header})
    assert len(answer.json()["traceId"]) == 32
    assert set(answer.json()["traceId"]) != {"0"}


def test_every_answer_has_the_security_headers(service: RunningService) -> None:
    for path in ("/", "/api/v1/nothing", "/health/live", "/api/openapi.json"):
        headers = service.outside.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers


def test_a_method_that_is_not_there_is_a_problem(service: RunningService) -> None:
    answer = service.outside.delete("/health/live")
    assert _code(answer) == (405, "METHOD_NOT_ALLOWED")
    assert "GET" in answer.headers["allow"]


def test_a_body_that_is_no_json_is_a_problem(toys: RunningService) -> None:
    answer = toys.outside.post("/api/v1/toys/notes", content="{", headers={"content-type": "application/json"})
    assert _code(answer) == (400, "VALIDATION_FAILED")
    assert answer.json()["errors"][0]["code"] == "json_invalid"


def test_a_body_of_another_type_is_not_read_as_json(toys: RunningService) -> None:
    answer = toys.outside.post("/api/v1/toys/notes", content='{"text": "x"}', headers={"content-type": "text/plain"})
    assert _code(answer) == (400, "VALIDATION_FAILED")


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_large_is_refused(toys: RunningService, *, chunked: bool) -> None:
    body = json.dumps({"text": "x" * (1024 * 1024)}).encode()
    content = (body[i : i + 65536] for i in range(0, len(body), 65536)) if chunked else body
    answer = toys.outside.post("/api/v1/toys/notes", content=content, headers={"content-type": "application/json"})
    assert _code(answer) == (413, "BODY_TOO_LARGE")


def test_nobody_learns_the_shape_of_a_request_without_being_someone(toys: RunningService) -> None:
    answer = toys.outside.post("/api/v1/toys/known", content="{", headers={"content-type": "application/json"})
    assert _code(answer) == (401, "AUTHENTICATION_REQUIRED")


def test_a_token_in_a_url_is_refused_even_where_nobody_is_asked(toys: RunningService) -> None:
    answer = toys.outside.get("/api/v1/toys/slow", params={"token": "pst_" + "a" * 48})
    assert _code(answer) == (401, "AUTHENTICATION_REQUIRED")
    assert "revoke" in answer.json()["detail"]
    assert "aaaa" not in answer.text


@pytest.mark.parametrize("header", ["Basic dXNlcjpwYXNz", "Bearer", "Bearer abc", "pst_abc"])
def test_another_kind_of_credential_is_refused_and_not_passed_over(service: RunningService, header: str) -> None:
    answer = service.client(Role.ADMIN).get(service.workspace, headers={"authorization": header})
    assert _code(answer) == (401, "AUTHENTICATION_REQUIRED")


def test_a_cookie_alone_changes_nothing(service: RunningService) -> None:
    admin = service.client(Role.ADMIN)
    del admin.headers["x-postroad-csrf"]
    assert admin.get(service.workspace).status_code == 200
    answer = admin.patch(service.workspace, json={"name": "Post"}, headers={"if-match": '"1"'})
    assert _code(answer) == (403, "ACCESS_DENIED")
    assert "X-Postroad-CSRF" in answer.json()["detail"]


def test_the_page_of_another_site_changes_nothing_whatever_header_it_sends(service: RunningService) -> None:
    answer = service.client(Role.ADMIN).patch(
        service.workspace, json={"name": "Post"}, headers={"if-match": '"1"', "origin": "https://evil.example"}
    )
    assert _code(answer) == (403, "ACCESS_DENIED")


def test_our_own_page_needs_no_header(service: RunningService) -> None:
    admin = service.client(Role.ADMIN)
    del admin.headers["x-postroad-csrf"]
    answer = admin.patch(service.workspace, json={"name": "Post"}, headers={"if-match": '"1"', "origin": service.url})
    assert answer.status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.nip.example:80", "", "localhost.evil.example"])
def test_a_name_that_is_not_ours_is_refused(service: RunningService, host: str) -> None:
    answer = service.outside.get("/health/live", headers={"host": host})
    assert _code(answer) == (421, "HOST_UNKNOWN")


@pytest.mark.parametrize("host", ["localhost:18990", "[::1]:80", "10.1.2.3", "post.example.com", "POST.example.com"])
def test_our_names_and_plain_addresses_are_taken(tmp_path: Path, host: str) -> None:
    settings = HttpSettings(host_names=frozenset({"post.example.com"}))
    with running_service(tmp_path, http=settings) as service:
        assert service.outside.get("/health/live", headers={"host": host}).status_code == 200


def test_only_listed_origins_may_read_our_answers(tmp_path: Path) -> None:
    with running_service(tmp_path, http=HttpSettings(cors_origins=("https://app.example.com",))) as service:
        asked = {"access-control-request-method": "PUT", "access-control-request-headers": "authorization,if-match"}
        ours = service.outside.options("/api/v1/workspaces", headers={"origin": "https://app.example.com", **asked})
        other = service.outside.options("/api/v1/workspaces", headers={"origin": "https://evil.example", **asked})
    assert ours.headers["access-control-allow-origin"] == "https://app.example.com"
    assert "access-control-allow-credentials" not in ours.headers
    assert "access-control-allow-origin" not in other.headers


def test_a_flood_is_answered_and_never_piles_up(tmp_path: Path) -> None:
    settings = load_settings(flags={"dataDir": str(tmp_path), "limits.threads": "2", "limits.waiting": "1"})
    toy_routes.Gate.open.clear()
    with running_service(tmp_path, settings=settings, owners=(*OWNERS, toy_routes)) as service:
        answers: list[int] = []
        held = [
            threading.Thread(target=lambda: answers.append(service.outside.get("/api/v1/toys/slow").status_code))
            for _ in range(3)
        ]
        for thread in held[:2]:
            thread.start()
            assert toy_routes.Gate.entered.acquire(timeout=5)
        held[2].start()
        while service.composition.pool.taken < 3:
            held[2].join(0.005)
        refused = service.outside.get("/api/v1/toys/slow")
        live = service.outside.get("/health/live")
        toy_routes.Gate.open.set()
        for thread in held:
            thread.join(5)
    assert _code(refused) == (503, "OVERLOADED")
    assert int(refused.headers["retry-after"]) >= 1
    assert live.status_code == 200
    assert answers == [200, 200, 200]


def test_whoever_asks_too_often_is_told_when_to_come_back(tmp_path: Path) -> None:
    settings = load_settings(flags={"dataDir": str(tmp_path), "limits.burst": "3", "limits.requestsPerSecond": "1"})
    with running_service(tmp_path, settings=settings) as service:
        viewer, other = service.client(Role.VIEWER), service.client(Role.VIEWER)
        answers = [viewer.get(service.workspace) for _ in range(5)]
        assert other.get(service.workspace).status_code == 200
    assert [answer.status_code for answer in answers[:3]] == [200, 200, 200]
    assert _code(answers[4]) == (429, "RATE_LIMITED")
    assert int(answers[4].headers["retry-after"]) >= 1


def test_a_denial_is_in_the_audit(service: RunningService) -> None:
    service.client(Role.VIEWER).patch(service.workspace, json={"name": "Post"}, headers={"if-match": '"1"'})
    denied = service.database.read(
        TESTS,
        lambda reading: audit.list_audit_events(
            reading, service.workspace_id, PageRequest(), audit.AuditFilter(result="DENIED")
        ),
    )
    assert [one.action for one in denied.items] == ["workspace:write"]
