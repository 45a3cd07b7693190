"""Secrets over HTTP: what goes in never comes out."""

import json
from typing import Any

import pytest
from tests.builders.service import RunningService

from postroad.vocabulary.roles import Role

TEXT = "hunter2-is-a-secret"
ONE = "/secrets/mail/smtp-password"


def _put(service: RunningService, value: str = TEXT, version: int | None = None, path: str = ONE) -> Any:
    headers = {} if version is None else {"if-match": f'"{version}"'}
    return service.client(Role.OPERATOR).put(path, json={"operation": "REPLACE", "value": value}, headers=headers)


def test_a_secret_is_made_shown_without_its_text_and_replaced(service: RunningService) -> None:
    made = _put(service)
    assert made.status_code == 201
    assert made.headers["location"].endswith("/secrets/mail/smtp-password")
    assert made.headers["etag"] == '"1"'
    shown = service.client(Role.VIEWER).get(ONE)
    assert shown.json() == {
        "namespace": "mail",
        "name": "smtp-password",
        "configured": True,
        "version": 1,
        "createdAt": shown.json()["createdAt"],
        "updatedAt": shown.json()["updatedAt"],
    }
    replaced = _put(service, "other", 1)
    assert (replaced.status_code, replaced.json()["version"]) == (200, 2)
    listed = service.client(Role.VIEWER).get("/secrets", params={"namespace": "mail"})
    assert [item["version"] for item in listed.json()["items"]] == [2]
    version = service.client(Role.VIEWER).get(f"{ONE}/versions/1").json()
    assert (version["version"], version["isCurrent"]) == (1, False)
    assert TEXT not in f"{made.text}{shown.text}{replaced.text}{listed.text}{version}"


@pytest.mark.parametrize(
    ("version", "status", "code"), [(None, 428, "PRECONDITION_REQUIRED"), (7, 412, "VERSION_CONFLICT")]
)
def test_what_is_there_is_replaced_by_those_who_saw_it(
    service: RunningService, version: int | None, status: int, code: str
) -> None:
    _put(service)
    answer = _put(service, "other", version)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize(
    "body",
    [
        {"value": ""},
        {"value": "x" * 65_537},
        {"value": TEXT, "operation": "KEEP"},
        {"value": TEXT, "more": 1},
        {"value": [TEXT]},
        {"operation": "REPLACE"},
    ],
)
def test_a_refused_body_is_never_repeated_in_the_answer(service: RunningService, body: dict[str, object]) -> None:
    answer = service.client(Role.OPERATOR).put(ONE, json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_FAILED")
    assert TEXT not in answer.text
    assert "x" * 100 not in answer.text


@pytest.mark.parametrize("path", ["/secrets/account:abc/token", "/secrets/Mail/token", "/secrets/mail/a%20b"])
def test_what_cannot_be_named_is_refused(service: RunningService, path: str) -> None:
    assert _put(service, path=path).status_code == 400


def test_who_may_do_what(service: RunningService) -> None:
    _put(service)
    assert service.client(Role.VIEWER).put(ONE, json={"value": "x"}).status_code == 403
    assert service.client(None).get(ONE).status_code == 404
    assert service.outside.get(f"{service.workspace}{ONE}").status_code == 401
    writer = service.program(Role.OPERATOR, ["secrets:write"])
    assert writer.put("/secrets/mail/other", json={"value": "x"}).status_code == 201
    assert writer.get(ONE).status_code == 403


def test_a_deleted_secret_is_gone(service: RunningService) -> None:
    _put(service)
    operator = service.client(Role.OPERATOR)
    assert operator.delete(ONE, headers={"if-match": '"1"'}).status_code == 204
    assert operator.get(ONE).status_code == 404
    assert operator.delete(ONE, headers={"if-match": '"1"'}).status_code == 404


def test_no_log_event_or_audit_row_has_the_text(service: RunningService) -> None:
    _put(service)
    _put(service, "second-secret", 1)
    audit = service.client(Role.ADMIN).get("/audit-events")
    assert audit.status_code == 200
    assert "secret.replaced" in audit.text
    assert TEXT not in audit.text
    assert "second-secret" not in json.dumps(audit.json())
