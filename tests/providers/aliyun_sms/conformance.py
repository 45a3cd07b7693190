"""Aliyun SMS behind the provider conformance suite."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, ClassVar

from aiohttp import web
from tests.builders.aliyun_emulator import AliyunEmulator
from tests.builders.vendor_server import Trouble
from tests.conformance.providers.harness import Bad, Behaviour, OutletKind, ProviderHarness, Remote, canary

from postroad.foundation.clock import SystemClock
from postroad.providers.aliyun_sms import AliyunSmsProvider
from postroad.vocabulary.outcomes import Category

MESSAGE = {
    "phone": "{{ phone }}",
    "signName": "邮路",
    "templateCode": "SMS_1",
    "templateParam": {"name": "{{ name }}"},
    "previewText": "${name}，您好",
}


class Vendor(AliyunEmulator):
    """Reports the variables of what it took; repeats what it was sent where it must."""

    def __init__(self, behaviour: str) -> None:
        super().__init__(SystemClock(), key_secret=canary("key"))
        self.behaviour = behaviour
        self.received: list[dict[str, str]] = []

    async def answer(self, request: web.Request, body: bytes) -> tuple[int, bytes]:
        if self.behaviour == Behaviour.ECHOES:
            echoed = f"{request.headers} {self.key_secret}"
            return 400, json.dumps({"Code": f"Odd {echoed}", "Message": echoed, "RequestId": echoed}).encode()
        answer = await super().answer(request, body)
        self.received[:] = [json.loads(taken["TemplateParam"]) for taken in self.accepted]
        if self.behaviour == Behaviour.STAYS_SILENT:
            await asyncio.Event().wait()
        return answer


def said(code: str) -> Trouble:
    return Trouble(200, json.dumps({"Code": code, "Message": "no", "RequestId": "1"}).encode())


TROUBLES = {
    Behaviour.CUTS_AFTER_COMMIT: Trouble(drop=True, after_taking=True),
    Behaviour.ANSWERS_GARBAGE: Trouble(200, b"\x00\xff<html>", after_taking=True),
    "wrong-key": said("SignatureDoesNotMatch"),
    "no-money": said("isv.AMOUNT_NOT_ENOUGH"),
    "bad-template": said("isv.SMS_TEMPLATE_ILLEGAL"),
    "bad-number": said("isv.MOBILE_NUMBER_ILLEGAL"),
    "throttled": said("Throttling.User"),
    "unheard-of": said("isv.UNHEARD_OF"),
    "busy": said("isp.SYSTEM_ERROR"),
    "busy-tried-again": said("isp.SYSTEM_ERROR"),
}


class AliyunSmsHarness(ProviderHarness):
    provider_id = "aliyun_sms"
    provider_type = AliyunSmsProvider
    package = "postroad.providers.aliyun_sms"

    account: ClassVar[Mapping[str, Any]] = {"accessKeyId": "testId", "accessKeySecret": {"$secret": "key"}}
    message: ClassVar[Mapping[str, Any]] = MESSAGE
    recipient: ClassVar[Mapping[str, Any]] = {"phone": "13800138000", "name": "Ann"}
    secrets: ClassVar[Mapping[str, str]] = {"key": canary("key")}

    bad_accounts = (
        Bad({"accessKeyId": "testId"}, "accessKeySecret"),
        Bad({**account, "accessKeyId": "a,b"}, "accessKeyId"),
        Bad({**account, "pricePerPart": -1}, "pricePerPart"),
        Bad({**account, "endpoint": "https://collector.example"}, "endpoint"),
    )
    bad_messages = (
        Bad({**MESSAGE, "templateCode": "1"}, "templateCode"),
        Bad({**MESSAGE, "previewText": "${other}"}, "templateParam.other"),
        Bad({**MESSAGE, "templateParam": {"name": 1}}, "templateParam.name"),
    )
    broken_templates = (
        Bad({**MESSAGE, "templateParam": {"name": "{{ name"}}, "templateParam.name"),
        Bad({**MESSAGE, "phone": "{{ phone | digits }}"}, "phone"),
    )

    outlets: ClassVar[Mapping[str, OutletKind]] = {"name": OutletKind.PLAIN}
    matrix_message: ClassVar[Mapping[str, Any]] = {"templateParam": {"name": "{{ nasty }}"}}
    batch_message: ClassVar[Mapping[str, Any]] = {"batch": True}

    categories: ClassVar[Mapping[Category, str]] = {
        Category.AUTHENTICATION: "wrong-key",
        Category.AUTHORIZATION: "no-money",
        Category.INVALID_REQUEST: "bad-template",
        Category.RECIPIENT_INVALID: "bad-number",
        Category.RATE_LIMITED: "throttled",
        Category.TEMPORARY_REMOTE: "busy-tried-again",
        Category.PERMANENT_REMOTE: "unheard-of",
        Category.NETWORK: Behaviour.REFUSES_CONNECTIONS,
        Category.TIMEOUT: Behaviour.STAYS_SILENT,
        Category.UNKNOWN: "busy",
    }
    unreachable: ClassVar[Mapping[Category, str]] = {
        Category.CANCELLED: "given by the engine",
        Category.INTERNAL: "given by the engine",
    }

    @asynccontextmanager
    async def remote(self, behaviour: str) -> AsyncIterator[Remote]:
        is_away = behaviour in (Behaviour.REFUSES_CONNECTIONS, Behaviour.FAILS_BEFORE_COMMIT)
        vendor = Vendor(behaviour)
        async with vendor:
            account = {**self.account, "endpoint": vendor.endpoint, "retryWhenBusy": behaviour == "busy-tried-again"}
            remote = Remote(account, MESSAGE, vendor.received)
            if behaviour in TROUBLES:
                vendor.troubles.append(TROUBLES[behaviour])
            if not is_away:
                yield remote
        if is_away:
            yield remote
