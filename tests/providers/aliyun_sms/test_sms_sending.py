"""Against an emulator that checks signature, clock, nonce, parameters and limits with its own code."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.builders.aliyun_emulator import AliyunEmulator
from tests.builders.provider_context import HandClock, config, loopback_egress, open_context, send_request
from tests.builders.vendor_server import Trouble

from postroad.providers.aliyun_sms import AliyunSmsProvider
from postroad.providers.aliyun_sms.session import SmsSession
from postroad.spi import SendRequest, SendResult, Verdict
from postroad.vocabulary.outcomes import Category

MESSAGE: dict[str, Any] = {
    "phone": "{{ phone }}",
    "signName": "{{ sign }}",
    "templateCode": "SMS_1",
    "templateParam": {"n": "{{ n }}"},
}
AWKWARD = "O'Brien <b>&\"\n *~+ 王 😀"


class Sender:
    """One open session on an emulator; `clock` is ours, the emulator has its own. Nonces count up."""

    def __init__(
        self,
        emulator: AliyunEmulator,
        clock: HandClock,
        *,
        secret: str = "testSecret",
        account: dict[str, Any] | None = None,
        message: dict[str, Any] | None = None,
    ) -> None:
        self.nonces = 0
        self.provider = AliyunSmsProvider(loopback_egress(), self._nonce)
        base = {"accessKeyId": "testId", "accessKeySecret": {"$secret": "key"}, "endpoint": emulator.endpoint}
        full = base | (account or {})
        text = MESSAGE | (message or {})
        self.context = open_context(full, text, {"key": secret, "sts": "sts-canary"}, clock)
        self.renderer = self.provider.compile(config(full), config(text))
        self.session: SmsSession

    def _nonce(self) -> str:
        self.nonces += 1
        return f"nonce-{self.nonces}"

    async def __aenter__(self) -> "Sender":
        self.session = await self.provider.open(self.context)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.aclose()

    def request(self, phone: str = "13800138000", sequence: int = 0, **fields: str) -> SendRequest:
        row = {"n": "x", "sign": "邮路"} | fields
        return send_request(self.renderer, sequence, phone=phone, **row)

    async def send(self, phone: str = "13800138000", **fields: str) -> SendResult:
        return await self.session.send(self.request(phone, **fields))


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
async def vendor(clock: HandClock) -> AsyncIterator[AliyunEmulator]:
    async with AliyunEmulator(clock) as emulator:
        yield emulator


async def test_a_message_is_taken_with_its_variables_and_our_id(vendor: AliyunEmulator, clock: HandClock) -> None:
    async with Sender(vendor, clock) as sender:
        result = await sender.session.send(sender.request("+86 138-0013-8000", 7, n=AWKWARD))
    assert (result.verdict, result.code) == (Verdict.ACCEPTED, "OK")
    assert result.request_id == "900600000001^0"
    (taken,) = vendor.accepted
    assert json.loads(taken.pop("TemplateParam")) == {"n": AWKWARD}
    assert taken == {"PhoneNumber": "13800138000", "SignName": "邮路", "TemplateCode": "SMS_1", "OutId": "item-7"}


async def test_a_template_without_variables_sends_none(vendor: AliyunEmulator, clock: HandClock) -> None:
    async with Sender(vendor, clock, message={"templateParam": {}, "smsUpExtendCode": "90999"}) as sender:
        assert (await sender.send()).verdict is Verdict.ACCEPTED


async def test_a_number_abroad_keeps_its_country_code(vendor: AliyunEmulator, clock: HandClock) -> None:
    async with Sender(vendor, clock) as sender:
        assert (await sender.send("+852 6123 4567")).verdict is Verdict.ACCEPTED
    assert vendor.accepted[0]["PhoneNumber"] == "85261234567"


async def test_regression_each_attempt_has_its_own_nonce_and_time(vendor: AliyunEmulator, clock: HandClock) -> None:
    async with Sender(vendor, clock) as sender:
        request = sender.request()
        for _ in range(3):
            assert (await sender.session.send(request)).verdict is Verdict.ACCEPTED
            clock.now += 3_600_000
    assert len(set(vendor.authorizations)) == 3


async def test_a_temporary_key_signs_its_token_too(vendor: AliyunEmulator, clock: HandClock) -> None:
    async with Sender(vendor, clock, account={"securityToken": {"$secret": "sts"}}) as sender:
        assert (await sender.send()).verdict is Verdict.ACCEPTED
    assert "x-acs-security-token" in vendor.authorizations[0]


async def test_regression_a_wrong_clock_is_named_with_its_size(vendor: AliyunEmulator, clock: HandClock) -> None:
    async with Sender(vendor, HandClock(clock.now - 61 * 60_000)) as sender:
        result = await sender.send()
    assert (result.category, result.code) == (Category.AUTHENTICATION, "InvalidTimeStamp.Expired")
    assert "off by 61 min (behind" in result.summary


async def test_a_wrong_secret_stops_the_run(vendor: AliyunEmulator, clock: HandClock) -> None:
    async with Sender(vendor, clock, secret="other") as sender:
        result = await sender.send()
    assert (result.verdict, result.category) == (Verdict.REFUSED, Category.AUTHENTICATION)
    assert result.code == "SignatureDoesNotMatch"
    assert vendor.accepted == []


@pytest.mark.parametrize(
    ("said", "retry", "wait_s"),
    [
        ("触发分钟级流控Permits:1", True, 60.0),
        ("触发小时级流控Permits:5", True, 3600.0),
        ("触发天级流控Permits:10", False, None),
        ("something new", False, None),
    ],
)
async def test_a_limit_of_one_number_slows_that_number_only(
    vendor: AliyunEmulator, clock: HandClock, said: str, retry: bool, wait_s: float | None
) -> None:
    vendor.codes["13800138000"] = ("isv.BUSINESS_LIMIT_CONTROL", said)
    async with Sender(vendor, clock) as sender:
        result = await sender.send("+8613800138000")
        assert (await sender.send("13800138001")).verdict is Verdict.ACCEPTED
    assert (result.verdict, result.category) == (Verdict.REFUSED, Category.RATE_LIMITED)
    assert (result.retry, result.retry_after_s) == (retry, wait_s)
    assert result.slow_keys == ("recipient:13800138000",)
    assert not result.stop_run


@pytest.mark.parametrize(
    ("code", "category", "stops"),
    [
        ("isv.DAY_LIMIT_CONTROL", Category.RATE_LIMITED, True),
        ("isv.MONTH_LIMIT_CONTROL", Category.RATE_LIMITED, True),
        ("isv.OUT_OF_SERVICE", Category.AUTHORIZATION, True),
        ("isv.AMOUNT_NOT_ENOUGH", Category.AUTHORIZATION, True),
        ("isp.RAM_PERMISSION_DENY", Category.AUTHORIZATION, False),
        ("isv.ACCOUNT_NOT_EXISTS", Category.AUTHENTICATION, False),
        ("InvalidSecurityToken.Expired", Category.AUTHENTICATION, False),
        ("isv.SMS_CONTENT_ILLEGAL", Category.INVALID_REQUEST, False),
        ("isv.BLACK_KEY_CONTROL_LIMIT", Category.RECIPIENT_INVALID, False),
        ("isv.NEVER_HEARD_OF", Category.PERMANENT_REMOTE, False),
    ],
)
async def test_a_definite_no_is_never_tried_again(
    vendor: AliyunEmulator, clock: HandClock, code: str, category: Category, stops: bool
) -> None:
    vendor.account_code = (code, "no")
    async with Sender(vendor, clock) as sender:
        result = await sender.send()
    assert (result.verdict, result.category, result.code) == (Verdict.REFUSED, category, code)
    assert (result.retry, result.stop_run) == (False, stops)


async def test_throttling_slows_the_account_and_is_tried_again(vendor: AliyunEmulator, clock: HandClock) -> None:
    vendor.account_code = ("Throttling.User", "Request was denied due to user flow control.")
    async with Sender(vendor, clock) as sender:
        result = await sender.send()
    assert (result.category, result.retry, result.slow_keys) == (Category.RATE_LIMITED, True, ())


BUSY = [
    Trouble(200, b'{"Code":"isp.SYSTEM_ERROR","Message":"x"}', after_taking=True),
    Trouble(503, b'{"Code":"ServiceUnavailable","Message":"x"}', after_taking=True),
    Trouble(500, b'{"Code":"InternalError","Message":"x"}'),
    Trouble(502, b"<html></html>"),
]
NO_ANSWER = [
    Trouble(drop=True, after_taking=True),
    Trouble(200, b"<html></html>"),
    Trouble(200, b""),
    Trouble(200, b"[]"),
    Trouble(200, b'{"Code":0}'),
    Trouble(400, b'{"Code":"OK"}'),
    Trouble(400, b'{"Code":"SignatureNonceUsed","Message":"x"}'),
    Trouble(200, b'{"Code":"isp.GATEWAY_ERROR","Message":"x"}'),
]


@pytest.mark.parametrize("trouble", [*BUSY, *NO_ANSWER])
async def test_what_does_not_say_whether_it_was_taken_is_doubt(
    vendor: AliyunEmulator, clock: HandClock, trouble: Trouble
) -> None:
    vendor.troubles.append(trouble)
    async with Sender(vendor, clock) as sender:
        result = await sender.send()
    assert result.verdict is Verdict.IN_DOUBT
    assert result.retry is not True


@pytest.mark.parametrize("trouble", BUSY)
async def test_an_operator_may_have_busy_answers_tried_again_and_they_count_as_maybe_doubled(
    vendor: AliyunEmulator, clock: HandClock, trouble: Trouble
) -> None:
    vendor.troubles.append(trouble)
    async with Sender(vendor, clock, account={"retryWhenBusy": True}) as sender:
        result = await sender.send()
    assert (result.verdict, result.category) == (Verdict.REFUSED, Category.TEMPORARY_REMOTE)
    assert (result.retry, result.may_have_left) == (True, True)


@pytest.mark.parametrize("trouble", NO_ANSWER)
async def test_silence_stays_doubt_whatever_the_operator_says(
    vendor: AliyunEmulator, clock: HandClock, trouble: Trouble
) -> None:
    vendor.troubles.append(trouble)
    async with Sender(vendor, clock, account={"retryWhenBusy": True}) as sender:
        assert (await sender.send()).verdict is Verdict.IN_DOUBT


async def test_nobody_listening_is_certainly_not_sent(clock: HandClock) -> None:
    async with AliyunEmulator(clock) as vendor:
        sender = Sender(vendor, clock)
    async with sender:
        result = await sender.send()
    assert (result.verdict, result.category, result.retry) == (Verdict.NOT_SENT, Category.NETWORK, True)


async def test_regression_a_batch_is_matched_by_index_and_has_a_result_each(
    vendor: AliyunEmulator, clock: HandClock
) -> None:
    vendor.signs = ("邮路", "乙方")
    async with Sender(vendor, clock, message={"batch": True, "smsUpExtendCode": "1"}) as sender:
        requests = [
            sender.request(f"138001380{index:02}", index, n=f"{AWKWARD}{index}", sign=vendor.signs[index % 2])
            for index in range(100)
        ]
        results = await sender.session.send_batch(requests)
    assert [result.verdict for result in results] == [Verdict.ACCEPTED] * 100
    assert vendor.calls == {"SendBatchSms": 1}
    for index, taken in enumerate(vendor.accepted):
        assert taken["PhoneNumber"] == f"138001380{index:02}"
        assert json.loads(taken["TemplateParam"]) == {"n": f"{AWKWARD}{index}"}
        assert taken["SignName"] == vendor.signs[index % 2]
        assert taken["OutId"] == "item-0"


async def test_one_bad_number_refuses_the_batch_and_is_not_held_against_the_others(
    vendor: AliyunEmulator, clock: HandClock
) -> None:
    vendor.codes["13800138001"] = ("isv.MOBILE_NUMBER_ILLEGAL", "13800138001 invalid")
    async with Sender(vendor, clock, message={"batch": True}) as sender:
        requests = [sender.request(f"1380013800{index}", index) for index in range(3)]
        results = await sender.session.send_batch(requests)
    assert [result.category for result in results] == [Category.INVALID_REQUEST] * 3
    assert vendor.accepted == []
    assert "13800138001" not in repr(results)


async def test_a_lost_answer_puts_every_item_of_the_batch_in_doubt(vendor: AliyunEmulator, clock: HandClock) -> None:
    vendor.troubles.append(Trouble(drop=True, after_taking=True))
    async with Sender(vendor, clock, message={"batch": True}) as sender:
        results = await sender.session.send_batch([sender.request(f"1380013800{index}", index) for index in range(3)])
    assert [result.verdict for result in results] == [Verdict.IN_DOUBT] * 3
    assert results[0] is not results[1]


async def test_a_limited_number_in_a_batch_slows_each_number_by_its_own_key(
    vendor: AliyunEmulator, clock: HandClock
) -> None:
    vendor.codes["13800138001"] = ("isv.BUSINESS_LIMIT_CONTROL", "触发分钟级流控Permits:1")
    async with Sender(vendor, clock, message={"batch": True}) as sender:
        results = await sender.session.send_batch([sender.request(f"1380013800{index}", index) for index in range(2)])
    assert [result.slow_keys for result in results] == [("recipient:13800138000",), ("recipient:13800138001",)]


async def test_without_batching_each_number_has_its_own_call(vendor: AliyunEmulator, clock: HandClock) -> None:
    vendor.codes["13800138001"] = ("isv.MOBILE_NUMBER_ILLEGAL", "x")
    async with Sender(vendor, clock) as sender:
        results = await sender.session.send_batch([sender.request(f"1380013800{index}", index) for index in range(3)])
    assert [result.category for result in results] == [None, Category.RECIPIENT_INVALID, None]
    assert vendor.calls == {"SendSms": 3}


async def test_a_long_key_of_an_item_still_fits_the_vendors_field(vendor: AliyunEmulator, clock: HandClock) -> None:
    async with Sender(vendor, clock) as sender:
        request = sender.request()
        request.idempotency_key = "k" * 300
        await sender.session.send(request)
    assert len(vendor.accepted[0]["OutId"]) == 64


async def test_a_key_repeated_by_the_vendor_is_masked(vendor: AliyunEmulator, clock: HandClock) -> None:
    said = {"Code": "bad testSecret", "Message": "x" * 190 + "testSecret", "RequestId": "testSecret"}
    vendor.troubles.append(Trouble(400, json.dumps(said).encode()))
    async with Sender(vendor, clock) as sender:
        result = await sender.send()
    assert "testSec" not in repr(result)


async def test_a_check_proves_the_key_and_sends_nothing(vendor: AliyunEmulator, clock: HandClock) -> None:
    good, bad = Sender(vendor, clock), Sender(vendor, clock, secret="other")
    report = await good.provider.check_connection(good.context)
    assert report.ok
    report = await bad.provider.check_connection(bad.context)
    assert (report.ok, report.category) == (False, "AUTHENTICATION")
    assert vendor.calls == {"QuerySendDetails": 1}
    assert vendor.accepted == []


@pytest.mark.parametrize("expired", [-16, 16])
async def test_the_emulator_refuses_a_time_off_by_more_than_15_minutes_either_way(
    vendor: AliyunEmulator, clock: HandClock, expired: int
) -> None:
    async with Sender(vendor, HandClock(clock.now + expired * 60_000)) as sender:
        assert (await sender.send()).code == "InvalidTimeStamp.Expired"


async def test_the_emulator_refuses_a_nonce_it_has_seen(vendor: AliyunEmulator, clock: HandClock) -> None:
    async with Sender(vendor, clock) as sender:
        await sender.send()
        sender.nonces = 0
        result = await sender.send()
    assert (result.code, result.verdict) == ("SignatureNonceUsed", Verdict.IN_DOUBT)
    assert len(vendor.accepted) == 1
