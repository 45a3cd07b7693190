"""The pool of threads behind the routes: bounded, and honest about it."""

import asyncio
import contextvars
import threading

import pytest

from postroad.entrypoints.http.blocking import BlockingPool
from postroad.vocabulary.refusals import Overloaded


async def test_a_call_that_finds_no_place_is_refused_at_once() -> None:
    pool, gate = BlockingPool(threads=1, waiting=1), threading.Event()
    held = [asyncio.ensure_future(pool.run(lambda: gate.wait(10))) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(Overloaded) as refused:
        await pool.run(lambda: None)
    assert refused.value.retry_after_s == 1
    gate.set()
    await asyncio.gather(*held)
    assert await pool.run(lambda: "free again") == "free again"
    pool.close()


async def test_a_caller_that_leaves_does_not_free_the_place_of_its_work() -> None:
    pool, gate, entered = BlockingPool(threads=1, waiting=0), threading.Event(), threading.Event()

    def work() -> None:
        entered.set()
        gate.wait(10)

    call = asyncio.ensure_future(pool.run(work))
    await asyncio.to_thread(entered.wait, 5)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert pool.taken == 1
    with pytest.raises(Overloaded):
        await pool.run(lambda: None)
    gate.set()
    while pool.taken:
        await asyncio.sleep(0)
    pool.close()


async def test_work_sees_the_context_of_its_request() -> None:
    pool, trace = BlockingPool(threads=1), contextvars.ContextVar("trace", default="")
    trace.set("4bf9")
    assert await pool.run(trace.get) == "4bf9"
    pool.close()


async def test_what_the_work_raises_reaches_the_caller() -> None:
    pool = BlockingPool(threads=1)
    with pytest.raises(KeyError):
        await pool.run(lambda: {}["nothing"])
    assert await pool.run(lambda: 1) == 1
    pool.close()
