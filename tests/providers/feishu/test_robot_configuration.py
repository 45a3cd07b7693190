"""What an account and a message may say, and what is refused before anything is sent."""

from typing import Any

import pytest
from tests.builders.provider_context import HandClock, config, open_context

from postroad.egress import Egress, Target
from postroad.providers.feishu import FeishuProvider
from postroad.providers.feishu.config import find_robot, read_account
from postroad.vocabulary.errors import ConfigInvalid, SecretMissing, TemplateInvalid
from postroad.vocabulary.secret import Secret

ACCOUNT = {"webhook": {"$secret": "hook"}}
TEXT = {"type": "text", "text": "Hello {{ name }}"}
provider = FeishuProvider(Egress())


def problems(message: dict[str, Any], account: dict[str, Any] = ACCOUNT) -> dict[str, str]:
    found = provider.validate_message(config(account), config(message))
    return {problem.field: problem.message for problem in found}


def test_a_complete_configuration_has_no_problem() -> None:
    assert provider.validate_account(config({**ACCOUNT, "signSecret": {"$secret": "sign"}})) == []
    assert problems(TEXT) == {}


def test_a_webhook_written_in_the_clear_is_refused_and_not_repeated() -> None:
    written = "https://open.feishu.cn/open-apis/bot/v2/hook/canary-7"
    found = provider.validate_account(config({"webhook": written}))
    assert [problem.field for problem in found] == ["webhook"]
    assert "canary-7" not in repr(found)
    assert "$secret" in found[0].message


@pytest.mark.parametrize(
    "message",
    [
        {"type": "post", "post": {"zh_cn": {"title": "t", "content": [[{"tag": "text", "text": "{{ name }}"}]]}}},
        {"type": "interactive", "card": {"elements": [{"tag": "div", "text": {"tag": "lark_md", "content": "x"}}]}},
        {"type": "image", "imageKey": "img_1"},
        {"type": "share_chat", "shareChatId": "oc_1"},
        {"type": "raw", "body": {"msg_type": "text", "content": {"text": "x"}}},
    ],
)
def test_every_kind_of_message_is_known(message: dict[str, Any]) -> None:
    assert problems(message) == {}


def test_the_field_of_the_type_must_be_there_and_no_other() -> None:
    assert problems({"type": "text"}) == {"text": "a message of type 'text' needs this field"}
    assert set(problems({**TEXT, "imageKey": "img_1"})) == {"imageKey"}
    with pytest.raises(TemplateInvalid):
        provider.compile(config(ACCOUNT), config({"type": "image"}))


def test_a_whole_body_may_not_bring_its_own_signature() -> None:
    assert "body.sign" in problems({"type": "raw", "body": {"msg_type": "text", "sign": "x"}})


def test_a_rich_text_of_the_wrong_shape_is_found_before_the_run() -> None:
    assert "post.zh_cn.content[0]" in problems({"type": "post", "post": {"zh_cn": {"content": [{"tag": "text"}]}}})


def test_a_broken_template_is_a_problem_with_a_field() -> None:
    assert list(problems({"type": "text", "text": "Hello {{ name"})) == ["text"]
    card = {"elements": [{"content": "{{ name"}]}
    assert list(problems({"type": "interactive", "card": card})) == ["card.elements[0].content"]


def test_only_a_stand_in_asks_the_operators_leave() -> None:
    assert provider.endpoints(config(ACCOUNT), config(TEXT)) == ()
    inside = {**ACCOUNT, "endpoint": "http://127.0.0.1:8080"}
    assert provider.endpoints(config(inside), config(TEXT)) == ("127.0.0.1:8080",)


def test_a_public_endpoint_is_refused() -> None:
    found = provider.validate_account(config({**ACCOUNT, "endpoint": "https://collector.example"}))
    assert [problem.field for problem in found] == ["endpoint"]


@pytest.mark.parametrize(
    "address",
    [
        "https://open.feishu.cn.evil.example/open-apis/bot/v2/hook/canary-7",
        "https://evil.example/open-apis/bot/v2/hook/canary-7",
        "https://open.feishu.cn@evil.example/open-apis/bot/v2/hook/canary-7",
        "http://open.feishu.cn/open-apis/bot/v2/hook/canary-7",
        "https://open.feishu.cn:444/open-apis/bot/v2/hook/canary-7",
        "https://open.feishu.cn/open-apis/bot/v2/hook/../../canary-7",
        "https://open.feishu.cn/open-apis/bot/v2/hook/canary-7?x=1",
        "https://open.feishu.cn/open-apis/bot/v2/hook/",
        "canary-7",
    ],
)
async def test_a_secret_that_is_no_robots_address_stops_the_start_without_a_word_of_it(address: str) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        await provider.open(open_context(ACCOUNT, TEXT, {"hook": address}, HandClock()))
    assert caught.value.field == "webhook"
    assert "canary" not in caught.value.message


async def test_lark_and_a_line_end_after_the_address_are_fine() -> None:
    secrets = {"hook": "https://open.larksuite.com/open-apis/bot/v2/hook/aB_9-z\n"}
    session = await provider.open(open_context(ACCOUNT, TEXT, secrets, HandClock()))
    await session.aclose()
    await session.aclose()


def test_without_a_stand_in_the_vendors_host_is_asked_over_tls() -> None:
    address = "https://open.larksuite.com/open-apis/bot/v2/hook/aB_9-z"
    robot = find_robot(read_account(config(ACCOUNT)), Secret(address))
    assert robot.target == Target("https", "open.larksuite.com", 443, "open.larksuite.com")
    assert "aB_9-z" not in repr(robot)


async def test_a_missing_secret_is_said_by_name() -> None:
    with pytest.raises(SecretMissing, match="hook"):
        await provider.open(open_context(ACCOUNT, TEXT, {}, HandClock()))


def test_the_descriptor_states_the_robots_limits() -> None:
    limits = [(limit.scope.value, limit.rate.count, limit.rate.per_s) for limit in provider.descriptor.limits]
    assert limits == [("account", 5, 1.0), ("account", 100, 60.0)]
    assert not provider.descriptor.capabilities.idempotency
