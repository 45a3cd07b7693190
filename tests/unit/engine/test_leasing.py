"""One rate over several processes: whole tokens, lent for a moment."""

import asyncio
from collections.abc import Sequence
from itertools import pairwise

from tests.builders.fake_time import on_fake_time

from postroad.engine import Lease, LeasedPacer, TokenDesk
from postroad.spi import Rate


class Wire:
    """A lender that asks a desk over a slow line."""

    def __init__(self, desk: TokenDesk, delay_s: float = 0.002) -> None:
        self._desk, self._delay_s = desk, delay_s
        self.asked = 0
        self.broken = False

    async def lease(self, key: str, want: int) -> Lease:
        self.asked += 1
        await asyncio.sleep(self._delay_s)
        if self.broken:
            raise ConnectionResetError
        return self._desk.lend(key, want, asyncio.get_running_loop().time() * 1000)

    def slow(self, keys: Sequence[str], until_ms: float) -> None:
        self._desk.slow(keys, until_ms)


async def _spend(
    pacer: LeasedPacer, until_s: float, times: list[float], keys: tuple[str, ...] = (), cost: int = 1
) -> None:
    loop = asyncio.get_running_loop()
    while loop.time() < until_s:
        now = loop.time() * 1000
        wait = pacer.try_take(keys, cost, now)
        if wait is None:
            times.append(now)
        else:
            await asyncio.sleep(max(0.001, min(0.02, (wait.until_ms - now) / 1000)))


def _most(times: list[float], window_ms: float) -> int:
    times = sorted(times)
    return max(sum(1 for at in times if start <= at < start + window_ms) for start in times)


@on_fake_time
async def test_two_workers_together_never_pass_the_rate_and_come_near_it() -> None:
    desk, times = TokenDesk({"run": Rate(100, 1.0)}), list[float]()
    end = asyncio.get_running_loop().time() + 10
    await asyncio.gather(*(_spend(LeasedPacer(Wire(desk), ["run"]), end, times) for _ in range(2)))
    assert _most(times, 1000) <= 100
    assert len(times) >= 750


@on_fake_time
async def test_one_per_window_is_exact_over_workers() -> None:
    desk, times = TokenDesk({"run": Rate(1, 60.0)}), list[float]()
    end = asyncio.get_running_loop().time() + 600
    await asyncio.gather(*(_spend(LeasedPacer(Wire(desk), ["run"]), end, times) for _ in range(3)))
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert min(gaps) >= 60_000
    assert len(times) >= 9


@on_fake_time
async def test_tokens_of_a_worker_that_died_count_as_spent() -> None:
    desk = TokenDesk({"run": Rate(10, 60.0)})
    now = asyncio.get_running_loop().time() * 1000
    assert desk.lend("run", 10, now).tokens >= 1
    assert desk.lend("run", 10, now + 100).tokens == 0


@on_fake_time
async def test_a_desk_that_cannot_answer_lends_nothing_and_is_asked_again() -> None:
    wire, times = Wire(TokenDesk({"run": Rate(100, 1.0)})), list[float]()
    wire.broken = True
    pacer = LeasedPacer(wire, ["run"])
    end = asyncio.get_running_loop().time() + 1
    await _spend(pacer, end, times)
    assert times == []
    wire.broken = False
    await _spend(pacer, end + 1, times)
    assert times


@on_fake_time
async def test_a_slowed_bucket_is_slow_for_the_other_worker_too() -> None:
    desk, times = TokenDesk({"domain": Rate(100, 1.0)}), list[float]()
    one, other = (LeasedPacer(Wire(desk), ["domain"]) for _ in range(2))
    now = asyncio.get_running_loop().time()
    one.slow(("domain:x",), (now + 5) * 1000)
    await _spend(other, now + 6, times, ("domain:x",))
    assert min(times) >= (now + 5) * 1000


@on_fake_time
async def test_keys_without_a_rate_cost_no_question() -> None:
    wire = Wire(TokenDesk({}))
    pacer = LeasedPacer(wire, [])
    assert pacer.try_take(("domain:x",), 3, 0.0) is None
    assert wire.asked == 0


@on_fake_time
async def test_a_message_of_three_parts_gets_its_three_tokens_at_once() -> None:
    desk, times = TokenDesk({"run": Rate(6, 1.0)}), list[float]()
    end = asyncio.get_running_loop().time() + 20
    await asyncio.gather(*(_spend(LeasedPacer(Wire(desk), ["run"]), end, times, cost=3) for _ in range(2)))
    assert _most(times, 1000) <= 2
    assert len(times) >= 25


def test_a_desk_that_recalls_old_spendings_late_counts_them_and_is_not_pushed_ahead() -> None:
    desk = TokenDesk({"account": Rate(10, 10.0)})
    for at in range(0, 3_000, 1_000):
        assert desk.lend("account", 1, 100_000 + at).tokens == 1
    desk.rebuild([(95_000, (), 2), (101_500, (), 2), (80_000, (), 50)])
    taken, now = 0, 103_100.0
    while now < 105_000:
        lease = desk.lend("account", 1, now)
        taken += lease.tokens
        now = max(lease.retry_at_ms, lease.expires_at_ms) + 1
    assert taken == 2


def test_recalled_tokens_hold_for_one_per_window_too() -> None:
    desk = TokenDesk({"sender": Rate(1, 60.0)})
    desk.rebuild([(30_000, ("sender:a",), 1), (10_000, ("sender:a",), 1)])
    lease = desk.lend("sender:a", 1, 31_000)
    assert lease.tokens == 0
    assert lease.retry_at_ms > 90_000
