"""A log in memory and a watcher of a stream, without a network."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from postroad.entrypoints.http.streams import BEGINNING, EventStream, LoggedEvent, Place, Portion


@dataclass
class MemoryLog:
    """Fulfils `EventLog`."""

    events: list[LoggedEvent] = field(default_factory=list)
    kept_from: int = 1
    is_over: bool = False
    reads: int = 0

    def add(self, *texts: str) -> None:
        for text in texts:
            self.events.append(LoggedEvent(Place(0, len(self.events) + 1), "progress", text.encode()))

    def read(self, after: Place, limit: int) -> Portion:
        self.reads += 1
        found = [one for one in self.events if one.place > after and one.place.sequence >= self.kept_from][:limit]
        reached = found[-1].place if found else after
        has_gap = after.sequence + 1 < self.kept_from
        return Portion(found, reached, has_more=len(found) == limit, has_gap=has_gap, is_last=self.is_over)

    def newest(self) -> Place:
        return self.events[-1].place if self.events else BEGINNING


class Watcher:
    """Runs one `EventStream`; a client that is `stuck` takes nothing after the headers."""

    def __init__(self, stream: EventStream, *, stuck: bool = False) -> None:
        self.parts: asyncio.Queue[bytes] = asyncio.Queue()
        self.text = ""
        self.ended = False
        self._stuck = stuck
        self._gone = asyncio.Event()
        self.task = asyncio.create_task(stream({"type": "http"}, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        if message["type"] != "http.response.body":
            return
        if self._stuck:
            await asyncio.Event().wait()
        self.ended = not message.get("more_body", False)
        self.parts.put_nowait(message["body"])

    async def until(self, text: str) -> str:
        """Everything received up to `text` for the first time."""
        async with asyncio.timeout(5):
            while text not in self.text:
                self.text += (await self.parts.get()).decode()
        return self.text

    async def end(self) -> str:
        """Everything received, once the stream is over."""
        async with asyncio.timeout(5):
            await self.task
        while not self.parts.empty():
            self.text += self.parts.get_nowait().decode()
        return self.text

    async def leave(self) -> None:
        self._gone.set()
        await self.task
