"""Faults that public reports tell of other senders: each, and its whole kind, must be impossible here."""

import asyncio
from itertools import pairwise
from pathlib import Path

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
    refused,
    spec,
)
from tests.builders.fake_time import LoopClock, fake_loop, on_fake_time

from postroad.engine import CancelRun, ChangeRate, Engine, EventKind, PauseRun, ResumeRun, TimeoutPolicy
from postroad.journal import open_journal
from postroad.journal.state import read_state
from postroad.spi import Capabilities, Rate, SendRequest, SendResult
from postroad.vocabulary.errors import AlreadyRunning
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.transitions import RUN_FINAL, RunState


def _open(folder: Path):  # type: ignore[no-untyped-def]
    journal = open_journal(
        folder,
        run_id="run-1",
        shard=0,
        fencing_token="1",
        config_sha256="c",
        started_at_ms=LoopClock().now_ms(),
    )
    fake_loop().hold_while(lambda: journal.durable < journal.position and journal.fault is None)
    return journal


@on_fake_time
async def test_regression_a_restart_in_a_throttled_run_reported_the_end_with_a_hundred_unsent(tmp_path: Path) -> None:
    """Report 1: kill inside 100 per hour; afterwards every id is in exactly one state."""
    rates = {"run": Rate(100, 360)}
    sent: list[int] = []
    for _ in range(3):
        provider = ScriptedProvider()
        async with Engine([provider], clock=LoopClock()) as engine:
            handle = await engine.start(spec(250, rates=rates), Numbered(250), journal=_open(tmp_path))
            await asyncio.sleep(180)
            await handle.abort()
        sent += provider.sequences()
    assert len(sent) in range(149, 153)
    results, provider = Results(), ScriptedProvider()
    async with Engine([provider], clock=LoopClock(), result_sink=results) as engine:
        summary = await (
            await engine.start(spec(250, rates=rates), Numbered(250), journal=_open(tmp_path))
        ).completion()
    sent += provider.sequences()
    assert sum(counts(summary).values()) == 250
    assert sorted(sent) == list(range(250))
    assert summary.succeeded + summary.unknown == 250


@on_fake_time
async def test_regression_a_run_that_stood_still_was_called_finished() -> None:
    """Report 2: no final state while an item is open, and a standstill is told."""
    provider, events = ScriptedProvider(lambda r: after(1e9)(r) if r.sequence == 600 else OK), Events()
    async with Engine([provider], event_sink=events) as engine:
        policies = spec(601, concurrency=4, timeout=TimeoutPolicy(send_s=3000))
        handle = await engine.start(policies, Numbered(601))
        await asyncio.sleep(2000)
        assert handle.state is RunState.RUNNING
        assert handle.progress().in_flight == 1
        await handle.submit(PauseRun("p"))
        await asyncio.sleep(10)
        await handle.submit(ResumeRun("r"))
        await asyncio.sleep(10)
        assert handle.state not in RUN_FINAL
        summary = await handle.completion()
    assert counts(summary) == {"succeeded": 600, "unknown": 1}


@on_fake_time
async def test_regression_a_standstill_was_told_by_nobody() -> None:
    """Report 2, the other half: nothing back for three send timeouts is an event, once."""

    async def stubborn() -> SendResult:
        loop = asyncio.get_running_loop()
        until = loop.time() + 200
        while loop.time() < until:
            try:
                await asyncio.sleep(until - loop.time())
            except asyncio.CancelledError:
                continue
        return OK

    events = Events()
    async with Engine([ScriptedProvider(lambda r: stubborn())], event_sink=events) as engine:
        handle = await engine.start(spec(1, timeout=TimeoutPolicy(send_s=1)), Numbered(1))
        handle._run.workforce.sweep = lambda: None  # type: ignore[method-assign]
        await handle.completion()
    assert events.kinds().count(EventKind.STALLED) == 1


@on_fake_time
async def test_regression_changing_the_limit_while_paused_finished_the_run_early() -> None:
    """Report 4: window 300 per hour, pause, limit lifted, resume; and pause acts within a second while waiting."""
    provider = ScriptedProvider()
    async with Engine([provider]) as engine:
        handle = await engine.start(spec(345, rates={"run": Rate(300, 3600)}), Numbered(345))
        await asyncio.sleep(1000)
        began = asyncio.get_running_loop().time()
        await handle.submit(PauseRun("p"))
        assert asyncio.get_running_loop().time() - began < 1
        before = len(provider.sent)
        await handle.submit(ChangeRate("c", "run", Rate(0, 1)))
        await asyncio.sleep(100)
        assert len(provider.sent) == before
        await handle.submit(ResumeRun("r"))
        summary = await handle.completion()
    assert counts(summary) == {"succeeded": 345}
    assert provider.copies() == {}


@on_fake_time
async def test_regression_one_per_two_minutes_sent_two_at_once() -> None:
    """Report 5."""
    provider = ScriptedProvider()
    async with Engine([provider]) as engine:
        await (await engine.start(spec(2, rates={"run": Rate(1, 120)}), Numbered(2))).completion()
    assert provider.sent[1].at_s - provider.sent[0].at_s >= 120


@on_fake_time
async def test_regression_nobody_could_say_who_did_not_get_it() -> None:
    """Reports 7 and 47: one result per recipient, with code and detail, not one yes for all."""

    def script(request: SendRequest) -> SendResult:
        if request.sequence % 10 == 0:
            return refused(Category.RECIPIENT_INVALID, code="550", summary="no such mailbox", request_id="q1")
        return OK

    results = Results()
    async with Engine([ScriptedProvider(script)], result_sink=results) as engine:
        await (await engine.start(spec(100), Numbered(100))).completion()
    missed = [r for r in results.items if r.outcome == "FAILED"]
    assert [r.sequence for r in missed] == list(range(0, 100, 10))
    assert {(r.code, r.summary, r.request_id) for r in missed} == {("550", "no such mailbox", "q1")}
    assert len({r.item_id for r in results.items}) == 100


