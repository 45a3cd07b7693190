"""From a row to the bytes that would be sent."""

import json
from typing import Any

import pytest
from tests.builders.provider_context import config

from postroad.egress import Egress
from postroad.providers.feishu import FeishuProvider
from postroad.providers.feishu.message import BODY_LIMIT_BYTES, signed
from postroad.spi import Recipient, Renderer, RenderError

provider = FeishuProvider(Egress())
AWKWARD = "O'Brien <b>&\"\n"


def renderer(message: dict[str, Any], *, is_signed: bool = False) -> Renderer:
    account: dict[str, Any] = {"webhook": {"$secret": "hook"}}
    if is_signed:
        account["signSecret"] = {"$secret": "sign"}
    return provider.compile(config(account), config(message))


def body(made: Renderer, **fields: str) -> Any:
    content = made.render(Recipient(0, dict(fields))).content
    assert isinstance(content, bytes)
    return json.loads(content)


def test_regression_an_awkward_name_arrives_as_it_is_in_every_kind() -> None:
    assert body(renderer({"type": "text", "text": "Hi {{ n }}"}), n=AWKWARD) == {
        "msg_type": "text",
        "content": {"text": "Hi " + AWKWARD},
    }
    post = {"zh_cn": {"title": "{{ n }}", "content": [[{"tag": "a", "text": "{{ n }}", "href": "https://x.example"}]]}}
    assert body(renderer({"type": "post", "post": post}), n=AWKWARD)["content"]["post"]["zh_cn"]["title"] == AWKWARD
    card = {"header": {"title": {"tag": "plain_text", "content": "{{ n }}"}}}
    assert body(renderer({"type": "interactive", "card": card}), n=AWKWARD) == {
        "msg_type": "interactive",
        "card": {"header": {"title": {"tag": "plain_text", "content": AWKWARD}}},
    }


def test_image_group_and_whole_body_have_the_vendors_shapes() -> None:
    assert body(renderer({"type": "image", "imageKey": "{{ k }}"}), k="img_1")["content"] == {"image_key": "img_1"}
    shared = renderer({"type": "share_chat", "shareChatId": "oc_1"})
    assert body(shared)["content"] == {"share_chat_id": "oc_1"}
    assert body(renderer({"type": "raw", "body": {"msg_type": "x", "y": "{{ n }}"}}), n="z") == {
        "msg_type": "x",
        "y": "z",
    }


def test_text_goes_as_utf8_without_escapes() -> None:
    content = renderer({"type": "text", "text": "你好 {{ n }} 😀"}).render(Recipient(0, {"n": "王"})).content
    assert "你好 王 😀".encode() in content  # type: ignore[operator]


def test_the_signature_stands_in_front_and_the_body_stays_json() -> None:
    made = json.loads(signed(b'{"msg_type":"text","content":{"text":"x"}}', 1_599_360_473, "c2lnbg=="))
    assert made == {
        "timestamp": "1599360473",
        "sign": "c2lnbg==",
        "msg_type": "text",
        "content": {"text": "x"},
    }


@pytest.mark.parametrize("is_signed", [False, True])
def test_regression_a_message_above_20_kb_is_refused_at_the_byte_and_never_cut(is_signed: bool) -> None:
    made = renderer({"type": "text", "text": "{{ t }}"}, is_signed=is_signed)
    frame = len(b'{"msg_type":"text","content":{"text":""}}')
    signature = len(signed(b"{}", 1_700_000_000, "x" * 44)) - len(b"{}") if is_signed else 0
    room = BODY_LIMIT_BYTES - frame - signature
    fits, rest = "中" * (room // 3), "a" * (room % 3)
    assert made.render(Recipient(0, {"t": fits + rest})).size_bytes == BODY_LIMIT_BYTES - signature
    with pytest.raises(RenderError, match="bytes") as caught:
        made.render(Recipient(0, {"t": fits + rest + "a"}))
    assert caught.value.field == "t"


@pytest.mark.parametrize("value", ['<at user_id="all"></at>', "x <AT id=all>", "<at"])
def test_a_value_of_a_row_never_mentions_anybody(value: str) -> None:
    made = renderer({"type": "text", "text": "Hi {{ n }}"})
    with pytest.raises(RenderError) as caught:
        made.render(Recipient(0, {"n": value, "unused": value}))
    assert caught.value.field == "n"


def test_a_mention_put_together_from_values_or_read_by_column_name_is_refused_too() -> None:
    made = renderer({"type": "text", "text": "{{ a }}{{ b }}"})
    with pytest.raises(RenderError):
        made.render(Recipient(0, {"a": "<", "b": "at id=all>"}))
    made = renderer({"type": "text", "text": 'Hi {{ fields["First name"] }}'})
    with pytest.raises(RenderError) as caught:
        made.render(Recipient(0, {"First name": "<at id=all>"}))
    assert caught.value.field == "First name"


def test_a_mention_inside_a_loop_is_the_authors() -> None:
    text = '{% for id in ids | split(",") %}<at user_id="{{ id }}"></at>{% endfor %}'
    assert body(renderer({"type": "text", "text": text}), ids="a,b")["content"]["text"].count("<at") == 2


def test_the_author_may_mention_by_a_column() -> None:
    made = renderer({"type": "text", "text": '<at user_id="{{ id }}">{{ n }}</at> hi'})
    assert body(made, id="ou_1", n="Ann")["content"]["text"] == '<at user_id="ou_1">Ann</at> hi'


def test_a_missing_field_is_named() -> None:
    with pytest.raises(RenderError, match=r"^text: ") as caught:
        renderer({"type": "text", "text": "Hi {{ n }}"}).render(Recipient(0, {}))
    assert caught.value.field == "n"


def test_a_preview_reads_as_the_group_will_see_it() -> None:
    made = renderer({"type": "text", "text": "Hi {{ n }}"})
    seen = made.preview(made.render(Recipient(0, {"n": "Ann"})))
    assert seen.headline == "Feishu robot at the address in secret 'hook'"
    assert seen.parts == {"type": "text", "body": "Hi Ann"}
    card = renderer({"type": "interactive", "card": {"a": "{{ n }}"}})
    assert '"a": "王"' in card.preview(card.render(Recipient(0, {"n": "王"}))).parts["body"]


def test_rendering_is_the_same_twice() -> None:
    made = renderer({"type": "text", "text": "Hi {{ n }}"})
    assert made.render(Recipient(0, {"n": "a"})) == made.render(Recipient(0, {"n": "a"}))
