"""Callers of the service over HTTP, each with a connection of its own, all in one loop.

A caller with a pace calls at fixed times, and its waiting counts from the time at which it should have called: a
service that stands still for a second cannot hide the calls nobody made meanwhile. Without a pace the next call follows
the answer.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import quantiles
from time import perf_counter
from typing import Any

import uvloop

from benchmarks.processes import answer

_MARK = "{n}"


class _Line:
    """One connection that stays open."""

    def __init__(self, port: int, headers: Mapping[str, str]) -> None:
        self._port = port
        self._head = f"host: 127.0.0.1:{port}\r\n" + "".join(f"{name}: {each}\r\n" for name, each in headers.items())
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, method: str, path: str, body: str) -> int:
        """The status; the answer is read whole."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        content = body.encode()
        kind = f"content-type: application/json\r\ncontent-length: {len(content)}\r\n" if content else ""
        writer.write(f"{method} {path} HTTP/1.1\r\n{self._head}{kind}\r\n".encode() + content)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        await reader.readexactly(int(head.partition("content-length:")[2].split("\r\n", 1)[0]))
        if "connection: close" in head:
            self.close()
        return int(head.split(" ", 2)[1])

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


class _Load:
    def __init__(self, order: Mapping[str, Any]) -> None:
        self._order = order
        self._ends = perf_counter() + order["seconds"]
        self.waits_ms: dict[str, list[float]] = {}
        self.statuses: dict[str, Counter[int]] = {}

    async def caller(self, number: int, plan: Mapping[str, Any]) -> None:
        """`plan`: `kind`, `every_s` (0: at once), `calls` in turn, each `[method, path, body]`."""
        waits, statuses = self.waits_ms.setdefault(plan["kind"], []), self.statuses.setdefault(plan["kind"], Counter())
        line, every_s = _Line(self._order["port"], self._order["headers"]), plan["every_s"]
        calls: Sequence[Sequence[str]] = plan["calls"]
        begun, made = perf_counter() + every_s * number / len(self._order["plans"]), 0
        while (due := begun + made * every_s if every_s else perf_counter()) < self._ends:
            await asyncio.sleep(max(0.0, due - perf_counter()))
            method, path, body = calls[(number + made) % len(calls)]
            try:
                status = await line.call(method, path, body.replace(_MARK, f"{number}-{made}"))
            except (OSError, asyncio.IncompleteReadError):
                status = 0
                line.close()
            statuses[status] += 1
            waits.append((perf_counter() - due) * 1000)
            made += 1
        line.close()


async def _work(order: Mapping[str, Any]) -> dict[str, Any]:
    load, begun = _Load(order), perf_counter()
    async with asyncio.TaskGroup() as group:
        for number, plan in enumerate(order["plans"]):
            group.create_task(load.caller(number, plan))
    took_s = perf_counter() - begun
    return {kind: _summary(waits, load.statuses[kind], took_s) for kind, waits in load.waits_ms.items()}


def _summary(waits_ms: list[float], statuses: Counter[int], took_s: float) -> dict[str, Any]:
    return {
        "p99_ms": quantiles(waits_ms, n=100, method="inclusive")[98] if len(waits_ms) > 1 else waits_ms[0],
        "calls": len(waits_ms),
        "per_s": len(waits_ms) / took_s,
        "max_ms": max(waits_ms),
        "statuses": {str(status): number for status, number in statuses.items()},
    }


if __name__ == "__main__":
    answer(lambda order: uvloop.run(_work(order)))
