"""A restart sends nobody a second copy and loses nobody."""

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from tests.behaviour.engine.restart_game import BATCH, ITEMS, PERMITS, WINDOW, play
from tests.builders.engine_parts import (
    Numbered,
    Results,
    ScriptedProvider,
    after,
    always,
    counts,
    in_doubt,
    in_turn,
    keyed,
    not_sent,
    refused,
    spec,
)
from tests.builders.fake_time import LoopClock, fake_loop, on_fake_time

from postroad.engine import Engine, RetryPolicy, ShardRange, SpooledSource, spool
from postroad.engine.items.ledger import Flight, Ledger
from postroad.journal import open_journal
from postroad.journal.state import read_state
from postroad.spi import Rate, Recipient
from postroad.vocabulary.errors import InvalidInput, SendConflict
from postroad.vocabulary.outcomes import Category, Outcome
from postroad.vocabulary.transitions import RunState

HISTORIES = 60


def test_random_histories_of_kills_and_power_losses_send_no_second_copy() -> None:
    epochs = 0
    deaths: Counter[str] = Counter()
    for seed in range(HISTORIES):
        history = play(seed)
        assert history.second_copies == [], seed
        assert history.summary is not None
        assert sum(counts(history.summary).values()) == history.summary.total == ITEMS, seed
        for crash in history.crashes:
            open_intents = PERMITS * BATCH
            most = open_intents if crash.how == "kill" else WINDOW + open_intents
            assert crash.in_doubt <= most or not crash.sent, (seed, crash)
        epochs += history.epochs
        deaths.update(crash.how for crash in history.crashes)
    assert epochs / HISTORIES >= 2
    assert min(deaths.values()) > HISTORIES / 3


def _hand_over_before_durable(monkeypatch: pytest.MonkeyPatch) -> None:
    intend = Ledger.intend

    def hasty(self: Ledger, flight: Flight, at_ms: int, batch: str = "") -> bool:
        if not intend(self, flight, at_ms, batch):
            self._careful.remove(flight)
        return True

    monkeypatch.setattr(Ledger, "intend", hasty)


def _believe_a_window_before_it_is_durable(monkeypatch: pytest.MonkeyPatch) -> None:
    make_room = Ledger.make_room

    def hasty(self: Ledger, sequence: int) -> None:
        make_room(self, sequence)
        if self._asked is not None:
            self.high = self._asked[1]

    monkeypatch.setattr(Ledger, "make_room", hasty)


def _forget_what_is_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    make_room = Ledger.make_room

    def forgetful(self: Ledger, sequence: int) -> None:
        self._ahead.clear()
        make_room(self, sequence)

    monkeypatch.setattr(Ledger, "make_room", forgetful)


