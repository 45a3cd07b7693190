"""Accounts over HTTP: configuration checked, secrets set and never shown, a look only when asked."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.builders.http_receiver import HttpReceiver
from tests.builders.service import TESTS, RunningService, running_service

from postroad.foundation.service_settings import load_settings
from postroad.modules import accounts
from postroad.vocabulary.roles import Role

CONFIG = {"baseUrl": "https://api.example.com/v1", "auth": {"type": "BEARER", "token": {"$secret": "token"}}}
BODY = {
    "providerId": "http",
    "name": "Shop",
    "config": CONFIG,
    "secrets": {"token": {"operation": "REPLACE", "value": "s3cret-text"}},
}


@pytest.fixture
def service_that_may_reach_loopback(tmp_path: Path) -> Iterator[RunningService]:
    settings = load_settings(flags={"dataDir": str(tmp_path), "security.allowedNetworks": "127.0.0.0/8"})
    with running_service(tmp_path, settings=settings) as running:
        yield running


def _at(answer: httpx.Response) -> dict[str, str]:
    return {"if-match": answer.headers["etag"]}


def test_an_account_is_made_shown_changed_and_archived(service: RunningService) -> None:
    client = service.client()
    made = client.post("/accounts", json=BODY)
    account = made.json()
    assert (made.status_code, made.headers["etag"]) == (201, '"1"')
    assert made.headers["location"].endswith(f"/accounts/{account['id']}")
    assert account["secrets"]["token"]["configured"] is True
    assert account["secrets"]["token"]["updatedAt"].endswith("Z")
    url = f"/accounts/{account['id']}"
    assert client.get(url).json() == account
    changed = client.patch(url, json={"name": "Post"}, headers=_at(made))
    assert (changed.status_code, changed.json()["name"], changed.json()["version"]) == (200, "Post", 2)
    gone = client.delete(url, headers=_at(changed))
    assert (gone.status_code, gone.json()["status"]) == (200, "ARCHIVED")
    assert gone.json()["secrets"]["token"]["configured"] is False


def test_no_answer_and_no_row_ever_holds_the_text_of_a_secret(service: RunningService) -> None:
    client = service.client()
    made = client.post("/accounts", json=BODY)
    url = f"/accounts/{made.json()['id']}"
    answers = [
        made,
        client.get(url),
        client.get("/accounts"),
        client.patch(url, json={"name": "x" * 200}, headers=_at(made)),
        client.post("/accounts", json={**BODY, "config": {"baseUrl": "s3cret-text"}}),
        client.post("/accounts", json={**BODY, "secrets": {"token": {"operation": "PUT", "value": "s3cret-text"}}}),
    ]
    assert [answer.status_code for answer in answers] == [201, 200, 200, 400, 422, 400]
    assert all("s3cret-text" not in answer.text for answer in answers)


def test_a_refused_configuration_names_every_path(service: RunningService) -> None:
    answer = service.client().post("/accounts", json={**BODY, "config": {"baseURL": "x"}, "secrets": {}})
    assert (answer.status_code, answer.json()["code"]) == (422, "PROVIDER_CONFIG_INVALID")
    assert {one["path"] for one in answer.json()["errors"]} == {"config.baseUrl", "config.baseURL"}


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("http://169.254.169.254/latest/meta-data", "metadata service"),
        ("http://[::ffff:169.254.169.254]/", "metadata service"),
        ("http://127.0.0.1:8080", "loopback"),
        ("http://10.1.2.3", "private"),
    ],
)
def test_an_address_inside_is_refused_at_once(service: RunningService, url: str, rule: str) -> None:
    answer = service.client().post("/accounts", json={"providerId": "http", "name": "In", "config": {"baseUrl": url}})
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (422, "ADDRESS_REFUSED")
    assert rule in answer.json()["detail"]


def test_a_secret_is_kept_replaced_and_forgotten(service: RunningService) -> None:
    client = service.client()
    made = client.post("/accounts", json=BODY)
    url = f"/accounts/{made.json()['id']}"
    kept = client.patch(url, json={"secrets": {"token": {"operation": "KEEP"}}}, headers=_at(made))
    assert (kept.status_code, kept.json()["version"]) == (200, 1)
    replaced = client.patch(
        url, json={"secrets": {"token": {"operation": "REPLACE", "value": "other"}}}, headers=_at(kept)
    )
    assert replaced.json()["version"] == 2
    bare = client.patch(url, json={"config": {"baseUrl": "https://api.example.com"}}, headers=_at(replaced))
    assert bare.json()["secrets"] == {}
    back = client.patch(url, json={"config": CONFIG}, headers=_at(bare))
    assert back.json()["secrets"]["token"]["configured"] is False


def test_a_secret_of_the_workspace_stands_in(service: RunningService) -> None:
    client = service.client()
    assert client.put("/secrets/default/token", json={"value": "shared"}).status_code in (200, 201)
    made = client.post("/accounts", json={**BODY, "secrets": {}})
    assert made.json()["secrets"]["token"]["configured"] is True


def test_a_token_without_the_scope_of_secrets_sets_none(service: RunningService) -> None:
    program = service.program(Role.OPERATOR, ["accounts:write", "accounts:read"])
    refused = program.post("/accounts", json=BODY)
    assert (refused.status_code, refused.json()["code"]) == (403, "ACCESS_DENIED")
    assert program.post("/accounts", json={**BODY, "secrets": {}}).status_code == 201


def test_switching_off_and_on_is_a_change_of_its_own(service: RunningService) -> None:
    client = service.client()
    made = client.post("/accounts", json=BODY)
    url = f"/accounts/{made.json()['id']}"
    assert client.post(f"{url}/disable").status_code == 428
    off = client.post(f"{url}/disable", headers=_at(made))
    stale = client.post(f"{url}/enable", headers=_at(made))
    on = client.post(f"{url}/enable", headers=_at(off))
    assert (off.json()["status"], stale.status_code, on.json()["status"]) == ("DISABLED", 412, "ACTIVE")
    assert stale.json()["current"]["version"] == 2


def test_a_list_is_filtered_counted_and_paged(service: RunningService) -> None:
    client = service.client()
    for number in range(3):
        client.post("/accounts", json={**BODY, "name": f"Shop {number}", "secrets": {}})
    client.post("/accounts", json={"providerId": "smtp", "name": "Mail", "config": {"host": "mail.example.org"}})
    first = client.get("/accounts", params={"limit": 2, "providerId": "http", "name": "SHOP"}).json()
    second = client.get(
        "/accounts",
        params={"limit": 2, "providerId": "http", "name": "SHOP", "cursor": first["page"]["nextCursor"]},
    ).json()
    assert [one["name"] for one in (*first["items"], *second["items"])] == ["Shop 2", "Shop 1", "Shop 0"]
    assert (first["counters"], second["page"]) == ({"ACTIVE": 3}, {"nextCursor": None, "hasMore": False})


def test_a_connection_is_tested_only_when_asked_and_only_where_the_policy_lets(service: RunningService) -> None:
    client = service.client()
    config = {"baseUrl": "http://localhost:9"}
    made = client.post("/accounts", json={"providerId": "http", "name": "Inside", "config": config})
    assert made.json()["lastTest"] is None
    tested = client.post(f"/accounts/{made.json()['id']}/connection-test").json()
    assert tested["lastTest"]["ok"] is False
    assert (tested["lastTest"]["category"], tested["lastTest"]["proved"]) == ("DENIED", [])


def test_a_test_says_what_it_proved(service_that_may_reach_loopback: RunningService) -> None:
    client = service_that_may_reach_loopback.client()
    with HttpReceiver() as receiver:
        config = {"baseUrl": f"http://127.0.0.1:{receiver.port}"}
        made = client.post("/accounts", json={"providerId": "http", "name": "Here", "config": config})
        tested = client.post(f"/accounts/{made.json()['id']}/connection-test").json()
    assert tested["lastTest"]["ok"] is True
    assert tested["lastTest"]["proved"] == ["CONNECTION"]
    assert tested["lastTest"]["notProved"] == ["CREDENTIALS", "DELIVERY"]
    assert (tested["version"], tested["lastTest"]["accountVersion"]) == (1, 1)
    assert receiver.copies.total() == 0


def test_a_test_without_its_secrets_says_which_are_missing(service: RunningService) -> None:
    client = service.client()
    made = client.post("/accounts", json={**BODY, "secrets": {}})
    answer = client.post(f"/accounts/{made.json()['id']}/connection-test")
    assert (answer.status_code, answer.json()["code"]) == (400, "SECRET_MISSING")
    assert "token" in answer.json()["detail"]


def test_a_circuit_is_shown_and_reset(service: RunningService) -> None:
    client = service.client()
    made = client.post("/accounts", json=BODY).json()
    url = f"/accounts/{made['id']}/authentication-circuit"
    assert client.get(url).json() == {"state": "CLOSED", "failingRuns": 0, "openUntil": None}
    for _ in range(3):
        service.database.write(
            TESTS,
            lambda uow: accounts.run_ended_with_authentication_failure(uow, service.workspace_id, made["id"]),
        )
    opened = client.get(url).json()
    assert (opened["state"], opened["failingRuns"]) == ("OPEN", 3)
    assert opened["openUntil"].endswith("Z")
    assert service.client(Role.VIEWER).delete(url).status_code == 403
    assert client.delete(url).status_code == 204
    assert client.get(url).json()["state"] == "CLOSED"


def test_a_deep_body_is_refused_and_breaks_nothing(service: RunningService) -> None:
    deep = '{"x":' * 900 + "1" + "}" * 900
    body = f'{{"providerId":"http","name":"Deep","config":{deep}}}'
    answer = service.client().post("/accounts", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_FAILED")
