import json

from benchmarks.loads.aiohttp_loop import body_of
from benchmarks.recipe import BODY

from postroad.providers.http.config import parse_account, parse_message
from postroad.providers.http.rendering import HttpRenderer
from postroad.spi import Recipient

ROW = {"email": "user7@example7.com", "name": "张三7", "city": "上海", "amount": "7.07", "note": 'say "hello", 您好'}


def test_both_contenders_send_the_same_message() -> None:
    account = parse_account({"baseUrl": "http://127.0.0.1:9"})
    renderer = HttpRenderer(account, parse_message(account, {"path": "/send", "bodyTemplate": BODY}))

    preview = renderer.preview(renderer.render(Recipient(0, dict(ROW))))

    assert json.loads(preview.parts["body"]) == json.loads(body_of(ROW))
