"""What a user would write: a csv reader, json, and 64 workers over one aiohttp session. It keeps no journal."""

import asyncio
import csv
import gc
import json
import ssl
from collections.abc import Iterator, Mapping
from itertools import islice
from time import perf_counter, process_time
from typing import Any

import aiohttp
import uvloop

from benchmarks.processes import answer
from benchmarks.recipe import IN_FLIGHT


def work(order: Mapping[str, Any]) -> dict[str, float]:
    """The first `count` rows of `table` to `url`; a tenth of them warms up."""
    with open(order["table"], encoding="utf-8", newline="") as file:
        return uvloop.run(_work(order, csv.DictReader(file)))


async def _work(order: Mapping[str, Any], rows: Iterator[dict[str, str]]) -> dict[str, float]:
    url, warm_up = order["url"] + "/send", order["count"] // 10
    count = order["count"] - warm_up
    context = ssl.create_default_context(cafile=order["ca_file"])
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=IN_FLIGHT, ssl=context)) as session:
        await _send_all(session, url, islice(rows, warm_up), warm_up)
        gc.collect()
        wall, cpu = perf_counter(), process_time()
        await _send_all(session, url, islice(rows, count), count)
        cpu, wall = process_time() - cpu, perf_counter() - wall
    return {"per_s": count / wall, "cpu_us": cpu / count * 1e6}


async def _send_all(session: aiohttp.ClientSession, url: str, rows: Iterator[dict[str, str]], count: int) -> None:
    accepted = sum(await asyncio.gather(*(_worker(session, url, rows) for _ in range(IN_FLIGHT))))
    if accepted != count:
        raise RuntimeError(f"{accepted} of {count} were accepted")


async def _worker(session: aiohttp.ClientSession, url: str, rows: Iterator[dict[str, str]]) -> int:
    accepted = 0
    headers = {"Content-Type": "application/json"}
    for row in rows:
        async with session.post(url, data=body_of(row), headers=headers) as response:
            await response.read()
            accepted += response.status == 200
    return accepted


def body_of(row: Mapping[str, str]) -> bytes:
    """The same message as `recipe.BODY` makes of the row."""
    text = f"您好 {row['name']},您在{row['city']}的订单金额 {row['amount']} 元已确认。{row['note']}"
    value = {"to": row["email"], "city": row["city"], "lang": "zh-CN", "text": text}
    return json.dumps(value, ensure_ascii=False).encode()


if __name__ == "__main__":
    answer(work)
