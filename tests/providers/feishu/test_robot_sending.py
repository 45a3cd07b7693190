"""Against an emulator that checks token, signature, clock, size and rate with its own code."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.builders.feishu_emulator import FeishuEmulator
from tests.builders.provider_context import HandClock, config, loopback_egress, open_context, send_request
from tests.builders.vendor_server import Trouble

from postroad.providers.feishu import FeishuProvider
from postroad.providers.feishu.session import RobotSession
from postroad.spi import SendRequest, SendResult, Verdict
from postroad.vocabulary.outcomes import Category

MESSAGE = {"type": "text", "text": "Hi {{ n }}"}
SIGNATURES = json.loads((Path(__file__).parents[1] / "vectors" / "feishu_signatures.json").read_text())["signatures"]


class Sender:
    """One open session on an emulator; `clock` is ours, the emulator has its own."""

    def __init__(self, emulator: FeishuEmulator, clock: HandClock, sign_secret: str = "") -> None:
        self.provider = FeishuProvider(loopback_egress())
        account = {"webhook": {"$secret": "hook"}, "endpoint": emulator.endpoint}
        if sign_secret:
            account["signSecret"] = {"$secret": "sign"}
        secrets = {"hook": emulator.webhook, "sign": sign_secret}
        self.context = open_context(account, MESSAGE, secrets, clock)
        self.renderer = self.provider.compile(config(account), config(MESSAGE))
        self.session: RobotSession

    async def __aenter__(self) -> "Sender":
        self.session = await self.provider.open(self.context)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.aclose()

    def request(self, name: str = "Ann", *, timeout_s: float = 5.0) -> SendRequest:
        return send_request(self.renderer, n=name, timeout_s=timeout_s)

    async def send(self, name: str = "Ann") -> SendResult:
        return await self.session.send(self.request(name))


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
async def robot(clock: HandClock) -> AsyncIterator[FeishuEmulator]:
    async with FeishuEmulator(clock) as emulator:
        yield emulator


async def test_a_message_arrives_in_the_group_as_rendered(robot: FeishuEmulator, clock: HandClock) -> None:
    async with Sender(robot, clock) as sender:
        result = await sender.send('王 😀 O\'Brien "<b>"')
    assert (result.verdict, result.code) == (Verdict.ACCEPTED, "0")
    assert robot.accepted == [{"msg_type": "text", "content": {"text": 'Hi 王 😀 O\'Brien "<b>"'}}]
    assert "王 😀".encode() in robot.bodies[0]


@pytest.mark.parametrize("known", SIGNATURES)
async def test_the_sign_is_the_published_one(clock: HandClock, known: dict[str, str]) -> None:
    clock.now = int(known["timestamp"]) * 1000
    async with FeishuEmulator(clock, secret=known["secret"]) as robot, Sender(robot, clock, known["secret"]) as sender:
        assert (await sender.send()).verdict is Verdict.ACCEPTED
    assert robot.accepted[0]["timestamp"] == known["timestamp"]
    assert robot.accepted[0]["sign"] == known["sign"]


async def test_regression_a_session_open_for_an_hour_still_signs_with_the_time_of_the_attempt(clock: HandClock) -> None:
    async with FeishuEmulator(clock, secret="s3cret") as robot, Sender(robot, clock, "s3cret") as sender:
        request = sender.request()
        assert (await sender.session.send(request)).verdict is Verdict.ACCEPTED
        clock.now += 61 * 60_000
        assert (await sender.session.send(request)).verdict is Verdict.ACCEPTED


async def test_regression_a_wrong_clock_is_named_with_its_size(clock: HandClock) -> None:
    ours = HandClock(clock.now + 61 * 60_000)
    async with FeishuEmulator(clock, secret="s3cret") as robot, Sender(robot, ours, "s3cret") as sender:
        result = await sender.send()
    assert (result.verdict, result.category, result.code) == (Verdict.REFUSED, Category.AUTHENTICATION, "19021")
    assert "clock is off by 61 min" in result.summary
    assert result.retry is False


async def test_a_wrong_secret_is_named_when_the_clock_is_right(clock: HandClock) -> None:
    async with FeishuEmulator(clock, secret="s3cret") as robot, Sender(robot, clock, "other") as sender:
        result = await sender.send()
    assert result.category is Category.AUTHENTICATION
    assert "signSecret" in result.summary


async def test_a_wrong_token_and_a_foreign_address_stop_the_run(clock: HandClock) -> None:
    async with FeishuEmulator(clock, ip_allowed=False) as robot, Sender(robot, clock) as sender:
        assert (await sender.send()).category is Category.AUTHORIZATION
        robot.token = "another"
        assert (await sender.send()).category is Category.AUTHENTICATION
        assert robot.accepted == []


async def test_a_missing_keyword_is_our_fault(clock: HandClock) -> None:
    async with FeishuEmulator(clock, keywords=("notice",)) as robot, Sender(robot, clock) as sender:
        result = await sender.send()
        assert (result.category, result.code) == (Category.INVALID_REQUEST, "19024")
        assert (await sender.send("notice")).verdict is Verdict.ACCEPTED


async def test_the_sixth_message_of_a_second_is_slowed_and_none_of_it_is_doubt(clock: HandClock) -> None:
    async with FeishuEmulator(clock) as robot, Sender(robot, clock) as sender:
        results = [await sender.send() for _ in range(6)]
    assert [result.verdict for result in results] == [Verdict.ACCEPTED] * 5 + [Verdict.REFUSED]
    last = results[-1]
    assert (last.category, last.retry, last.retry_after_s) == (Category.RATE_LIMITED, True, 10.0)
    assert last.slow_keys == ()
    assert not last.may_have_left
    assert len(robot.accepted) == 5


@pytest.mark.parametrize(
    ("trouble", "wait_s"),
    [
        (Trouble(429, b'{"code":99991400,"msg":"x"}', headers=(("x-ogw-ratelimit-reset", "37"),)), 37.0),
        (Trouble(200, b'{"code":99991400,"msg":"x"}', headers=(("x-ogw-ratelimit-reset", "3"),)), 3.0),
        (Trouble(429, b"slow down", headers=(("Retry-After", "12"),)), 12.0),
        (Trouble(429, b""), 10.0),
    ],
)
async def test_the_platforms_own_wait_is_kept(
    robot: FeishuEmulator, clock: HandClock, trouble: Trouble, wait_s: float
) -> None:
    robot.troubles.append(trouble)
    async with Sender(robot, clock) as sender:
        result = await sender.send()
    assert (result.verdict, result.category) == (Verdict.REFUSED, Category.RATE_LIMITED)
    assert (result.retry, result.retry_after_s) == (True, wait_s)


@pytest.mark.parametrize(
    "trouble",
    [
        Trouble(200, b"<html>ok</html>"),
        Trouble(200, b""),
        Trouble(200, b"[]"),
        Trouble(200, b'{"StatusCode":0}'),
        Trouble(200, b'{"code":"0"}'),
        Trouble(200, b'{"code":true}'),
        Trouble(200, b'{"code":0'),
        Trouble(400, b'{"code":0}'),
        Trouble(500, b'{"code":9499,"msg":"x"}'),
        Trouble(502, b"bad gateway"),
        Trouble(503, b""),
        Trouble(504, b""),
        Trouble(drop=True, after_taking=True),
        Trouble(drop=True),
    ],
)
async def test_an_answer_that_decides_nothing_is_doubt(
    robot: FeishuEmulator, clock: HandClock, trouble: Trouble
) -> None:
    robot.troubles.append(trouble)
    async with Sender(robot, clock) as sender:
        result = await sender.send()
    assert result.verdict is Verdict.IN_DOUBT
    assert result.retry is not True


@pytest.mark.parametrize(
    ("status", "category"),
    [(302, Category.PERMANENT_REMOTE), (403, Category.AUTHORIZATION), (404, Category.PERMANENT_REMOTE)],
)
async def test_a_refusal_on_the_way_to_the_robot_is_no_doubt(
    robot: FeishuEmulator, clock: HandClock, status: int, category: Category
) -> None:
    robot.troubles.append(Trouble(status, b"<html></html>"))
    async with Sender(robot, clock) as sender:
        result = await sender.send()
    assert (result.verdict, result.category, result.code) == (Verdict.REFUSED, category, f"HTTP_{status}")


async def test_an_unknown_code_is_a_refusal_with_the_vendors_words(robot: FeishuEmulator, clock: HandClock) -> None:
    robot.troubles.append(Trouble(200, b'{"code":12345,"msg":"no\\nsuch thing"}', headers=(("X-Tt-Logid", "log-1"),)))
    async with Sender(robot, clock) as sender:
        result = await sender.send()
    assert (result.verdict, result.category, result.code) == (Verdict.REFUSED, Category.PERMANENT_REMOTE, "12345")
    assert (result.summary, result.request_id) == ("no such thing", "log-1")


async def test_a_token_repeated_by_the_vendor_is_masked(robot: FeishuEmulator, clock: HandClock) -> None:
    robot.troubles.append(Trouble(200, json.dumps({"code": 12345, "msg": f"bad {robot.token}"}).encode()))
    async with Sender(robot, clock) as sender:
        result = await sender.send()
    assert robot.token not in repr(result)
    assert "bad" in result.summary


async def test_nobody_listening_is_certainly_not_sent(clock: HandClock) -> None:
    async with FeishuEmulator(clock) as robot:
        sender = Sender(robot, clock)
    async with sender:
        result = await sender.send()
    assert (result.verdict, result.category, result.retry) == (Verdict.NOT_SENT, Category.NETWORK, True)
    assert robot.requests == 0


async def test_a_check_says_what_is_wrong_and_posts_nothing(clock: HandClock) -> None:
    async with FeishuEmulator(clock, secret="s3cret") as robot:
        good, bad = Sender(robot, clock, "s3cret"), Sender(robot, clock, "wrong")
        report = await good.provider.check_connection(good.context)
        assert report.ok
        report = await bad.provider.check_connection(bad.context)
        assert (report.ok, report.category) == (False, "AUTHENTICATION")
        assert robot.accepted == []


async def test_a_check_of_a_robot_that_is_away_says_so(clock: HandClock) -> None:
    async with FeishuEmulator(clock) as robot:
        sender = Sender(robot, clock)
    report = await sender.provider.check_connection(sender.context)
    assert (report.ok, report.category) == (False, "NETWORK")
