"""An Aliyun SMS endpoint that checks what it is sent: ACS3 signature, clock, nonce, parameters and limits per number.

Written from the vendor's signature page with its own canonical form; it shares nothing with the provider it judges.
Parameters are read from query and form body alike, as the vendor's RPC style does. It reads time from the clock it is
given. Source: vendor pages named in aliyun_sms/README.md.
"""

import hashlib
import hmac
import json
import re
from collections import Counter
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

from aiohttp import web

from postroad.vocabulary.clock import Clock
from tests.builders.vendor_server import VendorServer

UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")
SKEW_S = 15 * 60
NUMBER = re.compile(r"(?:\+86|0086|86)?(1[3-9]\d{9})|(?:00|\+)?(\d{7,15})")


def canonical_request(method: str, query: list[tuple[str, str]], headers: dict[str, str], signed: list[str]) -> str:
    """The text whose hash is signed; `headers` has lower-case names and holds the body's hash."""
    pairs = sorted((_encoded(name), _encoded(value)) for name, value in query)
    lines = "".join(f"{name}:{headers[name].strip()}\n" for name in signed)
    query_text = "&".join(f"{name}={value}" for name, value in pairs)
    return "\n".join([method, "/", query_text, lines, ";".join(signed), headers["x-acs-content-sha256"]])


def signature(secret: str, canonical: str) -> str:
    to_sign = "ACS3-HMAC-SHA256\n" + hashlib.sha256(canonical.encode()).hexdigest()
    return hmac.digest(secret.encode(), to_sign.encode(), "sha256").hex()


