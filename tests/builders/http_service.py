"""A loopback HTTP service that answers as told and remembers every request it took."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit


@dataclass(frozen=True)
class Taken:
    """One whole request. `raw` is every byte of it."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    raw: bytes

    @property
    def path(self) -> str:
        return unquote(urlsplit(self.target).path)

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.target).query, keep_blank_values=True))


@dataclass(frozen=True)
class Reply:
    """An answer; `raw` replaces it byte for byte, `cut` closes without one, `silent` never gives one."""

    status: int = 200
    body: bytes = b"{}"
    headers: tuple[tuple[str, str], ...] = ()
    raw: bytes = b""
    cut: bool = False
    silent: bool = False

    def wire(self) -> bytes:
        if self.raw:
            return self.raw
        lines = "".join(f"{name}: {value}\r\n" for name, value in self.headers)
        head = f"HTTP/1.1 {self.status} Whatever\r\nContent-Length: {len(self.body)}\r\n{lines}\r\n"
        return head.encode() + self.body


Script = Callable[[Taken], Reply]


@dataclass
class HttpService:
    script: Script
    host: str = "127.0.0.1"
    port: int = 0
    taken: list[Taken] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read(reader)) is not None:
                self.taken.append(request)
                reply = self.script(request)
                if reply.silent:
                    await reader.read()
                if reply.cut or reply.silent:
                    break
                writer.write(reply.wire())
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Taken | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")[:-2]
    method, target, _ = first.split(" ")
    pairs = (line.partition(": ") for line in lines)
    headers = {name.lower(): value.encode("latin-1").decode() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Taken(method, target, headers, body, head + body)


@asynccontextmanager
async def http_service(script: Script | Reply, context: ssl.SSLContext | None = None) -> AsyncIterator[HttpService]:
    """Runs until the block ends, then closes every connection."""
    service = HttpService(script if not isinstance(script, Reply) else lambda _taken: script)
    tasks: set[asyncio.Task[None]] = set()

    def start(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(service.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(start, service.host, 0, ssl=context)
    service.port = server.sockets[0].getsockname()[1]
    try:
        yield service
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def closed_port() -> int:
    """A port at which nobody listens: one that was just given back."""
    server = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
    port: int = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    return port
