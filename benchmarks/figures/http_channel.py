"""What the HTTP channel costs above its transport: rendering, building the request, reading the verdict.

The transport is replaced by one that answers at once, and its own cost is taken off.
"""

from collections.abc import Awaitable, Callable
from statistics import median
from time import process_time
from typing import cast

import uvloop

from postroad.egress import Answer, HttpTransport, RequestShape, Target, WireRequest
from postroad.foundation.clock import SystemClock
from postroad.providers.http.auth import Auth
from postroad.providers.http.codes import Judge
from postroad.providers.http.config import parse_account, parse_message
from postroad.providers.http.rendering import HttpRenderer
from postroad.providers.http.session import HttpSession
from postroad.spi import Recipient, SendRequest

COUNT, QUICK_COUNT = 20_000, 500
ACCOUNT = {"baseUrl": "http://127.0.0.1:9/v1"}
MESSAGE = {
    "path": "/notify",
    "bodyTemplate": '{"mobile":"{{ mobile }}","content":"Dear {{ name }}, your code: {{ code }}","lang":"{{ lang }}"}',
}
ROW = Recipient(0, {"mobile": "13800138000", "name": "张三", "code": "482913", "lang": "zh-CN"})


def measure(quick: bool) -> dict[str, float | None]:
    return uvloop.run(_measure(QUICK_COUNT if quick else COUNT, 3 if quick else 9))


class _InstantTransport:
    """Answers 200 without a network."""

    def __init__(self) -> None:
        self._answer = Answer(200)

    async def exchange(self, request: WireRequest, timeout_s: float) -> Answer:
        del request, timeout_s
        return self._answer


async def _measure(count: int, rounds: int) -> dict[str, float | None]:
    account = parse_account(ACCOUNT)
    message = parse_message(account, MESSAGE)
    renderer = HttpRenderer(account, message)
    instant = _InstantTransport()
    shape = RequestShape(Target.of(account.base), message.method, renderer.fixed_headers)
    judge = Judge(account, message, Auth(), SystemClock())
    session = HttpSession(cast(HttpTransport, instant), shape, judge, Auth(), account)
    request = SendRequest(0, 1, renderer.render(ROW), "key", 30.0)
    wire = shape.request(b"/v1/notify", b"{}")

    async def cost_us(action: Callable[[], Awaitable[object]]) -> float:
        return median([await _cost_us(action, count) for _ in range(rounds)])

    async def whole() -> object:
        return await session.send(SendRequest(0, 1, renderer.render(ROW), "key", 30.0))

    bare = await cost_us(lambda: instant.exchange(wire, 30.0))
    return {
        "http_channel_send_us": round(await cost_us(lambda: session.send(request)) - bare, 2),
        "http_channel_render_and_send_us": round(await cost_us(whole) - bare, 2),
    }


async def _cost_us(action: Callable[[], Awaitable[object]], count: int) -> float:
    start = process_time()
    for _ in range(count):
        await action()
    return (process_time() - start) / count * 1e6
