"""Watchers of one live stream, each with a connection of its own, until standard input closes.

Says the number of watchers once every stream is open, and at the end how many events each got at least.
"""

import asyncio
import contextlib
import json
import sys
from collections.abc import Mapping
from typing import Any

import uvloop

_LOOK_S = 0.01


class _Watcher:
    def __init__(self) -> None:
        self.events = 0
        self.opened = asyncio.Event()

    async def watch(self, order: Mapping[str, Any]) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", order["port"])
        shown = "".join(f"{name}: {each}\r\n" for name, each in order["headers"].items())
        asked = f"GET {order['path']} HTTP/1.1\r\nhost: 127.0.0.1:{order['port']}\r\n"
        writer.write(f"{asked}accept: text/event-stream\r\n{shown}\r\n".encode())
        status = await reader.readline()
        if b" 200 " not in status:
            raise RuntimeError(f"a stream was refused: {status.decode('latin-1')}")
        with contextlib.closing(writer):
            while line := await reader.readline():
                self.opened.set()
                self.events += line.startswith(b"id:")


async def _work(order: Mapping[str, Any]) -> None:
    watchers = [_Watcher() for _ in range(order["watchers"])]
    tasks = [asyncio.create_task(each.watch(order)) for each in watchers]
    while not all(each.opened.is_set() for each in watchers):
        for task in tasks:
            if task.done():
                task.result()
        await asyncio.sleep(_LOOK_S)
    print(json.dumps(len(watchers)), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    is_early = any(task.done() for task in tasks)
    for task in tasks:
        task.cancel()
    print(json.dumps({"least_events": min(each.events for each in watchers), "ended_early": is_early}), flush=True)


if __name__ == "__main__":
    uvloop.run(_work(json.loads(sys.argv[1])))
