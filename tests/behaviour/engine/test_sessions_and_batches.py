"""Three concurrency modes, batches, and providers that hang, raise or answer nonsense."""

import asyncio
from pathlib import Path

from tests.builders.engine_parts import (
    EMPTY,
    OK,
    Numbered,
    Results,
    ScriptedProvider,
    ScriptedSession,
    after,
    always,
    counts,
    in_turn,
    not_sent,
    refused,
    spec,
)
from tests.builders.fake_time import LoopClock, fake_loop, on_fake_time
from tests.builders.journal_disk import JournalDisk, failing

from postroad.engine import (
    ChangeConcurrency,
    ConcurrencyPolicy,
    Engine,
    RetryPolicy,
    TimeoutPolicy,
    dry_run,
    preview,
)
from postroad.journal import open_journal
from postroad.journal.state import read_state
from postroad.spi import Capabilities, ConcurrencyMode, OpenContext, Rate, Recipient, Rendered, SendResult, Verdict
from postroad.vocabulary.errors import JournalBroken
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.transitions import RunState


@on_fake_time
async def test_a_session_per_worker_serves_one_send_at_a_time_and_all_are_closed() -> None:
    provider = ScriptedProvider(after(1.0), concurrency_mode=ConcurrencyMode.SESSION_PER_WORKER)
    async with Engine([provider]) as engine:
        handle = await engine.start(spec(100, concurrency=4), Numbered(100))
        await asyncio.sleep(0.5)
        assert (provider.opened, provider.in_flight) == (4, 4)
        await handle.submit(ChangeConcurrency("up", 9))
        await handle.completion()
    assert provider.opened == provider.closed == 9
    assert provider.most_in_flight == 9


@on_fake_time
async def test_a_worker_whose_session_does_not_open_is_missed_and_told_but_the_run_goes_on() -> None:
    class Scarce(ScriptedProvider):
        async def open(self, context: OpenContext) -> ScriptedSession:
            if self.opened >= 2:
                raise ConnectionRefusedError("too many logins")
            return await super().open(context)

    provider = Scarce(after(1.0), concurrency_mode=ConcurrencyMode.SESSION_PER_WORKER)
    async with Engine([provider]) as engine:
        summary = await (await engine.start(spec(20, concurrency=5), Numbered(20))).completion()
    assert counts(summary) == {"succeeded": 20}
    assert provider.most_in_flight == 2
    assert sum("too many logins" in error for error in summary.suppressed_errors) == 3


@on_fake_time
async def test_batches_hold_only_messages_that_agree() -> None:
    provider = ScriptedProvider(capabilities=Capabilities(batch_size=10))
    source = Numbered(95, lambda n: {"batch": f"b{n % 2}"} if n < 90 else {})
    async with Engine([provider]) as engine:
        summary = await (await engine.start(spec(95, concurrency=4), source)).completion()
    assert counts(summary) == {"succeeded": 95}
    assert provider.copies() == {}
    assert all(len({n % 2 for n in batch}) == 1 and len(batch) <= 10 for batch in provider.batches)
    assert len(provider.batches) <= 20
    assert sum(len(batch) for batch in provider.batches) >= 88


@on_fake_time
async def test_a_batch_without_an_answer_is_unknown_item_by_item() -> None:
    class Silent(ScriptedProvider):
        async def open(self, context: OpenContext) -> ScriptedSession:
            session = await super().open(context)

            async def hang(requests: object) -> list[SendResult]:
                raise ConnectionResetError

            session.send_batch = hang  # type: ignore[method-assign]
            return session

    provider, results = Silent(capabilities=Capabilities(batch_size=5)), Results()
    async with Engine([provider], result_sink=results) as engine:
        source = Numbered(10, lambda n: {"batch": "b"})
        summary = await (await engine.start(spec(10), source)).completion()
    assert counts(summary) == {"unknown": 10}
    assert {r.category for r in results.items} == {"INTERNAL"}


@on_fake_time
async def test_one_refused_recipient_of_a_batch_is_its_own_business() -> None:
    provider = ScriptedProvider(
        lambda r: refused(Category.RECIPIENT_INVALID) if r.sequence == 3 else OK,
        capabilities=Capabilities(batch_size=10),
    )
    results = Results()
    async with Engine([provider], result_sink=results) as engine:
        source = Numbered(10, lambda n: {"batch": "b"})
        summary = await (await engine.start(spec(10), source)).completion()
    assert counts(summary) == {"succeeded": 9, "failed": 1}
    assert results.outcomes()[3] == "FAILED"


