"""The HTTP transport against aiohttp, on the same bare server, in the same run, in turn.

The server is a second process that answers a fixed 200 to every read, so the figure is the client's own cost. What
counts is `cpu_us` (user and system time of this process per request) and the ratio of rates; absolute rates move with
the neighbours. Run alone: `python -m benchmarks.http_transport`.
"""

import asyncio
import gc
import json
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import cast

import aiohttp
import uvloop
from benchmarks.loopback_ca import write_certificate

from postroad.egress import Egress, RequestShape, Target, TlsOptions

IN_FLIGHT = 64
REQUESTS = {"plain": 40_000, "tls": 16_000}
AIOHTTP_SHARE = 0.15
ROUNDS = 3
BODY = b'{"to": "%s", "text": "%s"}' % (b"x" * 40, b"y" * 140)
ANSWER = b'HTTP/1.1 200 OK\r\nServer: bare\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{"code": "0"}'

Send = Callable[[], Awaitable[None]]
Figures = dict[str, float]


class _BareServer(asyncio.Protocol):
    """One request per read: true for small requests sent one at a time on a connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, _data: bytes) -> None:
        self._transport.write(ANSWER)


async def _serve(folder: str) -> None:
    loop = asyncio.get_running_loop()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(Path(folder) / "server.pem")
    plain = await loop.create_server(_BareServer, "127.0.0.1", 0)
    secure = await loop.create_server(_BareServer, "127.0.0.1", 0, ssl=context)
    print(json.dumps([server.sockets[0].getsockname()[1] for server in (plain, secure)]), flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


async def _measure(send: Send, count: int) -> Figures:
    remaining = iter(range(count))

    async def worker() -> None:
        for _ in remaining:
            await send()

    gc.collect()
    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {"per_s": count / wall, "cpu_us": cpu / count * 1e6}


async def _ours(url: str, ca_file: str, count: int) -> list[Figures]:
    egress = Egress()
    target = Target.of(url)
    egress.allow_literal(target.host, target.port)
    transport = egress.transport(connections=IN_FLIGHT, tls=TlsOptions(ca_file=ca_file))
    shape = RequestShape(target, "POST", [("Content-Type", "application/json")])

    async def send() -> None:
        answer = await transport.exchange(shape.request(b"/send", BODY), 30.0)
        assert answer.status == 200, answer

    await _measure(send, count // 10)
    figures = [await _measure(send, count) for _ in range(ROUNDS)]
    await transport.aclose()
    return figures


async def _aiohttp(url: str, ca_file: str, count: int) -> list[Figures]:
    context = ssl.create_default_context(cafile=ca_file)
    connector = aiohttp.TCPConnector(limit=IN_FLIGHT, ssl=context)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def send() -> None:
            async with session.post(url, data=BODY, headers={"Content-Type": "application/json"}) as answer:
                await answer.read()
                assert answer.status == 200

        await _measure(send, count // 10)
        return [await _measure(send, count) for _ in range(ROUNDS)]


def _middle(figures: list[Figures], key: str) -> float:
    return round(median(each[key] for each in figures), 1)


def run() -> dict[str, float]:
    """Figures by name; `*_ratio` is our rate over aiohttp's, `*_cpu_ratio` its processor time over ours."""
    result: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        write_certificate(Path(folder))
        server = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.http_transport", folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert server.stdout is not None
        ports = dict(zip(("plain", "tls"), json.loads(server.stdout.readline()), strict=True))
        ca_file = str(Path(folder) / "ca.pem")
        for name, scheme in (("plain", "http"), ("tls", "https")):
            url = f"{scheme}://127.0.0.1:{ports[name]}/send"
            ours = uvloop.run(_ours(url, ca_file, REQUESTS[name]))
            theirs = uvloop.run(_aiohttp(url, ca_file, int(REQUESTS[name] * AIOHTTP_SHARE)))
            result[f"http_{name}_cpu_us"] = _middle(ours, "cpu_us")
            result[f"http_{name}_per_s"] = _middle(ours, "per_s")
            result[f"http_{name}_aiohttp_cpu_us"] = _middle(theirs, "cpu_us")
            result[f"http_{name}_aiohttp_per_s"] = _middle(theirs, "per_s")
            result[f"http_{name}_ratio"] = round(_middle(ours, "per_s") / _middle(theirs, "per_s"), 1)
            result[f"http_{name}_cpu_ratio"] = round(_middle(theirs, "cpu_us") / _middle(ours, "cpu_us"), 1)
        server.communicate()
    return result


if __name__ == "__main__":
    if len(sys.argv) > 1:
        uvloop.run(_serve(sys.argv[1]))
    else:
        print(json.dumps(run(), indent=2))
