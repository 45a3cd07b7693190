"""A command takes effect now: while sending, while all is parked, and in every race with the end."""

import asyncio

import pytest
from tests.builders.engine_parts import (
    OK,
    Events,
    Numbered,
    Results,
    ScriptedProvider,
    after,
    always,
    counts,
    in_turn,
    not_sent,
    refused,
    spec,
)
from tests.builders.fake_time import on_fake_time

from postroad.engine import (
    CancelRun,
    ChangeConcurrency,
    ChangeRate,
    ConcurrencyPolicy,
    Engine,
    EventKind,
    PauseRun,
    ResumeRun,
    RetryPolicy,
    TimeoutPolicy,
)
from postroad.spi import ConcurrencyMode, Rate, SendRequest, SendResult
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.transitions import RunState


@on_fake_time
async def test_a_paused_run_sends_nothing_more() -> None:
    provider = ScriptedProvider(after(1.0))
    async with Engine([provider]) as engine:
        handle = await engine.start(spec(100, concurrency=5), Numbered(100))
        await asyncio.sleep(2.5)
        answer = await handle.submit(PauseRun("p1"))
        begun = len(provider.sent)
        await asyncio.sleep(100)
        assert answer.applied
        assert handle.state is RunState.PAUSED
        assert len(provider.sent) == begun == 15
        assert handle.progress().succeeded == 15
        await handle.submit(ResumeRun("r1"))
        summary = await handle.completion()
    assert counts(summary) == {"succeeded": 100}


@on_fake_time
async def test_pause_and_cancel_act_at_once_while_everything_waits_for_an_hour() -> None:
    provider = ScriptedProvider(always(refused(Category.RATE_LIMITED, retry_after_s=3600)))
    async with Engine([provider]) as engine:
        handle = await engine.start(spec(1000, concurrency=4), Numbered(1000))
        await asyncio.sleep(5)
        waiting = handle.progress().waiting
        assert waiting is not None
        assert (waiting.reason, waiting.key) == ("WAITING_RATE", "account")
        began = asyncio.get_running_loop().time()
        assert (await handle.submit(PauseRun("p"))).state is RunState.PAUSED
        assert (await handle.submit(CancelRun("c", "enough"))).state is RunState.CANCELLING
        summary = await handle.completion()
        assert asyncio.get_running_loop().time() - began < 1.0
    assert summary.state is RunState.CANCELLED
    assert summary.reason == "enough"
    assert counts(summary) == {"failed": 4, "unsent": 996}


@on_fake_time
async def test_a_cancelled_item_that_never_passed_the_commit_point_is_unsent() -> None:
    results = Results()
    provider = ScriptedProvider(always(not_sent(retry_after_s=600)))
    async with Engine([provider], result_sink=results) as engine:
        handle = await engine.start(spec(3, concurrency=3), Numbered(3))
        await asyncio.sleep(1)
        await handle.submit(CancelRun("c"))
        summary = await handle.completion()
    assert counts(summary) == {"unsent": 3}
    assert [(r.outcome, r.attempt) for r in results.items] == [("UNSENT", 1)] * 3


@on_fake_time
async def test_cancel_tells_sends_in_flight_and_waits_for_them() -> None:
    provider = ScriptedProvider()

    async def until_cancelled() -> SendResult:
        while not provider.tokens[0].is_cancelled:
            await asyncio.sleep(0.1)
        return not_sent(Category.CANCELLED)

    provider.script = lambda request: until_cancelled() if request.sequence else OK
    async with Engine([provider]) as engine:
        handle = await engine.start(spec(50, concurrency=4), Numbered(50))
        await asyncio.sleep(1)
        await handle.submit(CancelRun("c"))
        summary = await handle.completion()
    assert counts(summary) == {"succeeded": 1, "unsent": 49}


