"""One answer of Aliyun, read into one result. HTTP 200 says nothing; the field `Code` decides."""

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from postroad.egress import Answer
from postroad.providerkit.answers import Ruling, fault, http_status, short, unreadable, vendor_status
from postroad.providerkit.clock_skew import clock_advice
from postroad.providerkit.masking import masked
from postroad.providers.aliyun_sms.codes import (
    BUSY_CODES,
    BUSY_TRIED_AGAIN,
    CLOCK_CODES,
    CODES,
    NUMBER_LIMIT,
    OK,
    number_limit,
)
from postroad.spi import SendResult
from postroad.vocabulary.secret import Secret


@dataclass(frozen=True, slots=True)
class Reply:
    code: str
    said: str
    request_id: str


def read_answer(answer: Answer, now_ms: int, hidden: Sequence[Secret], *, retry_when_busy: bool) -> SendResult:
    """Silence, a 5xx, a busy code or a body that is not Aliyun's after sending is doubt.

    `retry_when_busy` is the operator's word that 5xx and busy codes are tried again, at the risk of a second copy;
    silence stays doubt. What is `hidden` is masked in the vendor's words. The caller names the bucket that a limit of
    one number slows.
    """
    if (failed := fault(answer)) is not None:
        return failed
    reply = _reply(answer.body, hidden)
    if retry_when_busy and (answer.status >= 500 or (reply is not None and reply.code in BUSY_CODES)):
        code = reply.code if reply is not None else f"HTTP_{answer.status}"
        return BUSY_TRIED_AGAIN.result(code, "the vendor is busy", reply.request_id if reply is not None else "")
    if (doubt := vendor_status(answer)) is not None:
        return doubt
    if reply is None and 300 <= answer.status < 500:
        return http_status(answer.status).result(f"HTTP_{answer.status}", "refused before it came to the service")
    if reply is None or (reply.code == OK and answer.status >= 300):
        return unreadable(answer.status)
    advice = clock_advice(answer.header("date") or "", now_ms) if reply.code in CLOCK_CODES else ""
    return _ruling(reply).result(reply.code, advice or reply.said, reply.request_id)


def _ruling(reply: Reply) -> Ruling:
    return number_limit(reply.said) if reply.code == NUMBER_LIMIT else CODES[reply.code]


def _reply(body: bytes, hidden: Sequence[Secret]) -> Reply | None:
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(content, dict) or not isinstance(content.get("Code"), str) or not content["Code"]:
        return None
    identity = content.get("BizId") or content.get("RequestId") or ""
    said = (content["Code"], str(content.get("Message", "")), str(identity))
    return Reply(*(short(masked(text, hidden)) for text in said))