@on_fake_time
async def test_a_provider_that_hangs_is_cancelled_after_its_timeout_and_the_item_is_unknown() -> None:
    provider = ScriptedProvider(lambda r: after(1e9)(r) if r.sequence == 1 else OK)
    async with Engine([provider]) as engine:
        policies = spec(10, concurrency=2, timeout=TimeoutPolicy(send_s=30))
        summary = await (await engine.start(policies, Numbered(10))).completion()
    assert counts(summary) == {"succeeded": 9, "unknown": 1}
    assert summary.ended_at_ms - summary.started_at_ms < 33_000


@on_fake_time
async def test_a_provider_that_swallows_even_the_cancel_is_abandoned() -> None:
    async def stubborn() -> SendResult:
        for _ in range(3):
            try:
                await asyncio.sleep(500)
            except asyncio.CancelledError:
                continue
        return OK

    provider = ScriptedProvider(lambda r: stubborn() if r.sequence == 1 else OK)
    async with Engine([provider]) as engine:
        policies = spec(10, concurrency=2, timeout=TimeoutPolicy(send_s=30))
        handle = await engine.start(policies, Numbered(10))
        summary = await handle.completion()
    assert counts(summary) == {"succeeded": 9, "unknown": 1}
    assert any("did not come back" in error for error in summary.suppressed_errors)


@on_fake_time
async def test_a_provider_may_use_timeouts_and_tasks_of_its_own() -> None:
    async def careful() -> SendResult:
        try:
            async with asyncio.timeout(2):
                await asyncio.gather(asyncio.sleep(1), asyncio.sleep(60))
        except TimeoutError:
            return not_sent(Category.TIMEOUT, retry=False)
        return OK

    provider = ScriptedProvider(lambda r: careful())
    async with Engine([provider]) as engine:
        summary = await (await engine.start(spec(6, concurrency=3), Numbered(6))).completion()
    assert counts(summary) == {"failed": 6}


@on_fake_time
async def test_an_answer_that_is_none_is_unknown_and_ends_nobody_else() -> None:
    provider = ScriptedProvider()

    async def nothing() -> SendResult:
        return None  # type: ignore[return-value]

    provider.script = lambda r: nothing() if r.sequence == 2 else OK
    async with Engine([provider]) as engine:
        summary = await (await engine.start(spec(5), Numbered(5))).completion()
    assert counts(summary) == {"succeeded": 4, "unknown": 1}


@on_fake_time
async def test_what_is_left_of_the_item_and_run_time_limits_each_attempt() -> None:
    provider = ScriptedProvider(in_turn(not_sent(), not_sent()))
    policy = RetryPolicy(initial_s=8, multiplier=1, jitter=0)
    async with Engine([provider]) as engine:
        policies = spec(1, retry=policy, timeout=TimeoutPolicy(item_s=20, run_s=1000, send_s=15))
        await (await engine.start(policies, Numbered(1))).completion()
    assert [round(sent.timeout_s) for sent in provider.sent] == [15, 12, 4]


@on_fake_time
async def test_no_attempt_is_made_after_the_deadline_of_the_item() -> None:
    provider = ScriptedProvider(always(not_sent()))
    policy = RetryPolicy(max_attempts=50, initial_s=8, multiplier=1, jitter=0)
    async with Engine([provider]) as engine:
        policies = spec(1, retry=policy, timeout=TimeoutPolicy(item_s=20))
        summary = await (await engine.start(policies, Numbered(1))).completion()
    assert counts(summary) == {"failed": 1}
    assert len(provider.sent) == 3


async def _on_disk(disk: JournalDisk, before: object, total: int = 300):  # type: ignore[no-untyped-def]
    process = disk.process()
    journal = open_journal(
        Path("/sends/one"),
        run_id="run-1",
        shard=0,
        fencing_token="1",
        config_sha256="c",
        started_at_ms=LoopClock().now_ms(),
        fs=process,
        sync_interval_s=None,
    )
    process.before = before  # type: ignore[assignment]

    async def sync() -> None:
        while True:
            await asyncio.sleep(0.004)
            try:
                journal.sync_now()
            except JournalBroken:
                continue

    syncing = asyncio.create_task(sync())
    provider = ScriptedProvider(after(0.01))
    async with Engine([provider], clock=LoopClock()) as engine:
        handle = await engine.start(spec(total, concurrency=8), Numbered(total), journal=journal)
        summary = await handle.completion()
    syncing.cancel()
    return provider, summary


@on_fake_time
async def test_a_journal_error_that_can_be_mended_costs_nobody_anything() -> None:
    for call in ("write", "sync"):
        for at in (2, 5, 11):
            provider, summary = await _on_disk(JournalDisk(), failing(call, 5, at=at))
            assert counts(summary) == {"succeeded": 300}, (call, at)
            assert provider.copies() == {}