@on_fake_time
async def test_a_provider_that_ignores_the_token_is_waited_for_until_its_timeout_and_then_unknown() -> None:
    provider = ScriptedProvider(after(10_000))
    async with Engine([provider]) as engine:
        handle = await engine.start(spec(10, concurrency=2, timeout=TimeoutPolicy(send_s=20)), Numbered(10))
        await asyncio.sleep(5)
        await handle.submit(CancelRun("c"))
        assert handle.state is RunState.CANCELLING
        began = asyncio.get_running_loop().time()
        summary = await handle.completion()
        assert asyncio.get_running_loop().time() - began < 20
    assert counts(summary) == {"unknown": 2, "unsent": 8}


@on_fake_time
async def test_the_same_command_id_gives_the_first_answer_again() -> None:
    async with Engine([ScriptedProvider(after(1.0))]) as engine:
        handle = await engine.start(spec(10), Numbered(10))
        first = await handle.submit(PauseRun("same"))
        await handle.submit(ResumeRun("other"))
        again = await handle.submit(PauseRun("same"))
        assert again is first
        assert handle.state is RunState.RUNNING
        await handle.completion()


@on_fake_time
async def test_a_command_after_the_end_is_refused_with_the_state() -> None:
    async with Engine([ScriptedProvider()]) as engine:
        handle = await engine.start(spec(1), Numbered(1))
        await handle.completion()
        for command in (PauseRun("1"), ResumeRun("2"), CancelRun("3"), ChangeConcurrency("4", 3)):
            answer = await handle.submit(command)
            assert not answer.applied
            assert answer.state is RunState.SUCCEEDED
            assert "SUCCEEDED" in answer.message


@on_fake_time
async def test_concurrency_changes_within_its_range_and_is_told() -> None:
    provider, events = ScriptedProvider(after(1.0)), Events()
    async with Engine([provider], event_sink=events) as engine:
        policy = ConcurrencyPolicy(2, 40, 3)
        handle = await engine.start(spec(400, concurrency=policy), Numbered(400))
        await asyncio.sleep(0.5)
        assert provider.in_flight == 3
        assert (await handle.submit(ChangeConcurrency("up", 30))).applied
        await asyncio.sleep(0.4)
        assert provider.in_flight == 30
        assert (await handle.submit(ChangeConcurrency("down", 2))).applied
        await asyncio.sleep(2.0)
        assert provider.in_flight == 2
        for number, target in enumerate((1, 41, 0, -5)):
            refusal = await handle.submit(ChangeConcurrency(f"no{number}", target))
            assert not refusal.applied
            assert "2 to 40" in refusal.message
        await handle.submit(ChangeConcurrency("end", 40))
        summary = await handle.completion()
    assert counts(summary) == {"succeeded": 400}
    assert events.kinds().count(EventKind.CONCURRENCY_CHANGED) == 3


@on_fake_time
async def test_a_serialized_provider_never_has_two_sends_at_once() -> None:
    provider = ScriptedProvider(after(0.1), concurrency_mode=ConcurrencyMode.SERIALIZED)
    async with Engine([provider]) as engine:
        handle = await engine.start(spec(20, concurrency=16), Numbered(20))
        assert "1 to 1" in (await handle.submit(ChangeConcurrency("c", 5))).message
        await handle.completion()
    assert provider.most_in_flight == 1


@on_fake_time
async def test_pause_freezes_the_deadline_of_items() -> None:
    provider = ScriptedProvider(in_turn(not_sent(), not_sent()))
    policy = RetryPolicy(initial_s=4, jitter=0)
    async with Engine([provider]) as engine:
        handle = await engine.start(spec(1, retry=policy, timeout=TimeoutPolicy(item_s=20)), Numbered(1))
        await asyncio.sleep(1)
        await handle.submit(PauseRun("p"))
        await asyncio.sleep(1000)
        await handle.submit(ResumeRun("r"))
        summary = await handle.completion()
    assert counts(summary) == {"succeeded": 1}