@on_fake_time
async def test_regression_a_used_up_daily_quota_was_shown_as_sent() -> None:
    """Report 8: with a time to come back the run waits and says until when; without one it stops, rest UNSENT."""
    quota = refused(Category.RATE_LIMITED, code="451", summary="daily limit", retry_after_s=6 * 3600)
    provider = ScriptedProvider(lambda r: quota if len(provider.sent) == 51 else OK)
    async with Engine([provider], clock=LoopClock()) as engine:
        handle = await engine.start(spec(100, concurrency=1), Numbered(100))
        await asyncio.sleep(60)
        waiting = handle.progress().waiting
        assert waiting is not None
        assert waiting.until_ms - LoopClock().now_ms() == pytest.approx(6 * 3_600_000 - 60_000, abs=1000)
        assert handle.progress().succeeded == 50
        summary = await handle.completion()
    assert counts(summary) == {"succeeded": 100}

    stop = refused(Category.RATE_LIMITED, code="451", summary="daily limit", stop_run=True)
    provider = ScriptedProvider(lambda r: stop if len(provider.sent) == 51 else OK)
    async with Engine([provider]) as engine:
        summary = await (await engine.start(spec(100, concurrency=1), Numbered(100))).completion()
    assert summary.state is RunState.FAILED
    assert "daily limit" in summary.reason
    assert counts(summary) == {"succeeded": 50, "failed": 1, "unsent": 49}


@on_fake_time
async def test_regression_of_three_rows_with_one_address_only_the_last_was_sent() -> None:
    """Report 19: the item is the key, not the address."""
    provider = ScriptedProvider(capabilities=Capabilities(batch_size=50))
    rows = [{"to": "a@example.org", "text": f"bill {n}", "batch": "b"} for n in range(3)]
    async with Engine([provider]) as engine:
        summary = await (await engine.start(spec(3), rows)).completion()
    assert counts(summary) == {"succeeded": 3}
    assert sorted(str(sent.content) for sent in provider.sent) == ["bill 0", "bill 1", "bill 2"]


@on_fake_time
async def test_regression_throttling_one_message_let_the_others_burst() -> None:
    """Report 43: weight is parts, a throttle slows all who share the bucket, 0 means unlimited."""
    throttle = refused(Category.RATE_LIMITED, code="88", slow_keys=("sender:long",), retry_after_s=30)
    provider = ScriptedProvider(lambda r: throttle if r.sequence == 2 and r.attempt == 1 else OK)
    source = Numbered(10, lambda n: {"sender": "long", "parts": 2})
    rates = {"sender": Rate(2, 1.0), "run": Rate(50, 1.0), "account": Rate(0, 1.0)}
    async with Engine([provider]) as engine:
        summary = await (await engine.start(spec(10, rates=rates), source)).completion()
    assert counts(summary) == {"succeeded": 10}
    times = [sent.at_s for sent in provider.sent]
    assert times[3] - times[2] >= 30
    assert all(later - earlier >= 0.999 for earlier, later in pairwise(times))


@on_fake_time
async def test_regression_a_run_that_was_still_going_was_started_again(tmp_path: Path) -> None:
    """Report 49: whoever holds the journal is the one; age decides nothing."""
    async with Engine([ScriptedProvider(after(600.0))], clock=LoopClock()) as engine:
        handle = await engine.start(spec(3, concurrency=1), Numbered(3), journal=_open(tmp_path))
        with pytest.raises(AlreadyRunning):
            _open(tmp_path)
        await handle.submit(CancelRun("c"))
        await handle.completion()
    assert read_state(tmp_path, 0).ended == "CANCELLED"


@on_fake_time
async def test_regression_one_hard_refusal_in_a_batch_mailed_the_others_for_ever(tmp_path: Path) -> None:
    """Report 50: each item has its own outcome; a batch is a detail of transport."""
    bad = refused(Category.RECIPIENT_INVALID, code="554")
    sent: list[int] = []
    for _ in range(2):
        provider = ScriptedProvider(lambda r: bad if r.sequence == 7 else OK, capabilities=Capabilities(batch_size=20))
        async with Engine([provider], clock=LoopClock()) as engine:
            source = Numbered(20, lambda n: {"batch": "b"})
            summary = await (await engine.start(spec(20), source, journal=_open(tmp_path))).completion()
        assert counts(summary) == {"succeeded": 19, "failed": 1}
        sent += provider.sequences()
    assert sorted(sent) == list(range(20))


@on_fake_time
async def test_regression_everything_refused_is_told_as_what_it_is() -> None:
    """Report 47: a run of refusals is not a success."""
    async with Engine([ScriptedProvider(always(refused(Category.PERMANENT_REMOTE)))]) as engine:
        summary = await (await engine.start(spec(5), Numbered(5))).completion()
    assert (summary.state, summary.failed) == (RunState.PARTIAL, 5)


@on_fake_time
async def test_regression_a_timer_that_fired_a_hair_early_was_taken_for_one_still_to_come() -> None:
    """Ours: the run then waited for ever behind an open gate."""
    for offset in range(40):
        provider = ScriptedProvider()
        async with Engine([provider]) as engine:
            await asyncio.sleep(offset / 997)
            rates = {"run": Rate(3, 0.0101 + offset / 7919)}
            summary = await asyncio.wait_for((await engine.start(spec(40, rates=rates), Numbered(40))).completion(), 60)
        assert counts(summary) == {"succeeded": 40}
