"""From a row to the variables that would be sent, the parts and the price."""

import json
from typing import Any

import pytest
from tests.builders.provider_context import config

from postroad.egress import Egress
from postroad.providers.aliyun_sms import AliyunSmsProvider
from postroad.providers.aliyun_sms.message import UNCOUNTED, Sms
from postroad.spi import Recipient, Rendered, Renderer, RenderError
from postroad.vocabulary.values import RecipientValue

provider = AliyunSmsProvider(Egress())
ACCOUNT = {"accessKeyId": "testId", "accessKeySecret": {"$secret": "key"}, "pricePerPart": 0.045}
MESSAGE: dict[str, Any] = {
    "phone": "{{ phone }}",
    "signName": "邮路",
    "templateCode": "SMS_1",
    "templateParam": {"n": "{{ n }}"},
}
COUNTED: dict[str, Any] = {**MESSAGE, "previewText": "${n}"}


def renderer(message: dict[str, Any]) -> Renderer:
    return provider.compile(config(ACCOUNT), config(message))


def rendered(message: dict[str, Any], **fields: RecipientValue) -> Rendered:
    return renderer(message).render(Recipient(0, {"phone": "13800138000", "n": "x", **fields}))


def sms(made: Rendered) -> Sms:
    assert isinstance(made.content, Sms)
    return made.content


def test_regression_an_awkward_name_is_sent_as_it_is() -> None:
    awkward = "O'Brien <b>&\"\n"
    assert json.loads(sms(rendered(MESSAGE, n=awkward)).params) == {"n": awkward}


@pytest.mark.parametrize(
    ("characters", "parts"),
    [(0, 1), (66, 1), (67, 2), (130, 2), (131, 3), (197, 3), (198, 4)],
)
def test_regression_parts_are_counted_with_the_signature_by_70_and_67(characters: int, parts: int) -> None:
    made = rendered(COUNTED, n="中" * characters)
    assert len(sms(made).shown) == characters + len("【邮路】")
    assert made.cost == parts
    assert made.warnings == ()


def test_latin_text_counts_by_70_too_because_the_brackets_are_not_gsm() -> None:
    assert rendered(COUNTED, n="a" * 66).cost == 1
    assert rendered(COUNTED, n="a" * 67).cost == 2


def test_regression_an_emoji_takes_two_and_is_not_cut_between_parts() -> None:
    assert rendered(COUNTED, n="中" * 64 + "😀").cost == 1
    assert rendered(COUNTED, n="中" * 65 + "😀").cost == 2
    assert rendered(COUNTED, n="中" * 62 + "😀" + "中" * 65).cost == 2
    assert rendered(COUNTED, n="中" * 62 + "😀" + "中" * 66).cost == 3


def test_without_the_vendors_text_one_part_is_assumed_and_said() -> None:
    made = rendered(MESSAGE, n="中" * 500)
    assert made.cost == 1
    assert made.warnings == (UNCOUNTED,)


def test_a_value_with_a_place_in_it_is_not_expanded_again() -> None:
    assert sms(rendered(COUNTED, n="${n}")).shown == "【邮路】${n}"


def test_a_signature_may_come_from_the_row() -> None:
    made = rendered({**MESSAGE, "signName": "{{ brand }}"}, brand="乙方")
    assert sms(made).sign_name == "乙方"
    assert made.keys == ("recipient:13800138000", "sender:乙方")


def test_regression_the_budget_of_a_number_is_the_same_however_it_is_written() -> None:
    assert rendered(MESSAGE, phone="+86 138 0013 8000").keys == rendered(MESSAGE, phone=13800138000).keys
    assert rendered(MESSAGE, phone=13800138000.0).keys[0] == "recipient:13800138000"


def test_a_bad_number_is_named_by_its_field_and_not_repeated() -> None:
    with pytest.raises(RenderError) as caught:
        rendered(MESSAGE, phone="4.479E+11")
    assert caught.value.field == "phone"
    assert "4.479" not in caught.value.message


def test_only_a_batched_message_may_share_a_call() -> None:
    assert rendered(MESSAGE).batch_key == ""
    assert rendered({**MESSAGE, "batch": True}).batch_key == "SMS_1"


def test_a_preview_shows_text_parts_and_price() -> None:
    made = renderer(COUNTED)
    seen = made.preview(made.render(Recipient(0, {"phone": "13800138000", "n": "中" * 70})))
    assert seen.headline == "SMS to 13800138000"
    assert seen.parts["text"] == "【邮路】" + "中" * 70
    assert (seen.parts["parts"], seen.parts["price"], seen.cost) == ("2", "0.0900 CNY", 2)


def test_a_preview_without_the_vendors_text_shows_the_variables() -> None:
    made = renderer(MESSAGE)
    seen = made.preview(made.render(Recipient(0, {"phone": "13800138000", "n": "王"})))
    assert seen.parts == {"signature": "邮路", "template": "SMS_1", "variables": '{"n":"王"}'}
    assert seen.warnings == (UNCOUNTED,)