@on_fake_time
async def test_the_deadline_of_the_run_does_not_stop_in_a_pause() -> None:
    async with Engine([ScriptedProvider(after(1.0))]) as engine:
        handle = await engine.start(spec(100, concurrency=1, timeout=TimeoutPolicy(run_s=60)), Numbered(100))
        await asyncio.sleep(10.5)
        await handle.submit(PauseRun("p"))
        summary = await handle.completion()
    assert summary.state is RunState.PARTIAL
    assert summary.reason == "RUN_TIMEOUT"
    assert counts(summary) == {"succeeded": 11, "unsent": 89}


@pytest.mark.parametrize(("choice", "state"), [("resume", RunState.SUCCEEDED), ("cancel", RunState.CANCELLED)])
def test_a_pause_that_lasts_too_long_ends_by_policy(choice: str, state: RunState) -> None:
    @on_fake_time
    async def run() -> None:
        async with Engine([ScriptedProvider(after(1.0))]) as engine:
            handle = await engine.start(spec(20, max_pause_s=300, on_max_pause=choice), Numbered(20))
            await asyncio.sleep(0.5)
            await handle.submit(PauseRun("p"))
            summary = await handle.completion()
            assert summary.state is state
            assert summary.ended_at_ms - summary.started_at_ms >= 300_000

    run()


@on_fake_time
async def test_due_retries_pass_the_buckets_after_a_pause_without_a_burst() -> None:
    provider = ScriptedProvider(in_turn(not_sent()))
    async with Engine([provider]) as engine:
        policies = spec(50, concurrency=50, rates={"run": Rate(10, 1.0)})
        handle = await engine.start(policies, Numbered(50))
        await asyncio.sleep(5.05)
        await handle.submit(PauseRun("p"))
        await asyncio.sleep(500)
        paused_until = asyncio.get_running_loop().time()
        await handle.submit(ResumeRun("r"))
        await handle.completion()
    times = sorted(sent.at_s for sent in provider.sent if sent.at_s >= paused_until)
    assert all(times[n + 10] - times[n] >= 0.999 for n in range(len(times) - 10))


@on_fake_time
async def test_abort_does_not_wait_and_says_lost() -> None:
    provider = ScriptedProvider(after(10_000))
    async with Engine([provider]) as engine:
        handle = await engine.start(spec(100, concurrency=5), Numbered(100))
        await asyncio.sleep(1)
        began = asyncio.get_running_loop().time()
        summary = await handle.abort()
        assert asyncio.get_running_loop().time() - began < 1
    assert summary.state is RunState.LOST
    assert counts(summary) == {"unknown": 5, "unsent": 95}


@on_fake_time
async def test_a_rate_is_changed_while_the_run_waits_for_it() -> None:
    provider, events = ScriptedProvider(), Events()
    async with Engine([provider], event_sink=events) as engine:
        handle = await engine.start(spec(10, rates={"run": Rate(1, 3600)}), Numbered(10))
        await asyncio.sleep(10)
        assert len(provider.sent) == 1
        assert (await handle.submit(ChangeRate("f", "run", Rate(0, 1)))).applied
        summary = await handle.completion()
    assert summary.ended_at_ms - summary.started_at_ms < 12_000
    assert EventKind.RATE_CHANGED in events.kinds()


@on_fake_time
async def test_any_order_of_commands_keeps_the_sum() -> None:
    def script(request: SendRequest) -> SendResult:
        return not_sent() if request.attempt == 1 and request.sequence % 3 == 0 else OK

    for stop_after in (0.0, 0.01, 0.3, 1.7):
        provider = ScriptedProvider(script)
        async with Engine([provider]) as engine:
            handle = await engine.start(spec(3000, concurrency=7), Numbered(3000))
            for number in range(5):
                await handle.submit(PauseRun(f"p{number}"))
                await asyncio.sleep(stop_after)
                await handle.submit(ResumeRun(f"r{number}"))
                await handle.submit(ChangeConcurrency(f"c{number}", number + 1))
                await asyncio.sleep(0)
            await handle.submit(CancelRun("c"))
            summary = await handle.completion()
        assert sum(counts(summary).values()) == 3000
        assert all(sent.attempt <= 2 for sent in provider.sent)
