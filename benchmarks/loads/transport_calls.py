"""The same request over and over, 64 in flight, by our transport or by aiohttp; nothing around it."""

import asyncio
import gc
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from time import perf_counter, process_time
from typing import Any

import uvloop

from benchmarks.processes import answer
from benchmarks.recipe import IN_FLIGHT
from postroad.egress import Egress, RequestShape, Target, TlsOptions

BODY = b'{"to": "%s", "text": "%s"}' % (b"x" * 40, b"y" * 140)
JSON = {"Content-Type": "application/json"}

Send = Callable[[], Awaitable[None]]


def work(order: Mapping[str, Any]) -> dict[str, float]:
    """`count` requests to `url` by `client` (ours, aiohttp); a tenth of it opens the connections."""
    return uvloop.run(_work(order))


async def _work(order: Mapping[str, Any]) -> dict[str, float]:
    opened = _ours(order) if order["client"] == "ours" else _aiohttp(order)
    async with opened as send:
        await _repeat(send, max(IN_FLIGHT, order["count"] // 10))
        gc.collect()
        wall, cpu = perf_counter(), process_time()
        await _repeat(send, order["count"])
        cpu, wall = process_time() - cpu, perf_counter() - wall
    return {"per_s": order["count"] / wall, "cpu_us": cpu / order["count"] * 1e6}


async def _repeat(send: Send, count: int) -> None:
    remaining = iter(range(count))

    async def worker() -> None:
        for _ in remaining:
            await send()

    await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))


@asynccontextmanager
async def _ours(order: Mapping[str, Any]) -> AsyncIterator[Send]:
    egress = Egress()
    target = Target.of(order["url"])
    egress.allow_literal(target.host, target.port)
    transport = egress.transport(connections=IN_FLIGHT, tls=TlsOptions(ca_file=order["ca_file"]))
    shape = RequestShape(target, "POST", list(JSON.items()))

    async def send() -> None:
        _must_be_ok((await transport.exchange(shape.request(b"/send", BODY), 30.0)).status)

    yield send
    await transport.aclose()


@asynccontextmanager
async def _aiohttp(order: Mapping[str, Any]) -> AsyncIterator[Send]:
    import aiohttp

    context = ssl.create_default_context(cafile=order["ca_file"])
    url = order["url"] + "/send"
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=IN_FLIGHT, ssl=context)) as session:

        async def send() -> None:
            async with session.post(url, data=BODY, headers=JSON) as response:
                await response.read()
                _must_be_ok(response.status)

        yield send


def _must_be_ok(status: int) -> None:
    if status != 200:
        raise RuntimeError(f"the receiver answered {status}")


if __name__ == "__main__":
    answer(work)
