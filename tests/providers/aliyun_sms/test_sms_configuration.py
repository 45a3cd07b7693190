"""What an account and a message may say, and what is refused before anything is sent."""

from typing import Any

import pytest
from tests.builders.provider_context import HandClock, config, open_context

from postroad.egress import Egress, Target
from postroad.providers.aliyun_sms import AliyunSmsProvider
from postroad.providers.aliyun_sms.config import read_account
from postroad.spi import Price, capabilities_of, price_of
from postroad.vocabulary.errors import SecretMissing, TemplateInvalid

ACCOUNT = {"accessKeyId": "testId", "accessKeySecret": {"$secret": "key"}}
MESSAGE = {
    "phone": "{{ phone }}",
    "signName": "邮路",
    "templateCode": "SMS_1",
    "templateParam": {"code": "{{ code }}"},
    "previewText": "您的验证码为${code}。",
}
provider = AliyunSmsProvider(Egress())


def problems(message: dict[str, Any]) -> dict[str, str]:
    found = provider.validate_message(config(ACCOUNT), config(message))
    return {problem.field: problem.message for problem in found}


def test_a_complete_configuration_has_no_problem() -> None:
    assert provider.validate_account(config({**ACCOUNT, "pricePerPart": 0.045, "currency": "CNY"})) == []
    assert problems(MESSAGE) == {}


def test_a_secret_written_in_the_clear_is_refused_and_not_repeated() -> None:
    found = provider.validate_account(config({**ACCOUNT, "accessKeySecret": "canary-9"}))
    assert [problem.field for problem in found] == ["accessKeySecret"]
    assert "canary-9" not in repr(found)


def test_a_place_of_the_vendors_text_without_a_variable_is_found_before_the_run() -> None:
    text = {**MESSAGE, "previewText": "您的验证码为${code}，${minutes}分钟内有效，${code}。"}
    assert list(problems(text)) == ["templateParam.minutes"]
    with pytest.raises(TemplateInvalid) as caught:
        provider.compile(config(ACCOUNT), config(text))
    assert caught.value.field == "templateParam.minutes"


def test_variables_are_texts() -> None:
    assert list(problems({**MESSAGE, "templateParam": {"code": 1234}})) == ["templateParam.code"]


def test_a_broken_template_is_a_problem_with_a_field() -> None:
    assert list(problems({**MESSAGE, "templateParam": {"code": "{{ code"}})) == ["templateParam.code"]
    assert list(problems({**MESSAGE, "signName": "{{ sign"})) == ["signName"]


def test_batches_are_used_only_where_the_message_asks_for_them() -> None:
    def size(message: dict[str, Any]) -> int:
        return capabilities_of(provider, config(ACCOUNT), config(message)).batch_size

    assert size(MESSAGE) == 1
    assert size({**MESSAGE, "batch": True}) == 100


def test_the_price_of_a_run_is_the_accounts() -> None:
    assert price_of(provider, config(ACCOUNT)) is None
    assert price_of(provider, config({**ACCOUNT, "pricePerPart": 0.045})) == Price(0.045, "CNY")


def test_only_a_stand_in_asks_the_operators_leave() -> None:
    assert provider.endpoints(config(ACCOUNT), config(MESSAGE)) == ()
    inside = config({**ACCOUNT, "endpoint": "http://127.0.0.1:8080"})
    assert provider.endpoints(inside, config(MESSAGE)) == ("127.0.0.1:8080",)
    found = provider.validate_account(config({**ACCOUNT, "endpoint": "https://dysmsapi.aliyuncs.com.evil.example"}))
    assert [problem.field for problem in found] == ["endpoint"]


def test_without_a_stand_in_the_vendors_host_is_asked_over_tls() -> None:
    target = read_account(config(ACCOUNT)).target
    assert target == Target("https", "dysmsapi.aliyuncs.com", 443, "dysmsapi.aliyuncs.com")


async def test_a_missing_secret_is_said_by_name() -> None:
    with pytest.raises(SecretMissing, match="key"):
        await provider.open(open_context(ACCOUNT, MESSAGE, {}, HandClock()))
