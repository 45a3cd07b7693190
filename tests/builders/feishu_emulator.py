"""A Feishu custom robot that checks what it is sent: token, signature, clock, keywords, size and rate.

Written from the vendor's rules with its own hashing; it shares nothing with the provider it judges. It reads time
from the clock it is given. Source: vendor guide of the custom robot (feishu/README.md has the link).
"""

import base64
import hashlib
import json
from collections import deque
from typing import Any

from aiohttp import web

from postroad.vocabulary.clock import Clock
from tests.builders.vendor_server import VendorServer

BODY_LIMIT_BYTES = 20 * 1024
CONTENT_FIELD = {
    "text": ("content", "text"),
    "post": ("content", "post"),
    "image": ("content", "image_key"),
    "share_chat": ("content", "share_chat_id"),
}


class FeishuEmulator(VendorServer):
    def __init__(
        self,
        clock: Clock,
        *,
        token: str = "a1b2-C3",
        secret: str = "",
        keywords: tuple[str, ...] = (),
        ip_allowed: bool = True,
        per_second: int = 5,
        per_minute: int = 100,
    ) -> None:
        super().__init__(clock)
        self.token = token
        self.secret = secret
        self.keywords = keywords
        self.ip_allowed = ip_allowed
        self.per_second = per_second
        self.per_minute = per_minute
        self.accepted: list[dict[str, Any]] = []
        self.bodies: list[bytes] = []
        self._taken_at: deque[int] = deque(maxlen=per_minute)

    @property
    def webhook(self) -> str:
        return f"https://open.feishu.cn/open-apis/bot/v2/hook/{self.token}"

    async def answer(self, request: web.Request, body: bytes) -> tuple[int, bytes]:
        self.bodies.append(body)
        status, code, text = self._judge(request, body)
        data: dict[str, object] = {"code": code, "msg": text, "data": {}}
        if code == 0:
            data |= {"StatusCode": 0, "StatusMessage": "success", "Extra": None}
        return status, json.dumps(data).encode()

    def _judge(self, request: web.Request, body: bytes) -> tuple[int, int, str]:
        if request.method != "POST" or request.path != f"/open-apis/bot/v2/hook/{self.token}":
            return 400, 19001, "param invalid: incoming webhook access token invalid"
        if not self.ip_allowed:
            return 200, 19022, "Ip Not Allowed"
        message = self._parsed(request, body)
        if message is None:
            return 400, 9499, "Bad Request"
        if self.secret and not self._is_signed(message):
            return 200, 19021, "sign match fail or timestamp is not within one hour from current time"
        if not self._has_content(message):
            return 400, 19002, "params error, msg_type need"
        if self.keywords and not any(keyword in body.decode() for keyword in self.keywords):
            return 200, 19024, "Key Words Not Found"
        if self._is_too_fast():
            return 200, 11232, "frequency limited"
        self.accepted.append(message)
        return 200, 0, "success"

    def _parsed(self, request: web.Request, body: bytes) -> dict[str, Any] | None:
        if len(body) > BODY_LIMIT_BYTES or request.content_type != "application/json":
            return None
        try:
            message = json.loads(body)
        except ValueError:
            return None
        return message if isinstance(message, dict) else None

    def _is_signed(self, message: dict[str, Any]) -> bool:
        stamp, sign = message.get("timestamp"), message.get("sign")
        if not isinstance(stamp, str) or not stamp.isdecimal() or not isinstance(sign, str):
            return False
        if abs(self.clock.now_ms() / 1000 - int(stamp)) > 3600:
            return False
        return sign == base64.b64encode(_hmac_sha256(f"{stamp}\n{self.secret}".encode(), b"")).decode()

    def _has_content(self, message: dict[str, Any]) -> bool:
        kind = message.get("msg_type")
        if kind == "interactive":
            return isinstance(message.get("card"), dict)
        if kind not in CONTENT_FIELD:
            return False
        outer, inner = CONTENT_FIELD[kind]
        content = message.get(outer)
        return isinstance(content, dict) and bool(content.get(inner))

    def _is_too_fast(self) -> bool:
        now = self.clock.now_ms()
        if len(self._taken_at) == self.per_minute and now - self._taken_at[0] < 60_000:
            return True
        if sum(1 for taken in self._taken_at if now - taken < 1_000) >= self.per_second:
            return True
        self._taken_at.append(now)
        return False


def _hmac_sha256(key: bytes, message: bytes) -> bytes:
    """RFC 2104 written out, so that a wrong use of a library cannot agree with itself."""
    block = (hashlib.sha256(key).digest() if len(key) > 64 else key).ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in block) + message).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in block) + inner).digest()