@pytest.mark.parametrize(
    "leave_out", [_hand_over_before_durable, _believe_a_window_before_it_is_durable, _forget_what_is_ahead]
)
def test_the_histories_notice_each_rule_that_is_left_out(
    leave_out: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_out(monkeypatch)
    assert any(play(seed).second_copies for seed in range(600))


def _open(folder: Path, *, config: str = "c0ffee", boot: str | None = None):  # type: ignore[no-untyped-def]
    journal = open_journal(
        folder,
        run_id="run-1",
        shard=0,
        fencing_token="1",
        config_sha256=config,
        started_at_ms=LoopClock().now_ms(),
        boot_id=boot,
    )
    fake_loop().hold_while(lambda: journal.durable < journal.position and journal.fault is None)
    return journal


@on_fake_time
async def test_a_run_goes_on_where_it_was_aborted(tmp_path: Path) -> None:
    first, second = ScriptedProvider(after(1.0)), ScriptedProvider()
    async with Engine([first], clock=LoopClock()) as engine:
        handle = await engine.start(spec(500, concurrency=5), Numbered(500), journal=_open(tmp_path))
        while handle.progress().succeeded < 100:
            await _later(0.5)
        lost = await handle.abort()
    assert lost.state is RunState.LOST
    assert sum(counts(lost).values()) == 500
    results = Results()
    async with Engine([second], clock=LoopClock(), result_sink=results) as engine:
        handle = await engine.start(spec(500), Numbered(500), journal=_open(tmp_path))
        assert handle.is_resumable
        summary = await handle.completion()
    assert summary.state is RunState.PARTIAL
    assert counts(summary) == {"succeeded": 495, "unknown": 5}
    assert set(first.sequences()) | set(second.sequences()) == set(range(500))
    assert not set(first.sequences()) & set(second.sequences())
    assert {r.code for r in results.items if r.outcome == "UNKNOWN"} == {"RESTARTED"}


async def _later(seconds: float) -> None:
    import asyncio

    await asyncio.sleep(seconds)


@on_fake_time
async def test_doubt_is_asked_again_under_the_same_key_after_a_restart(tmp_path: Path) -> None:
    first = ScriptedProvider(after(10_000), capabilities=keyed(3600))
    async with Engine([first], clock=LoopClock()) as engine:
        handle = await engine.start(spec(50, concurrency=4), Numbered(50), journal=_open(tmp_path))
        while len(first.sent) < 4:
            await _later(0.01)
        await handle.abort()
    second = ScriptedProvider(capabilities=keyed(3600))
    async with Engine([second], clock=LoopClock()) as engine:
        handle = await engine.start(spec(50), Numbered(50), journal=_open(tmp_path))
        summary = await handle.completion()
    assert counts(summary) == {"succeeded": 50}
    assert summary.maybe_doubled == 0
    again = [(s.attempt, s.key) for s in second.sent if s.sequence == 2]
    assert again == [(2, "run-1:2")]


@on_fake_time
async def test_doubt_older_than_the_keys_stays_unknown(tmp_path: Path) -> None:
    clock = LoopClock()
    first = ScriptedProvider(after(10_000), capabilities=keyed(3600))
    async with Engine([first], clock=clock) as engine:
        handle = await engine.start(spec(5, concurrency=4), Numbered(5), journal=_open(tmp_path))
        await _later(1)
        await handle.abort()
    clock.jump_ms = 3_600_000
    async with Engine([ScriptedProvider(capabilities=keyed(3600))], clock=clock) as engine:
        summary = await (await engine.start(spec(5), Numbered(5), journal=_open(tmp_path))).completion()
    assert counts(summary) == {"succeeded": 1, "unknown": 4}


@on_fake_time
async def test_regression_each_restart_gave_a_key_that_the_remote_forgets_a_new_life(tmp_path: Path) -> None:
    clock, sent = LoopClock(), 0
    patient = RetryPolicy(max_attempts=9)
    for hours in range(6):
        clock.jump_ms = 3_000_000 * hours
        provider = ScriptedProvider(after(10_000), capabilities=keyed(7_200))
        async with Engine([provider], clock=clock) as engine:
            handle = await engine.start(spec(1, retry=patient), Numbered(1), journal=_open(tmp_path))
            await _later(1)
            summary = await handle.abort()
        sent += len(provider.sent)
    assert sent == 2, "at 0 and 50 minutes; after 100 of 120 the remote may forget it"
    assert summary.unknown == 1


@pytest.mark.parametrize("set_back_ms", [-1_000, -3_600_000])
@on_fake_time
async def test_regression_a_clock_set_back_over_a_restart_sent_all_doubt_again(
    tmp_path: Path, set_back_ms: int
) -> None:
    clock = LoopClock()
    first = ScriptedProvider(after(10_000))
    async with Engine([first], clock=clock) as engine:
        handle = await engine.start(spec(50, concurrency=4), Numbered(50), journal=_open(tmp_path))
        while len(first.sent) < 4:
            await _later(0.01)
        await handle.abort()
    clock.jump_ms = set_back_ms
    second = ScriptedProvider()
    async with Engine([second], clock=clock) as engine:
        handle = await engine.start(spec(50), Numbered(50), journal=_open(tmp_path))
        summary = await handle.completion()
    assert counts(summary) == {"succeeded": 46, "unknown": 4}
    assert not set(first.sequences()) & set(second.sequences())


@on_fake_time
async def test_items_that_waited_for_a_retry_are_tried_when_due(tmp_path: Path) -> None:
    first = ScriptedProvider(always(refused(Category.TEMPORARY_REMOTE, retry_after_s=300, may_have_left=True)))
    policy = RetryPolicy(max_attempts=5)
    async with Engine([first], clock=LoopClock()) as engine:
        handle = await engine.start(spec(10, concurrency=1, retry=policy), Numbered(10), journal=_open(tmp_path))
        await _later(10)
        await handle.abort()
    assert [s.attempt for s in first.sent] == [1]
    began = fake_loop().time()
    second = ScriptedProvider()
    async with Engine([second], clock=LoopClock()) as engine:
        handle = await engine.start(spec(10, retry=policy), Numbered(10), journal=_open(tmp_path))
        summary = await handle.completion()
    assert counts(summary) == {"succeeded": 10}
    assert (summary.retried, summary.maybe_doubled) == (1, 1)
    retried = next(s for s in second.sent if s.sequence == 0)
    assert retried.attempt == 2
    assert retried.at_s - began >= 289


@on_fake_time
async def test_a_rate_of_one_per_window_holds_over_a_restart(tmp_path: Path) -> None:
    rates = {"run": Rate(1, 120)}
    first, second = ScriptedProvider(), ScriptedProvider()
    async with Engine([first], clock=LoopClock()) as engine:
        handle = await engine.start(spec(3, rates=rates), Numbered(3), journal=_open(tmp_path))
        await _later(30)
        await handle.abort()
    async with Engine([second], clock=LoopClock()) as engine:
        handle = await engine.start(spec(3, rates=rates), Numbered(3), journal=_open(tmp_path))
        await handle.completion()
    times = [s.at_s for s in first.sent + second.sent]
    assert len(times) == 3
    assert min(b - a for a, b in pairwise(times)) >= 119.999


@on_fake_time
async def test_a_failed_run_can_be_resumed_once_its_account_is_mended(tmp_path: Path) -> None:
    first = ScriptedProvider(always(refused(Category.AUTHENTICATION)))
    async with Engine([first], clock=LoopClock()) as engine:
        handle = await engine.start(spec(100, concurrency=2), Numbered(100), journal=_open(tmp_path))
        failed = await handle.completion()
    assert failed.state is RunState.FAILED
    second = ScriptedProvider()
    async with Engine([second], clock=LoopClock()) as engine:
        summary = await (await engine.start(spec(100), Numbered(100), journal=_open(tmp_path))).completion()
    assert summary.failed == failed.failed
    assert summary.succeeded == failed.unsent
    assert not set(first.sequences()) & set(second.sequences())


@on_fake_time
async def test_what_was_never_sent_when_the_run_failed_is_sent_after_the_resume(tmp_path: Path) -> None:
    first = ScriptedProvider(
        lambda r: after(1.0, refused(Category.AUTHENTICATION))(r) if r.sequence == 0 else after(2.0, not_sent())(r)
    )
    async with Engine([first], clock=LoopClock()) as engine:
        handle = await engine.start(spec(10, concurrency=3), Numbered(10), journal=_open(tmp_path))
        failed = await handle.completion()
    assert counts(failed) == {"failed": 1, "unsent": 9}
    second = ScriptedProvider()
    async with Engine([second], clock=LoopClock()) as engine:
        summary = await (await engine.start(spec(10), Numbered(10), journal=_open(tmp_path))).completion()
    assert counts(summary) == {"succeeded": 9, "failed": 1}
    assert {s.sequence: s.attempt for s in second.sent}[1] == 2


@on_fake_time
async def test_a_finished_run_started_again_sends_nothing(tmp_path: Path) -> None:
    for expected in (50, 0):
        provider = ScriptedProvider()
        async with Engine([provider], clock=LoopClock()) as engine:
            summary = await (await engine.start(spec(50), Numbered(50), journal=_open(tmp_path))).completion()
        assert len(provider.sent) == expected
        assert counts(summary) == {"succeeded": 50}
    state = read_state(tmp_path, 0)
    assert state.counts == {Outcome.SUCCEEDED: 50}
    assert state.ended == "SUCCEEDED"


@on_fake_time
async def test_a_power_loss_leaves_at_most_a_window_unknown(tmp_path: Path) -> None:
    async with Engine([ScriptedProvider(after(1.0))], clock=LoopClock()) as engine:
        handle = await engine.start(spec(5000, concurrency=5), Numbered(5000), journal=_open(tmp_path), window=200)
        await _later(100.5)
        await handle.abort()
    async with Engine([ScriptedProvider()], clock=LoopClock()) as engine:
        journal = _open(tmp_path, boot="another boot")
        summary = await (await engine.start(spec(5000), Numbered(5000), journal=journal)).completion()
    assert 5 < summary.unknown <= 205
    assert summary.succeeded == 5000 - summary.unknown


@on_fake_time
async def test_shards_share_a_snapshot_and_lose_nobody(tmp_path: Path) -> None:
    seen: list[int] = []
    for first, end in ((0, 30), (30, 77)):
        provider = ScriptedProvider()
        folder = tmp_path / str(first)
        folder.mkdir()
        async with Engine([provider], clock=LoopClock()) as engine:
            policies = spec(end - first, shard=ShardRange(first, end))
            summary = await (await engine.start(policies, Numbered(100), journal=_open(folder))).completion()
        assert counts(summary) == {"succeeded": end - first}
        seen += provider.sequences()
    assert seen == list(range(77))


@on_fake_time
async def test_a_spooled_iterator_can_be_resumed(tmp_path: Path) -> None:
    rows = ({"name": f"n{number}"} for number in range(40))
    await (await spool(rows, tmp_path / "rows")).aclose()
    first, second = ScriptedProvider(always(in_doubt())), ScriptedProvider()
    async with Engine([first], clock=LoopClock()) as engine:
        source = SpooledSource(tmp_path / "rows")
        handle = await engine.start(spec(40, rates={"run": Rate(1, 1)}), source, journal=_open(tmp_path))
        await _later(9.5)
        await handle.abort()
    async with Engine([second], clock=LoopClock()) as engine:
        source = SpooledSource(tmp_path / "rows")
        summary = await (await engine.start(spec(40), source, journal=_open(tmp_path))).completion()
    assert counts(summary) == {"succeeded": 30, "unknown": 10}
    assert second.sequences() == list(range(10, 40))


@on_fake_time
async def test_a_plain_iterator_with_a_journal_is_refused_with_a_way_out(tmp_path: Path) -> None:
    async with Engine([ScriptedProvider()]) as engine:
        with pytest.raises(InvalidInput, match="spool"):
            await engine.start(spec(), iter([Recipient(0, {})]), journal=_open(tmp_path))
        _open(tmp_path).close()


@on_fake_time
async def test_a_journal_of_another_run_is_refused(tmp_path: Path) -> None:
    async with Engine([ScriptedProvider()]) as engine:
        with pytest.raises(SendConflict, match="run-1"):
            await engine.start(spec(1, run_id="run-2"), Numbered(1), journal=_open(tmp_path))


@on_fake_time
async def test_retries_are_durable_before_they_are_sent(tmp_path: Path) -> None:
    journal = _open(tmp_path)
    durable_then: list[bool] = []
    provider = ScriptedProvider(in_turn(not_sent()))
    script = provider.script

    def watching(request):  # type: ignore[no-untyped-def]
        if request.attempt > 1:
            doubt = read_state(tmp_path, 0).doubt
            durable_then.append(request.sequence in doubt and journal.durable > 0)
        return script(request)

    provider.script = watching
    async with Engine([provider], clock=LoopClock()) as engine:
        await (await engine.start(spec(5), Numbered(5), journal=journal)).completion()
    assert durable_then == [True] * 5


@pytest.mark.parametrize("fuse", [1, 70, 250])
def test_a_process_killed_at_any_send_is_resumed_without_a_second_copy(tmp_path: Path, fuse: int) -> None:
    arrived: Counter[int] = Counter()
    for life in range(4):
        log = tmp_path / f"arrived-{life}"
        kill_at = fuse + 7 * life if life < 3 else 0
        child = subprocess.run(
            [sys.executable, "-m", "tests.behaviour.engine.killed_child", str(tmp_path), str(log), str(kill_at)],
            cwd=Path(__file__).parents[3],
            env={**os.environ, "PYTHONPATH": "src"},
            capture_output=True,
            text=True,
            timeout=60,
        )
        arrived.update(int(line) for line in log.read_text().split())
        assert child.returncode == (-signal.SIGKILL if kill_at else 0), child.stderr
    assert set(arrived.values()) == {1}
    state = read_state(tmp_path, 0)
    assert sum(state.counts.values()) == 1000
    assert state.counts[Outcome.SUCCEEDED] >= 1000 - 3 * 16
    assert state.doubt == {}
