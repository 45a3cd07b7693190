"""A receiver where there is no nginx: uvloop and httptools in a process of its own, nothing above them."""

import asyncio
import json
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import httptools
import uvloop

from benchmarks.machine import RECEIVER, on_core
from benchmarks.processes import ROOT


@contextmanager
def serve(folder: Path, body: bytes) -> Iterator[tuple[int, int]]:
    """The plain port and the one for TLS. `folder` holds `server.pem`. It ends with its standard input."""
    command = [sys.executable, "-m", "benchmarks.receivers.bare", str(folder), body.decode()]
    with on_core(RECEIVER):
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        port, tls_port = json.loads(process.stdout.readline())
        yield port, tls_port
    finally:
        process.communicate()


class _Answering(asyncio.Protocol):
    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self._parser = httptools.HttpRequestParser(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_message_complete(self) -> None:
        self._transport.write(self._answer)


async def _serve(folder: Path, body: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nServer: bare\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    answer = head % len(body) + body
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem")
    loop = asyncio.get_running_loop()
    plain = await loop.create_server(lambda: _Answering(answer), "127.0.0.1", 0)
    secure = await loop.create_server(lambda: _Answering(answer), "127.0.0.1", 0, ssl=context)
    print(json.dumps([server.sockets[0].getsockname()[1] for server in (plain, secure)]), flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    uvloop.run(_serve(Path(sys.argv[1]), sys.argv[2].encode()))
