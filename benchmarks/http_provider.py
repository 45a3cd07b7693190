"""What the HTTP channel costs above its transport: rendering, building the request, reading the verdict.

    python -m benchmarks.http_provider

The transport is replaced by one that answers at once, and its own cost is taken off. Goal: 6 µs or less.
"""

import json
from collections.abc import Awaitable, Callable
from time import perf_counter
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

COUNT = 20_000
ROUNDS = 9
ACCOUNT = {"baseUrl": "http://127.0.0.1:9/v1"}
MESSAGE = {
    "path": "/notify",
    "bodyTemplate": '{"mobile":"{{ mobile }}","content":"Dear {{ name }}, your code: {{ code }}","lang":"{{ lang }}"}',
}
ROW = Recipient(0, {"mobile": "13800138000", "name": "张三", "code": "482913", "lang": "zh-CN"})


class InstantTransport:
    """Answers 200 without a network."""

    def __init__(self) -> None:
        self._answer = Answer(200)

    async def exchange(self, request: WireRequest, timeout_s: float) -> Answer:
        del request, timeout_s
        return self._answer


async def _best_us(action: Callable[[], Awaitable[object]]) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        start = perf_counter()
        for _ in range(COUNT):
            await action()
        best = min(best, (perf_counter() - start) / COUNT * 1e6)
    return best


async def _measure() -> dict[str, float]:
    account = parse_account(ACCOUNT)
    message = parse_message(account, MESSAGE)
    renderer = HttpRenderer(account, message)
    instant = InstantTransport()
    transport = cast(HttpTransport, instant)
    shape = RequestShape(Target.of(account.base), message.method, renderer.fixed_headers)
    judge = Judge(account, message, Auth(), SystemClock())
    session = HttpSession(transport, shape, judge, Auth(), account)
    request = SendRequest(0, 1, renderer.render(ROW), "key", 30.0)
    wire = shape.request(b"/v1/notify", b"{}")

    async def whole() -> object:
        return await session.send(SendRequest(0, 1, renderer.render(ROW), "key", 30.0))

    bare = await _best_us(lambda: instant.exchange(wire, 30.0))
    return {
        "http_provider_send_us": round(await _best_us(lambda: session.send(request)) - bare, 2),
        "http_provider_render_and_send_us": round(await _best_us(whole) - bare, 2),
    }


def run() -> dict[str, float]:
    """Microseconds of CPU per item, best of several rounds."""
    return uvloop.run(_measure())


if __name__ == "__main__":
    print(json.dumps(run(), indent=2))
