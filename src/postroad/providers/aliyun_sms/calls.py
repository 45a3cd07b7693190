"""The three calls we make, as signed requests. Each has a fresh nonce and the time it is made at.

As the vendor's own clients do it: parameters go in the query, and the body is empty; only the arrays of a batch, which
may be long, go as a form.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import orjson

from postroad.egress import Target, WireRequest
from postroad.providerkit.signers import acs3
from postroad.providerkit.signers.percent import sorted_query
from postroad.providers.aliyun_sms.message import Sms
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.secret import Secret

VERSION = "2017-05-25"
OUT_ID_CHARACTERS = 64
_BEIJING = timedelta(hours=8)
_NOBODY = "13000000000"


@dataclass(frozen=True, slots=True)
class Credentials:
    access_key_id: str
    key_secret: Secret
    security_token: Secret | None


class Calls:
    def __init__(self, target: Target, credentials: Credentials, clock: Clock, new_nonce: Callable[[], str]) -> None:
        self._target = target
        self._credentials = credentials
        self._clock = clock
        self._new_nonce = new_nonce

    def send_sms(self, message: Sms, template_code: str, out_id: str, extend_code: str = "") -> WireRequest:
        query = {
            "PhoneNumbers": message.phone,
            "SignName": message.sign_name,
            "TemplateCode": template_code,
            "OutId": out_id_of(out_id),
        }
        if message.params != b"{}":
            query["TemplateParam"] = message.params.decode()
        if extend_code:
            query["SmsUpExtendCode"] = extend_code
        return self._signed("SendSms", query)

    def send_batch(
        self, messages: Sequence[Sms], template_code: str, out_id: str, extend_code: str = ""
    ) -> WireRequest:
        form = {
            "PhoneNumberJson": _array(message.phone for message in messages),
            "SignNameJson": _array(message.sign_name for message in messages),
            "TemplateParamJson": "[" + ",".join(message.params.decode() for message in messages) + "]",
        }
        if extend_code:
            form["SmsUpExtendCodeJson"] = _array(extend_code for _ in messages)
        query = {"TemplateCode": template_code, "OutId": out_id_of(out_id)}
        return self._signed("SendBatchSms", query, urlencode(form).encode())

    def query_nothing(self) -> WireRequest:
        """Asks for today's messages to a number nobody has: proves key and signature, sends nothing."""
        today = datetime.fromtimestamp(self._clock.now_ms() / 1000, UTC) + _BEIJING
        query = {"PhoneNumber": _NOBODY, "SendDate": f"{today:%Y%m%d}", "PageSize": "1", "CurrentPage": "1"}
        return self._signed("QuerySendDetails", query)

    def _signed(self, action: str, query: Mapping[str, str], form: bytes = b"") -> WireRequest:
        now = datetime.fromtimestamp(self._clock.now_ms() // 1000, UTC)
        headers = {
            "host": self._target.authority,
            "x-acs-action": action,
            "x-acs-content-sha256": hashlib.sha256(form).hexdigest(),
            "x-acs-date": f"{now:%Y-%m-%dT%H:%M:%SZ}",
            "x-acs-signature-nonce": self._new_nonce(),
            "x-acs-version": VERSION,
        }
        if form:
            headers["content-type"] = "application/x-www-form-urlencoded"
        if self._credentials.security_token is not None:
            headers["x-acs-security-token"] = self._credentials.security_token.reveal()
        canonical = acs3.canonical_request("POST", "/", query, headers, form)
        credentials = self._credentials
        word = acs3.authorization(canonical, headers, credentials.access_key_id, credentials.key_secret)
        del headers["host"]
        lines = [*headers.items(), ("authorization", word), ("accept", "application/json")]
        return WireRequest.build(self._target, "POST", "/?" + sorted_query(query), lines, form)


def out_id_of(key: str) -> str:
    """The key as the vendor's correlation id: itself, or its hash where it is too long for the field."""
    return key if len(key) <= OUT_ID_CHARACTERS else hashlib.sha256(key.encode()).hexdigest()


def _array(values: Iterable[str]) -> str:
    return orjson.dumps(list(values)).decode()
