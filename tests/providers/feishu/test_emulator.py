"""The judge is judged: the emulator knows the published signatures and refuses what Feishu refuses."""

import json
from pathlib import Path

import pytest
from tests.builders.feishu_emulator import BODY_LIMIT_BYTES, FeishuEmulator
from tests.builders.provider_context import HandClock, loopback_egress

from postroad.egress import RequestShape, Target

SIGNATURES = json.loads((Path(__file__).parents[1] / "vectors" / "feishu_signatures.json").read_text())["signatures"]


async def code_of(robot: FeishuEmulator, body: bytes) -> int:
    transport = loopback_egress().transport(connections=1)
    shape = RequestShape(Target.of(robot.endpoint), "POST", (("Content-Type", "application/json"),))
    answer = await transport.exchange(shape.request(b"/open-apis/bot/v2/hook/" + robot.token.encode(), body), 5.0)
    await transport.aclose()
    code: int = json.loads(answer.body)["code"]
    return code


def text(value: str, **more: str) -> bytes:
    return json.dumps({"msg_type": "text", "content": {"text": value}} | more, ensure_ascii=False).encode()


@pytest.mark.parametrize("known", SIGNATURES)
async def test_published_signatures_pass_for_an_hour_either_way(known: dict[str, str]) -> None:
    clock = HandClock()
    body = text("x", timestamp=known["timestamp"], sign=known["sign"])
    async with FeishuEmulator(clock, secret=known["secret"]) as robot:
        for seconds, expected in [(0, 0), (3600, 0), (3601, 19021), (-3600, 0), (-3601, 19021)]:
            clock.now = (int(known["timestamp"]) + seconds) * 1000
            assert await code_of(robot, body) == expected
        clock.now = int(known["timestamp"]) * 1000
        assert await code_of(robot, text("x", timestamp=known["timestamp"], sign=known["sign"][:-2] + "A=")) == 19021
        assert await code_of(robot, text("x")) == 19021


async def test_size_shape_and_rate_are_checked() -> None:
    clock = HandClock()
    async with FeishuEmulator(clock) as robot:
        frame = len(text(""))
        assert await code_of(robot, text("a" * (BODY_LIMIT_BYTES - frame))) == 0
        assert await code_of(robot, text("a" * (BODY_LIMIT_BYTES - frame + 1))) == 9499
        assert await code_of(robot, b"not json") == 9499
        assert await code_of(robot, b'{"msg_type":"none"}') == 19002
        for _ in range(4):
            assert await code_of(robot, text("x")) == 0
        assert await code_of(robot, text("x")) == 11232
        clock.now += 1_000
        for _ in range(95):
            clock.now += 500
            assert await code_of(robot, text("x")) == 0
        clock.now += 500
        assert await code_of(robot, text("x")) == 11232
