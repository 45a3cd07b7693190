"""One answer of a robot, read into one result. HTTP 200 says nothing; the field `code` decides."""

from collections.abc import Sequence

import orjson

from postroad.egress import Answer
from postroad.providerkit.answers import fault, http_status, short, unreadable, vendor_status
from postroad.providerkit.clock_skew import clock_advice
from postroad.providerkit.masking import masked
from postroad.providerkit.retry_after import seconds
from postroad.providers.feishu.codes import ADVICE, CODES, OK, SIGNATURE_REFUSED, TOO_MANY_CALLS
from postroad.spi import SendResult
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.secret import Secret


def read_answer(answer: Answer, now_ms: int, hidden: Sequence[Secret]) -> SendResult:
    """Silence, a 5xx or a body that is not Feishu's after sending is doubt.

    `now_ms` is our clock at the answer; what is `hidden` is masked in the vendor's words.
    """
    known = fault(answer) or vendor_status(answer)
    if known is not None:
        return known
    code, said = _code_of(answer.body, hidden)
    if answer.status == 429:
        return _slowed(TOO_MANY_CALLS.result(_named(code, answer.status), said), answer, now_ms)
    if code is None and 300 <= answer.status < 500:
        return http_status(answer.status).result(f"HTTP_{answer.status}", "refused before it came to the robot")
    if code is None or (code == OK and answer.status >= 300):
        return unreadable(answer.status)
    name = str(code)
    advice = ADVICE.get(name, "")
    if name == SIGNATURE_REFUSED:
        advice = clock_advice(answer.header("date") or "", now_ms) or advice
    result = CODES[name].result(name, advice or said, short(masked(answer.header("x-tt-logid") or "", hidden)))
    return _slowed(result, answer, now_ms) if result.category is Category.RATE_LIMITED else result


def _code_of(body: bytes, hidden: Sequence[Secret]) -> tuple[int | None, str]:
    """The code and the vendor's words; no code where the body is not an object with a whole number there."""
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None, ""
    if not isinstance(content, dict) or type(content.get("code")) is not int:
        return None, ""
    return content["code"], masked(str(content.get("msg", "")), hidden)


def _slowed(result: SendResult, answer: Answer, now_ms: int) -> SendResult:
    """Takes the wait the vendor names, where it does. Source: vendor page on frequency control."""
    named = answer.header("x-ogw-ratelimit-reset") or answer.header("retry-after")
    wait = seconds(named, now_ms) if named else None
    if wait is not None:
        result.retry_after_s = max(wait, 1.0)
    return result


def _named(code: int | None, status: int) -> str:
    return f"HTTP_{status}" if code is None or code == OK else str(code)
