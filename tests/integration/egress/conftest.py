"""Every wire test runs on the standard loop and on uvloop: their transports differ in what they report and when."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping

import pytest
from tests.builders.raw_http_server import RawServer

from postroad.egress import Egress, HttpTransport

LoopFactory = Callable[[], asyncio.AbstractEventLoop]


def pytest_asyncio_loop_factories() -> Mapping[str, LoopFactory]:
    factories: dict[str, LoopFactory] = {"asyncio": asyncio.new_event_loop}
    if sys.platform != "win32":
        import uvloop

        factories["uvloop"] = uvloop.new_event_loop
    return factories


@pytest.fixture
def egress() -> Egress:
    return Egress()


@pytest.fixture
async def open_transport(egress: Egress) -> AsyncIterator[Callable[..., HttpTransport]]:
    """A transport to a server, its host and port allowed; closed after the test."""
    made: list[HttpTransport] = []

    def build(server: RawServer, **options: object) -> HttpTransport:
        egress.allow_literal("127.0.0.1", server.port)
        settings: dict[str, object] = {"connections": 4, "max_answer_bytes": 1000, **options}
        made.append(egress.transport(**settings))  # type: ignore[arg-type]
        return made[-1]

    yield build
    for transport in made:
        await transport.aclose()
