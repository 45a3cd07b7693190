"""How fast a run goes, and that one slow bucket is nobody else's business."""

import asyncio
from itertools import pairwise

import pytest
from tests.builders.engine_parts import (
    OK,
    Events,
    Numbered,
    ScriptedProvider,
    after,
    always,
    counts,
    in_turn,
    limit,
    refused,
    spec,
)
from tests.builders.fake_time import LoopClock, on_fake_time

from postroad.engine import Engine, EventKind, Hold, RetryPolicy
from postroad.spi import Rate, RateScope, Recipient, SendRequest, SendResult
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.transitions import WaitReason


def _most(times: list[float], window_s: float) -> int:
    return max(sum(1 for at in times if start <= at < start + window_s - 1e-6) for start in times)


@on_fake_time
async def test_a_run_keeps_its_rate_from_the_first_second_on() -> None:
    provider = ScriptedProvider()
    async with Engine([provider]) as engine:
        await (await engine.start(spec(1000, rates={"run": Rate(100, 1.0)}), Numbered(1000))).completion()
    times = [sent.at_s for sent in provider.sent]
    assert _most(times, 1.0) <= 100
    assert _most(times, 0.1) <= 12
    assert times[-1] - times[0] == pytest.approx(10, abs=0.2)


@on_fake_time
async def test_a_message_takes_as_many_tokens_as_it_has_parts() -> None:
    provider = ScriptedProvider()
    async with Engine([provider]) as engine:
        source = Numbered(20, lambda n: {"parts": 3})
        await (await engine.start(spec(20, rates={"account": Rate(6, 1.0)}), source)).completion()
    times = [sent.at_s for sent in provider.sent]
    assert _most(times, 1.0) <= 2


@on_fake_time
async def test_one_slow_domain_does_not_starve_the_others() -> None:
    slow = Numbered(2000, lambda n: {"domain": "slow" if n % 2 else f"d{n}"})
    provider = ScriptedProvider(after(0.05))
    async with Engine([provider]) as engine:
        handle = await engine.start(spec(2000, concurrency=10, rates={"domain:slow": Rate(1, 1.0)}), slow)
        await handle.completion()
    others = [sent.at_s for sent in provider.sent if not sent.sequence % 2]
    assert others[-1] - others[0] == pytest.approx(1000 * 0.05 / 10, rel=0.05)
    slow_times = [sent.at_s for sent in provider.sent if sent.sequence % 2]
    assert _most(slow_times, 1.0) == 1
    assert [s.sequence for s in provider.sent if s.sequence % 2] == list(range(1, 2000, 2))


@on_fake_time
async def test_items_behind_two_buckets_keep_both_rates() -> None:
    source = Numbered(400, lambda n: {"domain": f"d{n % 3}", "sender": f"s{n % 2}"})
    provider = ScriptedProvider()
    rates = {"domain": Rate(3, 1.0), "sender": Rate(4, 1.0), "run": Rate(7, 1.0)}
    async with Engine([provider]) as engine:
        summary = await (await engine.start(spec(400, rates=rates), source)).completion()
    assert counts(summary) == {"succeeded": 400}
    assert provider.copies() == {}
    for name in range(3):
        assert _most([s.at_s for s in provider.sent if s.sequence % 3 == name], 1.0) <= 3
    for name in range(2):
        assert _most([s.at_s for s in provider.sent if s.sequence % 2 == name], 1.0) <= 4
    assert _most([s.at_s for s in provider.sent], 1.0) <= 7


@on_fake_time
async def test_a_full_parking_stops_the_source_and_says_what_it_waits_for() -> None:
    source = Numbered(100_000, lambda n: {"domain": "slow"})
    provider = ScriptedProvider()
    async with Engine([provider], clock=LoopClock()) as engine:
        handle = await engine.start(spec(100_000, rates={"domain:slow": Rate(1, 60.0)}), source)
        await asyncio.sleep(30)
        progress = handle.progress()
        await handle.abort()
    assert progress.parked == 20_000
    assert source.read_to < 22_500
    assert progress.waiting is not None
    assert progress.waiting.reason is WaitReason.RATE
    assert progress.waiting.key == "domain:slow"


@on_fake_time
async def test_regression_retries_filled_the_parking_beyond_its_bound() -> None:
    def script(request: SendRequest) -> SendResult:
        return refused(Category.RATE_LIMITED, retry_after_s=3600, slow_keys=(f"domain:d{request.sequence}",))

    source = Numbered(100_000, lambda n: {"domain": f"d{n}"})
    provider = ScriptedProvider(script)
    async with Engine([provider], clock=LoopClock()) as engine:
        handle = await engine.start(spec(100_000), source)
        await asyncio.sleep(30)
        progress = handle.progress()
        await handle.abort()
    assert 20_000 <= progress.parked < 20_000 + 64
    assert source.read_to < 23_000
    assert progress.waiting is not None
    assert progress.waiting.reason is WaitReason.RETRY