class AliyunEmulator(VendorServer):
    def __init__(
        self,
        clock: Clock,
        *,
        key_id: str = "testId",
        key_secret: str = "testSecret",
        signs: tuple[str, ...] = ("邮路",),
        templates: tuple[str, ...] = ("SMS_1",),
    ) -> None:
        super().__init__(clock)
        self.key_id = key_id
        self.key_secret = key_secret
        self.signs = signs
        self.templates = templates
        self.codes: dict[str, tuple[str, str]] = {}
        """Number → the code and message that a send to it is answered with."""
        self.account_code: tuple[str, str] | None = None
        self.accepted: list[dict[str, str]] = []
        """One entry per number taken: PhoneNumber, SignName, TemplateCode, TemplateParam, OutId."""
        self.calls: Counter[str] = Counter()
        self._nonces: set[str] = set()
        self.authorizations: list[str] = []

    async def answer(self, request: web.Request, body: bytes) -> tuple[int, bytes]:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.authorizations.append(headers.get("authorization", ""))
        query = parse_qsl(request.url.raw_query_string, keep_blank_values=True)
        refusal = self._refusal_at_the_gate(request.method, query, headers, body)
        if refusal:
            status, code, text = refusal
            return status, self._said(code, text, Recommend="https://api.aliyun.com/", HostId="dysmsapi.aliyuncs.com")
        values = dict(query)
        if headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            values |= dict(parse_qsl(body.decode(), keep_blank_values=True))
        action = headers["x-acs-action"]
        self.calls[action] += 1
        if self.account_code:
            return 200, self._said(*self.account_code)
        match action:
            case "SendSms":
                return self._send_one(values)
            case "SendBatchSms":
                return self._send_batch(values)
            case "QuerySendDetails":
                return 200, self._said("OK", "OK", TotalCount=0, SmsSendDetailDTOs={"SmsSendDetailDTO": []})
        return 404, self._said(
            "InvalidAction.NotFound", "Specified api is not found, please check your url and method."
        )

    def _refusal_at_the_gate(
        self, method: str, query: list[tuple[str, str]], headers: dict[str, str], body: bytes
    ) -> tuple[int, str, str] | None:
        found = re.fullmatch(
            r"ACS3-HMAC-SHA256 Credential=([^,]+),SignedHeaders=([^,]+),Signature=([0-9a-f]{64})",
            headers.get("authorization", ""),
        )
        if not found or headers.get("x-acs-version") != "2017-05-25":
            return 400, "MissingParameter", "The authorization is not of the form asked for."
        key_id, names, given = found.groups()
        if key_id != self.key_id:
            return 404, "InvalidAccessKeyId.NotFound", "Specified access key is not found."
        stamp = datetime.strptime(headers.get("x-acs-date", ""), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
        if abs(stamp.timestamp() - self.clock.now_ms() / 1000) > SKEW_S:
            return 400, "InvalidTimeStamp.Expired", "Specified time stamp or date value is expired."
        signed = names.split(";")
        must = {"host", *(name for name in headers if name.startswith("x-acs-"))}
        if body:
            must.add("content-type")
        is_whole = signed == sorted(signed) and must <= set(signed)
        if not is_whole or hashlib.sha256(body).hexdigest() != headers.get("x-acs-content-sha256"):
            return 400, "SignatureDoesNotMatch", "Specified signature is not matched with our calculation."
        if given != signature(self.key_secret, canonical_request(method, query, headers, signed)):
            return 400, "SignatureDoesNotMatch", "Specified signature is not matched with our calculation."
        nonce = headers.get("x-acs-signature-nonce", "")
        if not nonce or nonce in self._nonces:
            return 400, "SignatureNonceUsed", "Specified signature nonce was used already."
        self._nonces.add(nonce)
        return None

    def _send_one(self, values: dict[str, str]) -> tuple[int, bytes]:
        if not values.get("PhoneNumbers"):
            return 400, self._said("MissingPhoneNumbers", "PhoneNumbers is mandatory for this action.")
        numbers = values["PhoneNumbers"].split(",")
        names = [values.get("SignName", "")] * len(numbers)
        return 200, self._taken(values, numbers, names, [values.get("TemplateParam", "{}")] * len(numbers))

    def _send_batch(self, values: dict[str, str]) -> tuple[int, bytes]:
        numbers = json.loads(values.get("PhoneNumberJson", "[]"))
        names = json.loads(values.get("SignNameJson", "[]"))
        texts = json.loads(values.get("TemplateParamJson", "[]"))
        if not numbers or not len(numbers) == len(names) == len(texts):
            return 200, self._said("isv.INVALID_PARAMETERS", "参数异常")
        if len(numbers) > 100:
            return 200, self._said("isv.MOBILE_COUNT_OVER_LIMIT", "手机号码数量超过限制")
        return 200, self._taken(values, numbers, names, [json.dumps(text, ensure_ascii=False) for text in texts])

    def _taken(self, values: dict[str, str], numbers: list[str], names: list[str], texts: list[str]) -> bytes:
        """All or nothing, as the vendor does."""
        if values.get("TemplateCode") not in self.templates:
            return self._said("isv.SMS_TEMPLATE_ILLEGAL", "模板不合法(不存在或被拉黑)")
        rows = []
        for number, name, text in zip(numbers, names, texts, strict=True):
            found = NUMBER.fullmatch(number)
            if not found:
                return self._said("isv.MOBILE_NUMBER_ILLEGAL", f"{number}invalid mobile number")
            plain = found[1] or found[2]
            if name not in self.signs:
                return self._said("isv.SMS_SIGNATURE_ILLEGAL", "签名不合法(不存在或被拉黑)")
            if not isinstance(json.loads(text), dict):
                return self._said("isv.INVALID_JSON_PARAM", "JSON参数不合法,只接受字符串值")
            if plain in self.codes:
                return self._said(*self.codes[plain])
            row = {"PhoneNumber": plain, "SignName": name, "TemplateParam": text}
            rows.append(row | {"TemplateCode": values["TemplateCode"], "OutId": values.get("OutId", "")})
        self.accepted += rows
        return self._said("OK", "OK", BizId=f"9006{len(self.accepted):08d}^0")

    def _said(self, code: str, text: str, **more: Any) -> bytes:
        answer = {"Code": code, "Message": text, "RequestId": f"REQ-{self.requests}"} | more
        return json.dumps(answer, ensure_ascii=False).encode()


def _encoded(text: str) -> str:
    return "".join(chr(byte) if byte in UNRESERVED else f"%{byte:02X}" for byte in text.encode())
