"""Whole runs through the engine, and the pace at which a run goes."""

from tests.builders.feishu_emulator import FeishuEmulator
from tests.builders.provider_context import NOON_MS, NamedSecrets, config, loopback_egress
from tests.builders.vendor_server import Trouble

from postroad.engine import Engine, ExecutionPolicies, LocalPacer, RunSpec, RunSummary
from postroad.engine.pacing import effective_rates
from postroad.foundation.clock import SystemClock
from postroad.providers.feishu import FeishuProvider
from postroad.spi import Rate, Recipient
from postroad.vocabulary.transitions import RunState


async def run(robot: FeishuEmulator, count: int) -> RunSummary:
    account = {"webhook": {"$secret": "hook"}, "signSecret": {"$secret": "sign"}, "endpoint": robot.endpoint}
    message = {"type": "text", "text": "Hi {{ n }}"}
    policies = ExecutionPolicies(rates={"account": Rate(0, 1.0)})
    spec = RunSpec("run-1", "feishu", config(account), config(message), policies, total=count)
    people = (Recipient(sequence, {"n": f"n{sequence}"}) for sequence in range(count))
    secrets = NamedSecrets({"hook": robot.webhook, "sign": robot.secret})
    engine = Engine([FeishuProvider(loopback_egress())], secrets=secrets)
    try:
        return await (await engine.start(spec, people)).completion()
    finally:
        await engine.aclose()


def robot(**limits: int) -> FeishuEmulator:
    return FeishuEmulator(SystemClock(), secret="s3cret", **{"per_second": 1000, "per_minute": 1000} | limits)


async def test_every_row_is_one_message_in_the_group() -> None:
    async with robot() as group:
        summary = await run(group, 30)
    assert (summary.state, summary.succeeded) == (RunState.SUCCEEDED, 30)
    assert sorted(message["content"]["text"] for message in group.accepted) == sorted(f"Hi n{i}" for i in range(30))


async def test_a_lost_answer_is_unknown_and_not_posted_again() -> None:
    async with robot() as group:
        group.troubles.extend([Trouble(drop=True, after_taking=True), Trouble(502, b"", after_taking=True)])
        summary = await run(group, 10)
    assert (summary.state, summary.succeeded, summary.unknown) == (RunState.PARTIAL, 8, 2)
    assert len(group.accepted) == 10


async def test_a_wrong_secret_stops_the_run_and_the_rest_is_unsent() -> None:
    async with robot() as group:
        group.ip_allowed = False
        summary = await run(group, 100)
    assert summary.state is RunState.FAILED
    assert summary.failed + summary.unsent == 100
    assert group.accepted == []


def test_a_run_at_the_robots_own_limits_meets_neither_of_them() -> None:
    """Fifteen minutes of a pacer filled as fast as it lets, judged by the sliding windows the vendor uses."""
    descriptor = FeishuProvider(loopback_egress()).descriptor
    pacer = LocalPacer(effective_rates({}, descriptor.limits, descriptor.default_rate))
    taken: list[float] = []
    now = float(NOON_MS)
    while now < NOON_MS + 15 * 60_000:
        wait = pacer.try_take((), 1, now)
        if wait is None:
            taken.append(now)
        else:
            now = max(wait.until_ms, now + 0.001)
    assert len(taken) >= 15 * 95
    assert all(later - earlier >= 1_000 for earlier, later in zip(taken, taken[5:], strict=False))
    assert all(later - earlier >= 60_000 for earlier, later in zip(taken, taken[100:], strict=False))