@on_fake_time
async def test_a_journal_that_stays_broken_ends_the_run_failed_and_resumable() -> None:
    disk = JournalDisk()
    calls = 0

    def broken(call: str) -> None:
        nonlocal calls
        calls += 1
        if calls > 40 and call in ("write", "sync", "create"):
            raise OSError(5, "Input/output error")

    first, failed = await _on_disk(disk, broken)
    assert failed.state is RunState.FAILED
    assert "JOURNAL" in failed.reason
    assert sum(counts(failed).values()) == 300
    disk.locks.clear()
    second, summary = await _on_disk(disk, lambda call: None)
    assert not set(first.sequences()) & set(second.sequences())
    assert sum(counts(summary).values()) == 300
    sent = set(first.sequences()) | set(second.sequences())
    assert sent == set(range(300)) - _unknown_never_sent(disk, sent)


def _unknown_never_sent(disk: JournalDisk, sent: set[int]) -> set[int]:
    """Items in doubt that had in truth not left: the price of a disk that lied."""
    state = read_state(Path("/sends/one"), 0, fs=disk.process())
    return {n for n in range(300) if n not in sent and state.settled.is_settled(n)}


@on_fake_time
async def test_a_dry_run_sends_nothing_and_counts_what_would_fail() -> None:
    provider = ScriptedProvider()
    source = Numbered(100, lambda n: {"bad": 1} if n % 10 == 0 else {"parts": 2})
    report = await dry_run(provider, EMPTY, EMPTY, source)
    assert (report.total, report.ready, report.failed, report.cost) == (100, 90, 10, 180)
    assert report.by_field == {"bad": 10}
    assert (report.problems[1].sequence, report.problems[1].row) == (10, 12)
    async with Engine([provider]) as engine:
        handle = await engine.start(spec(100, dry_run=True), Numbered(100))
        summary = await handle.completion()
    assert counts(summary) == {"succeeded": 100}
    assert (provider.sent, provider.opened) == ([], 0)


def test_a_preview_shows_the_message_of_each_recipient() -> None:
    recipients = [Numbered(3, lambda n: {"text": f"hello {n}"})._one(n) for n in range(2)]
    shown = preview(ScriptedProvider(), EMPTY, EMPTY, recipients)
    assert [view.parts["text"] for view in shown] == ["hello 0", "hello 1"]


@on_fake_time
async def test_a_resend_carries_the_key_of_the_source_item() -> None:
    provider = ScriptedProvider()
    async with Engine([provider]) as engine:
        run = spec(3, run_id="run-2", key_for=lambda sequence: f"run-1:{sequence + 100}" if sequence else None)
        await (await engine.start(run, Numbered(3))).completion()
    assert [sent.key for sent in provider.sent] == ["run-2:0", "run-1:101", "run-1:102"]


@on_fake_time
async def test_capacity_of_the_worker_bounds_the_concurrency() -> None:
    provider = ScriptedProvider(after(1.0))
    async with Engine([provider]) as engine:
        policy = ConcurrencyPolicy(1, 50, 50)
        handle = await engine.start(spec(100, concurrency=policy), Numbered(100), capacity=6)
        await handle.completion()
    assert provider.most_in_flight == 6


@on_fake_time
async def test_regression_a_result_of_the_wrong_shape_left_the_run_hanging_or_its_sums_open(tmp_path: Path) -> None:
    strange = refused(Category.RATE_LIMITED, retry_after_s=float("inf"))
    shapeless = SendResult(Verdict.REFUSED, "STRANGE", request_id=17)  # type: ignore[arg-type]
    unsure = SendResult("ACCEPTED")  # type: ignore[arg-type]
    answers = {3: strange, 5: shapeless, 7: unsure}
    journal = open_journal(
        tmp_path, run_id="run-1", shard=0, fencing_token="1", config_sha256="c", started_at_ms=LoopClock().now_ms()
    )
    fake_loop().hold_while(lambda: journal.durable < journal.position and journal.fault is None)
    async with Engine([ScriptedProvider(lambda request: answers.get(request.sequence, OK))]) as engine:
        handle = await engine.start(spec(20), Numbered(20), journal=journal)
        summary = await asyncio.wait_for(handle.completion(), 1000)
    assert counts(summary) == {"succeeded": 17, "failed": 2, "unknown": 1}


@on_fake_time
async def test_regression_a_rendering_of_the_wrong_shape_left_the_run_hanging() -> None:
    class Odd(ScriptedProvider):
        def render(self, recipient: Recipient) -> Rendered:
            keys: tuple[str, ...] = (None,) if recipient.sequence == 7 else ()  # type: ignore[assignment]
            return Rendered("", keys)

    async with Engine([Odd()]) as engine:
        handle = await engine.start(spec(20, rates={"domain": Rate(5, 1)}), Numbered(20))
        summary = await asyncio.wait_for(handle.completion(), 1000)
    assert counts(summary) == {"succeeded": 19, "failed": 1}