@on_fake_time
async def test_retry_after_slows_everybody_who_shares_the_bucket() -> None:
    def script(request: SendRequest) -> SendResult:
        if request.sequence == 5 and request.attempt == 1:
            return refused(Category.RATE_LIMITED, retry_after_s=60)
        return OK

    provider = ScriptedProvider(script)
    async with Engine([provider]) as engine:
        await (await engine.start(spec(100, concurrency=1), Numbered(100))).completion()
    before = [s.sequence for s in provider.sent if s.at_s < provider.sent[0].at_s + 60]
    assert before == [0, 1, 2, 3, 4, 5]
    assert provider.sent[-1].at_s - provider.sent[0].at_s < 62


@on_fake_time
async def test_a_named_bucket_is_slowed_alone() -> None:
    def script(request: SendRequest) -> SendResult:
        if request.sequence == 0 and request.attempt == 1:
            return refused(Category.TEMPORARY_REMOTE, retry_after_s=600, slow_keys=("domain:a",))
        return OK

    provider = ScriptedProvider(script)
    source = Numbered(100, lambda n: {"domain": "a" if n % 2 == 0 else "b"})
    async with Engine([provider]) as engine:
        await (await engine.start(spec(100, concurrency=1), source)).completion()
    start = provider.sent[0].at_s
    early = [s.sequence for s in provider.sent if s.at_s < start + 600]
    assert early == [0, *range(1, 100, 2)]


@on_fake_time
async def test_a_retry_after_of_an_hour_keeps_all_waiting_and_none_spinning() -> None:
    provider = ScriptedProvider(in_turn(refused(Category.RATE_LIMITED, retry_after_s=3600)))
    async with Engine([provider]) as engine:
        handle = await engine.start(spec(5000, concurrency=8), Numbered(5000))
        await asyncio.sleep(3000)
        assert len(provider.sent) == 8
        assert handle.progress().parked == 8
        await handle.abort()


@on_fake_time
async def test_held_recipients_go_when_their_time_has_come_and_not_before() -> None:
    clock = LoopClock()
    opens_at = clock.now_ms() + 3_600_000

    class Night:
        def check(self, recipient: Recipient, now_ms: int) -> Hold | None:
            return Hold(opens_at, "QUIET_HOURS") if recipient.sequence % 2 and now_ms < opens_at else None

    provider = ScriptedProvider()
    async with Engine([provider], clock=clock) as engine:
        start = asyncio.get_running_loop().time()
        policies = spec(20, rates={"run": Rate(10, 1.0)})
        summary = await (await engine.start(policies, Numbered(20), gatekeeper=Night())).completion()
    assert counts(summary) == {"succeeded": 20}
    held = [s.at_s for s in provider.sent if s.sequence % 2]
    assert min(held) - start >= 3600
    assert max(held) - min(held) >= 0.89


@on_fake_time
async def test_the_providers_limit_holds_when_the_job_gives_none() -> None:
    provider = ScriptedProvider(limits=(limit(RateScope.ACCOUNT, 5, 1.0),), default_rate=Rate(1, 1.0))
    async with Engine([provider]) as engine:
        await (await engine.start(spec(10), Numbered(10))).completion()
    assert _most([s.at_s for s in provider.sent], 1.0) == 1


@on_fake_time
async def test_a_long_wait_is_told_once() -> None:
    events = Events()
    async with Engine([ScriptedProvider()], event_sink=events) as engine:
        await (await engine.start(spec(3, rates={"run": Rate(1, 600.0)}), Numbered(3))).completion()
    waits = [event for event in events.items if event.kind is EventKind.WAITING]
    assert [event.reason for event in waits] == ["WAITING_RATE", "WAITING_RATE"]


@on_fake_time
async def test_rate_limited_without_a_time_backs_off() -> None:
    provider = ScriptedProvider(always(refused(Category.RATE_LIMITED)))
    policy = RetryPolicy(max_attempts=4, initial_s=2, multiplier=3, max_delay_s=10, jitter=0)
    async with Engine([provider]) as engine:
        await (await engine.start(spec(1, retry=policy), Numbered(1))).completion()
    times = [s.at_s for s in provider.sent]
    assert [round(b - a, 1) for a, b in pairwise(times)] == [2.0, 6.0, 10.0]
