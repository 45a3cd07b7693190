"""Whole runs through the engine: what the vendor took, and what the run says of each recipient, are the same."""

from collections.abc import Mapping
from typing import Any

from tests.builders.aliyun_emulator import AliyunEmulator
from tests.builders.provider_context import NamedSecrets, config, loopback_egress
from tests.builders.vendor_server import Trouble

from postroad.engine import Engine, ExecutionPolicies, RunSpec, RunSummary
from postroad.foundation.clock import SystemClock
from postroad.providers.aliyun_sms import AliyunSmsProvider
from postroad.spi import Rate, Recipient
from postroad.vocabulary.transitions import RunState

MESSAGE = {"phone": "{{ phone }}", "signName": "邮路", "templateCode": "SMS_1", "templateParam": {"n": "{{ n }}"}}
UNLIMITED = ExecutionPolicies(rates={"run": Rate(0, 1.0)})


def number(sequence: int) -> str:
    return f"138{sequence:08}"


async def run(vendor: AliyunEmulator, count: int, message: Mapping[str, Any]) -> RunSummary:
    account = {"accessKeyId": "testId", "accessKeySecret": {"$secret": "key"}, "endpoint": vendor.endpoint}
    spec = RunSpec("run-1", "aliyun_sms", config(account), config(MESSAGE | message), UNLIMITED, total=count)
    people = (Recipient(sequence, {"phone": number(sequence), "n": f"n{sequence}"}) for sequence in range(count))
    provider = AliyunSmsProvider(loopback_egress())
    engine = Engine([provider], secrets=NamedSecrets({"key": "testSecret"}))
    try:
        return await (await engine.start(spec, people)).completion()
    finally:
        await engine.aclose()


async def test_every_number_is_taken_once() -> None:
    async with AliyunEmulator(SystemClock()) as vendor:
        summary = await run(vendor, 150, {})
    assert (summary.state, summary.succeeded) == (RunState.SUCCEEDED, 150)
    assert sorted(taken["PhoneNumber"] for taken in vendor.accepted) == [number(sequence) for sequence in range(150)]
    assert len({taken["OutId"] for taken in vendor.accepted}) == 150


async def test_a_batched_run_makes_a_hundredth_of_the_calls() -> None:
    async with AliyunEmulator(SystemClock()) as vendor:
        summary = await run(vendor, 400, {"batch": True})
    assert summary.succeeded == 400
    assert sorted(taken["PhoneNumber"] for taken in vendor.accepted) == [number(sequence) for sequence in range(400)]
    assert vendor.calls["SendBatchSms"] < 10


async def test_a_batch_in_doubt_is_unknown_item_by_item_and_not_sent_again() -> None:
    async with AliyunEmulator(SystemClock()) as vendor:
        vendor.troubles.append(Trouble(drop=True, after_taking=True))
        summary = await run(vendor, 300, {"batch": True})
    assert summary.succeeded + summary.unknown == 300
    assert summary.unknown >= 1
    assert len(vendor.accepted) == 300


async def test_regression_one_limited_number_ends_alone_and_the_run_goes_on() -> None:
    async with AliyunEmulator(SystemClock()) as vendor:
        vendor.codes[number(3)] = ("isv.BUSINESS_LIMIT_CONTROL", "触发天级流控Permits:10")
        vendor.codes[number(5)] = ("isv.MOBILE_NUMBER_ILLEGAL", "no")
        summary = await run(vendor, 20, {})
    assert (summary.state, summary.succeeded, summary.failed) == (RunState.PARTIAL, 18, 2)


async def test_an_account_out_of_money_stops_the_run_and_says_who_got_nothing() -> None:
    async with AliyunEmulator(SystemClock()) as vendor:
        vendor.account_code = ("isv.AMOUNT_NOT_ENOUGH", "账户余额不足")
        summary = await run(vendor, 500, {})
    assert summary.state is RunState.FAILED
    assert summary.failed + summary.unsent == 500
    assert summary.unsent > 0
    assert vendor.accepted == []


async def test_busy_answers_leave_unknown_items_and_no_second_copy() -> None:
    async with AliyunEmulator(SystemClock()) as vendor:
        busy = Trouble(200, b'{"Code":"isp.SYSTEM_ERROR","Message":"x"}', after_taking=True)
        vendor.troubles.extend([busy, busy, busy])
        summary = await run(vendor, 10, {})
    assert (summary.state, summary.succeeded, summary.unknown) == (RunState.PARTIAL, 7, 3)
    assert len(vendor.accepted) == 10
