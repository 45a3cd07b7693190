"""The HTTP channel as the conformance suite sees it."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, ClassVar
from urllib.parse import parse_qsl

from tests.builders.http_service import Reply, Taken, closed_port, http_service
from tests.conformance.providers.harness import (
    RENDERS_BADLY,
    Bad,
    Behaviour,
    OutletKind,
    ProviderHarness,
    Remote,
    canary,
)

from postroad.providers.http import HttpProvider
from postroad.vocabulary.outcomes import Category

ACCOUNT = {
    "baseUrl": "https://api.example.com/v1",
    "defaultHeaders": {"User-Agent": "Postroad"},
    "auth": {"type": "BEARER", "token": {"$secret": "http-token"}},
    "connectTimeout": "PT2S",
}
MESSAGE = {
    "method": "POST",
    "path": "/notify/{{ mobile }}",
    "bodyTemplate": '{"mobile": "{{ mobile }}", "content": "Dear {{ name }}"}',
    "successCondition": {"status": [200, 201], "jsonPath": "$.success", "equals": True},
    "saveResponseBody": True,
}
NASTY_PARTS = {
    "path": "/{{ nasty }}",
    "query": {"q": "{{ nasty }}", "upper": "{{ nasty | trim }}"},
    "headers": {"X-Name": "{{ nasty_line }}"},
    "bodyTemplate": {"json": "{{ nasty }}", "list": [{"inner": "{{ nasty | replace('zz', '') }}"}]},
}


def echo(taken: Taken) -> Reply:
    return Reply(400, taken.raw, tuple((f"X-Echo-{name}", value) for name, value in taken.headers.items()))


REPLIES: Mapping[str, Reply] = {
    Behaviour.ACCEPTS: Reply(200, b'{"success": true}'),
    Behaviour.CUTS_AFTER_COMMIT: Reply(cut=True),
    Behaviour.STAYS_SILENT: Reply(silent=True),
    Behaviour.ANSWERS_GARBAGE: Reply(raw=b"SSH-2.0-OpenSSH_9.9\r\n"),
    "400": Reply(400),
    "401": Reply(401),
    "403": Reply(403),
    "404": Reply(404),
    "429": Reply(429, headers=(("Retry-After", "30"),)),
    "503": Reply(503),
    "200 not json": Reply(200, b"<html>"),
}


class HttpHarness(ProviderHarness):
    provider_id = "http"
    provider_type = HttpProvider
    package = "postroad.providers.http"
    account = ACCOUNT
    message = MESSAGE
    recipient: ClassVar = {"mobile": "13800138000", "name": "张三"}
    secrets: ClassVar = {"http-token": canary("http-token")}
    bad_accounts = (
        Bad({}, "baseUrl"),
        Bad({**ACCOUNT, "baseUrl": "ftp://example.com"}, "baseUrl"),
        Bad({**ACCOUNT, "baseUrl": "https://{{ host }}.example.com"}, "baseUrl"),
        Bad({**ACCOUNT, "baseUrl": "https://user:pass@example.com"}, "baseUrl"),
        Bad({**ACCOUNT, "baseUrl": "https://example.com/?key=1"}, "baseUrl"),
        Bad({**ACCOUNT, "auth": {"type": "MAGIC"}}, "auth.type"),
        Bad({**ACCOUNT, "auth": {"type": "BEARER"}}, "auth.token"),
        Bad({**ACCOUNT, "auth": {"type": "BASIC", "username": "a"}}, "auth.password"),
        Bad({**ACCOUNT, "connectTimeout": "5 seconds"}, "connectTimeout"),
        Bad({**ACCOUNT, "defaultHeaders": {"Content-Length": "3"}}, "defaultHeaders.Content-Length"),
        Bad({**ACCOUNT, "defaultHeaders": {"authorization": "x"}}, "defaultHeaders.authorization"),
        Bad(
            {**ACCOUNT, "auth": {"type": "NONE"}, "defaultHeaders": {"Authorization": "Bearer x"}},
            "defaultHeaders.Authorization",
        ),
        Bad({**ACCOUNT, "defaultHeaders": {"X-A": "a\r\nX-B: b"}}, "defaultHeaders.X-A"),
        Bad({**ACCOUNT, "idempotency": {"header": "Idempotency-Key"}}, "idempotency.keptFor"),
    )
    bad_messages = (
        Bad({}, "path"),
        Bad({**MESSAGE, "path": "notify"}, "path"),
        Bad({**MESSAGE, "path": "/a b"}, "path"),
        Bad({**MESSAGE, "method": "BREW"}, "method"),
        Bad({**MESSAGE, "headers": {"Authorization": "x"}}, "headers.Authorization"),
        Bad({**MESSAGE, "headers": {"X-A": "1", "x-a": "2"}}, "headers.x-a"),
        Bad({**MESSAGE, "bodyType": "NONE"}, "bodyTemplate"),
        Bad({**MESSAGE, "bodyType": "FORM"}, "bodyTemplate"),
        Bad({**MESSAGE, "successCondition": {"jsonPath": "$..x", "equals": 1}}, "successCondition.jsonPath"),
        Bad({**MESSAGE, "successCondition": {"status": [99]}}, "successCondition.status[0]"),
    )
    broken_templates = (
        Bad({**MESSAGE, "path": "/{{ mobile"}, "path"),
        Bad({**MESSAGE, "bodyTemplate": '{"a": {{ mobile }}}'}, "bodyTemplate"),
        Bad({**MESSAGE, "bodyTemplate": {"a": {"b": ["{{ mobile | nosuch }}"]}}}, "bodyTemplate.a.b[0]"),
        Bad({**MESSAGE, "headers": {"X-A": "{% if %}"}}, "headers.X-A"),
        Bad({**MESSAGE, "query": {"q": "{{ }}"}}, "query.q"),
    )
    outlets: ClassVar = {
        "path": OutletKind.PLAIN,
        "query": OutletKind.PLAIN,
        "query-upper": OutletKind.PLAIN,
        "json": OutletKind.PLAIN,
        "json-inner": OutletKind.PLAIN,
        "header": OutletKind.LINE,
    }
    matrix_message = NASTY_PARTS
    header_message: ClassVar = {"headers": {"X-Name": "{{ nasty }}"}}
    categories: ClassVar = {
        Category.AUTHENTICATION: "401",
        Category.AUTHORIZATION: "403",
        Category.INVALID_REQUEST: "400",
        Category.RECIPIENT_INVALID: RENDERS_BADLY,
        Category.RATE_LIMITED: "429",
        Category.TEMPORARY_REMOTE: "503",
        Category.PERMANENT_REMOTE: "404",
        Category.NETWORK: Behaviour.REFUSES_CONNECTIONS,
        Category.TIMEOUT: Behaviour.STAYS_SILENT,
        Category.UNKNOWN: "200 not json",
    }
    unreachable: ClassVar = {
        Category.CANCELLED: "given by the engine",
        Category.INTERNAL: "given by the engine",
    }

    @asynccontextmanager
    async def remote(self, behaviour: str) -> AsyncIterator[Remote]:
        if behaviour in (Behaviour.REFUSES_CONNECTIONS, Behaviour.FAILS_BEFORE_COMMIT):
            yield Remote(self._at(await closed_port()), self.message)
            return
        script = echo if behaviour == Behaviour.ECHOES else REPLIES[behaviour]
        async with http_service(script) as service:
            remote = Remote(self._at(service.port), self.message)
            yield remote
            remote.received += [_decoded(taken) for taken in service.taken]

    def _at(self, port: int) -> dict[str, Any]:
        return {**self.account, "baseUrl": f"http://127.0.0.1:{port}/v1"}


def _decoded(taken: Taken) -> dict[str, str]:
    query = dict(parse_qsl(taken.target.partition("?")[2], keep_blank_values=True))
    body = json.loads(taken.body)
    inner = body.get("list", [{}])[0].get("inner", "")
    return {
        "path": taken.path.removeprefix("/v1/"),
        "query": query.get("q", ""),
        "query-upper": query.get("upper", ""),
        "json": body.get("json", ""),
        "json-inner": inner,
        "header": taken.headers.get("x-name", ""),
    }
