"""A slow sink slows the sender, a slow sender stops the source, and nothing grows."""

import asyncio

from tests.builders.engine_parts import Events, Numbered, Results, ScriptedProvider, after, counts, spec
from tests.builders.fake_time import on_fake_time

from postroad.engine import ChangeConcurrency, Engine, EventKind, PauseRun, ResultPolicy, ResumeRun


@on_fake_time
async def test_a_slow_result_sink_slows_the_sender() -> None:
    provider, results = ScriptedProvider(), Results(slow_s=10)
    async with Engine([provider], result_sink=results) as engine:
        policies = spec(5000, result=ResultPolicy(batch_size=100))
        handle = await engine.start(policies, Numbered(5000))
        await asyncio.sleep(25)
        assert len(results.items) == 200
        assert len(provider.sent) <= 200 + 6 * 100
        results.slow_s = 0
        summary = await handle.completion()
    assert counts(summary) == {"succeeded": 5000}
    assert len(results.items) == 5000


@on_fake_time
async def test_a_sender_that_is_busy_stops_the_source() -> None:
    source = Numbered(1_000_000)
    async with Engine([ScriptedProvider(after(1.0))]) as engine:
        handle = await engine.start(spec(1_000_000, concurrency=2), source)
        await asyncio.sleep(60)
        assert source.read_to <= 2000
        await handle.abort()


@on_fake_time
async def test_results_do_not_wait_for_a_full_batch() -> None:
    results = Results()
    async with Engine([ScriptedProvider(after(1.0))], result_sink=results) as engine:
        handle = await engine.start(spec(100, concurrency=1), Numbered(100))
        await asyncio.sleep(10)
        assert len(results.items) >= 9
        await handle.abort()


@on_fake_time
async def test_a_slow_event_sink_gets_every_change_and_the_last_counts() -> None:
    events = Events(slow_s=7)
    async with Engine([ScriptedProvider(after(1.0))], event_sink=events) as engine:
        handle = await engine.start(spec(100, concurrency=1), Numbered(100))
        for number in range(30):
            await handle.submit(PauseRun(f"p{number}"))
            await handle.submit(ResumeRun(f"r{number}"))
            await asyncio.sleep(1)
        await handle.submit(ChangeConcurrency("c", 10))
        events.slow_s = 0.1
        await handle.completion()
    kinds = events.kinds()
    assert kinds.count(EventKind.PAUSED) == kinds.count(EventKind.RESUMED) == 30
    assert kinds[0] is EventKind.RUN_STARTED
    assert kinds[-1] is EventKind.RUN_COMPLETED
    assert events.items[-1].progress.succeeded == 100
    assert EventKind.PROGRESS in events.kinds(progress=True)


@on_fake_time
async def test_an_event_sink_that_hangs_stops_the_sender_before_its_buffer_grows() -> None:
    provider, events = ScriptedProvider(after(0.1)), Events(slow_s=1e6)
    async with Engine([provider], event_sink=events) as engine:
        handle = await engine.start(spec(100_000, concurrency=1), Numbered(100_000))
        for number in range(300):
            await handle.submit(ChangeConcurrency(f"c{number}", 1 + number % 2))
        await asyncio.sleep(10)
        assert len(provider.sent) <= 3
        await handle.abort()
    assert handle.progress().succeeded <= 3


@on_fake_time
async def test_progress_is_told_at_most_twice_a_second() -> None:
    events = Events()
    async with Engine([ScriptedProvider(after(0.01))], event_sink=events) as engine:
        await (await engine.start(spec(1000, concurrency=1), Numbered(1000))).completion()
    assert 15 <= events.kinds(progress=True).count(EventKind.PROGRESS) <= 22
