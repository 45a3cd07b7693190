"""The robot behind the provider conformance suite."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, ClassVar

from aiohttp import web
from tests.builders.feishu_emulator import FeishuEmulator
from tests.builders.vendor_server import Trouble
from tests.conformance.providers.harness import (
    RENDERS_BADLY,
    Bad,
    Behaviour,
    OutletKind,
    ProviderHarness,
    Remote,
    canary,
)

from postroad.foundation.clock import SystemClock
from postroad.providers.feishu import FeishuProvider
from postroad.vocabulary.outcomes import Category

HOOK = "https://open.feishu.cn/open-apis/bot/v2/hook/" + canary("hook")
TEXT = {"type": "text", "text": "Hi {{ name }}"}


def post(value: str) -> dict[str, Any]:
    """`value` as title, as a piece of text and as the address of a link."""
    line = [{"tag": "text", "text": value}, {"tag": "a", "text": "more", "href": value}]
    return {"type": "post", "post": {"zh_cn": {"title": value, "content": [line]}}}


class Robot(FeishuEmulator):
    """Fast enough for the suite; reports the outlets of what it took; repeats what it was sent where it must."""

    def __init__(self, behaviour: str) -> None:
        super().__init__(
            SystemClock(), token=canary("hook"), secret=canary("sign"), per_second=10_000, per_minute=10_000
        )
        self.behaviour = behaviour
        self.received: list[dict[str, str]] = []

    async def answer(self, request: web.Request, body: bytes) -> tuple[int, bytes]:
        if self.behaviour == Behaviour.ECHOES:
            echoed = f"{request.path} {body.decode()} {self.secret}"
            return 200, json.dumps({"code": 12345, "msg": echoed}).encode()
        answer = await super().answer(request, body)
        self.received[:] = [_outlets(message) for message in self.accepted]
        if self.behaviour == Behaviour.STAYS_SILENT:
            await asyncio.Event().wait()
        return answer


def _outlets(message: dict[str, Any]) -> dict[str, str]:
    rich = message["content"]["post"]["zh_cn"]
    piece, link = rich["content"][0]
    return {"title": rich["title"], "piece": piece["text"], "link": link["href"]}


TROUBLES = {
    Behaviour.CUTS_AFTER_COMMIT: Trouble(drop=True, after_taking=True),
    Behaviour.ANSWERS_GARBAGE: Trouble(200, b"\x00\xff<html>", after_taking=True),
    "code-19021": Trouble(200, b'{"code":19021,"msg":"sign match fail"}'),
    "code-19022": Trouble(200, b'{"code":19022,"msg":"Ip Not Allowed"}'),
    "code-19024": Trouble(200, b'{"code":19024,"msg":"Key Words Not Found"}'),
    "code-11232": Trouble(200, b'{"code":11232,"msg":"frequency limited"}'),
    "code-1": Trouble(200, b'{"code":1,"msg":"no"}'),
    "status-502": Trouble(502, b""),
}


class FeishuHarness(ProviderHarness):
    provider_id = "feishu"
    provider_type = FeishuProvider
    package = "postroad.providers.feishu"

    account: ClassVar[Mapping[str, Any]] = {"webhook": {"$secret": "hook"}, "signSecret": {"$secret": "sign"}}
    message: ClassVar[Mapping[str, Any]] = post("{{ name }}")
    recipient: ClassVar[Mapping[str, Any]] = {"name": "Ann"}
    secrets: ClassVar[Mapping[str, str]] = {"hook": HOOK, "sign": canary("sign")}

    bad_accounts = (
        Bad({"signSecret": {"$secret": "sign"}}, "webhook"),
        Bad({"webhook": HOOK}, "webhook"),
        Bad({"webhook": {"$secret": "hook"}, "endpoint": "https://collector.example"}, "endpoint"),
    )
    bad_messages = (
        Bad({"type": "text"}, "text"),
        Bad({"type": "letter", "text": "x"}, "type"),
        Bad({**TEXT, "card": {"a": 1}}, "card"),
        Bad({"type": "raw", "body": {"msg_type": "text", "sign": "x"}}, "body.sign"),
    )
    broken_templates = (
        Bad({"type": "text", "text": "Hi {{ name"}, "text"),
        Bad({"type": "interactive", "card": {"title": "{{ name | shout }}"}}, "card.title"),
    )

    outlets: ClassVar[Mapping[str, OutletKind]] = dict.fromkeys(("title", "piece", "link"), OutletKind.PLAIN)
    matrix_message: ClassVar[Mapping[str, Any]] = post("{{ nasty }}")

    categories: ClassVar[Mapping[Category, str]] = {
        Category.AUTHENTICATION: "code-19021",
        Category.AUTHORIZATION: "code-19022",
        Category.INVALID_REQUEST: "code-19024",
        Category.RECIPIENT_INVALID: RENDERS_BADLY,
        Category.RATE_LIMITED: "code-11232",
        Category.PERMANENT_REMOTE: "code-1",
        Category.NETWORK: Behaviour.REFUSES_CONNECTIONS,
        Category.TIMEOUT: Behaviour.STAYS_SILENT,
        Category.UNKNOWN: "status-502",
    }
    unreachable: ClassVar[Mapping[Category, str]] = {
        Category.TEMPORARY_REMOTE: "what is temporary at a chat vendor does not say whether the message was posted",
        Category.CANCELLED: "given by the engine",
        Category.INTERNAL: "given by the engine",
    }

    @asynccontextmanager
    async def remote(self, behaviour: str) -> AsyncIterator[Remote]:
        robot = Robot(behaviour)
        async with robot:
            account = {**self.account, "endpoint": robot.endpoint}
            remote = Remote(account, self.message, robot.received)
            if behaviour not in (Behaviour.REFUSES_CONNECTIONS, Behaviour.FAILS_BEFORE_COMMIT):
                if behaviour in TROUBLES:
                    robot.troubles.append(TROUBLES[behaviour])
                yield remote
        if behaviour in (Behaviour.REFUSES_CONNECTIONS, Behaviour.FAILS_BEFORE_COMMIT):
            yield remote
