"""Providers over HTTP: what there is, how fast it may go, what it wants to know."""

from tests.builders.service import RunningService

from postroad.providers import BUILTIN
from postroad.vocabulary.roles import Role


def test_all_providers_are_listed_with_their_limits(service: RunningService) -> None:
    answer = service.client(None).get(f"{service.api}/providers")
    items = {one["id"]: one for one in answer.json()["items"]}
    assert (answer.status_code, set(items)) == (200, set(BUILTIN))
    assert items["feishu"]["limits"] == [
        {"scope": "account", "rate": {"count": 5, "perSeconds": 1.0}},
        {"scope": "account", "rate": {"count": 100, "perSeconds": 60.0}},
    ]
    assert items["http"]["defaultRate"] == {"count": 100, "perSeconds": 1.0}
    assert items["smtp"]["concurrencyMode"] == "SESSION_PER_WORKER"
    assert items["aliyun_sms"]["capabilities"]["batchSize"] == 100


def test_one_provider_says_the_same_as_the_list(service: RunningService) -> None:
    client = service.client(Role.VIEWER)
    listed = client.get(f"{service.api}/providers").json()["items"]
    assert client.get(f"{service.api}/providers/{listed[0]['id']}").json() == listed[0]


def test_schemas_come_with_their_hints(service: RunningService) -> None:
    client = service.client(Role.VIEWER)
    for kind in ("account", "message", "recipient"):
        shown = client.get(f"{service.api}/providers/http/schemas/{kind}").json()
        assert (shown["kind"], shown["jsonSchema"]["type"]) == (kind, "object")
    account = client.get(f"{service.api}/providers/feishu/schemas/account").json()
    assert account["jsonSchema"]["properties"]["webhook"]["x-postroad-secret"] is True
    assert account["uiSchema"]["ui:order"] == ["webhook", "signSecret", "endpoint"]


def test_what_there_is_not_is_said(service: RunningService) -> None:
    client = service.client(Role.VIEWER)
    unknown = client.get(f"{service.api}/providers/pigeon")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "RESOURCE_NOT_FOUND")
    assert "smtp" in unknown.json()["detail"]
    assert client.get(f"{service.api}/providers/http/schemas/ui").status_code == 400


def test_nobody_is_asked_to_sign_in(service: RunningService) -> None:
    assert service.outside.get(f"{service.api}/providers").status_code == 401
