"""What an HTTP status means, and when a request counts as a success.

The table is `providerkit.answers.HTTP_STATUS` (spec wepush §16.4), with this channel's additions: a redirect is final
(none is followed), a success status whose value in the answer is another one is PERMANENT_REMOTE, and one whose answer
cannot be read for that value is doubt. A service that keeps idempotency keys may be asked again after a timeout.
"""

import json

import orjson

from postroad.egress import Answer
from postroad.providerkit import answers, jsonpath, retry_after
from postroad.providers.http.auth import Auth
from postroad.providers.http.config import Account, Condition, Message
from postroad.spi import SendResult, Verdict
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.outcomes import Category

_SUMMARIES = {
    401: "the service does not accept the credentials",
    403: "the service does not allow this account to send",
    404: "there is nothing at this path",
    408: "the service gave up waiting",
    413: "the body is too large for the service",
    429: "the service asks to slow down",
    504: "a gateway gave up waiting for the service",
}
_SHOWN_TEXT = 40


class Judge:
    """Turns one answer into one result for one run."""

    def __init__(self, account: Account, message: Message, auth: Auth, clock: Clock) -> None:
        self._condition: Condition = message.condition
        self._saved_bytes = message.saved_bytes
        self._auth = auth
        self._clock = clock
        self._request_id_header = account.request_id_header
        self._is_idempotent = bool(account.idempotency_header)
        is_plain = message.condition.path is None and not message.saved_bytes and not account.request_id_header
        statuses = [status for status in range(200, 500) if message.condition.takes(status)] if is_plain else []
        self.good = {status: f"HTTP_{status}" for status in statuses}
        """The statuses that need no second look, with their codes; empty where more than the status counts."""

    def judge(self, answer: Answer) -> SendResult:
        result = self._decide(answer)
        if self._is_idempotent and result.verdict is Verdict.IN_DOUBT:
            result.retry = True
        if self._saved_bytes and answer.status:
            result.body = self._captured(answer)
        if self._request_id_header and answer.status:
            found = answer.header(self._request_id_header) or ""
            result.request_id = answers.short(self._auth.redact(found.encode()).decode())
        return result

    def _decide(self, answer: Answer) -> SendResult:
        status = answer.status
        if status == 0:
            return answers.fault(answer) or answers.unreadable(0)
        if not self._condition.takes(status):
            return self._refusal(answer)
        if self._condition.path is None:
            return SendResult(Verdict.ACCEPTED, code=f"HTTP_{status}")
        if answer.fault is not None:
            return answers.fault(answer) or answers.unreadable(status)
        return self._by_value(answer, self._condition.path)

    def _by_value(self, answer: Answer, path: jsonpath.JsonPath) -> SendResult:
        code = f"HTTP_{answer.status}"
        try:
            value = path.find(orjson.loads(answer.body))
        except orjson.JSONDecodeError:
            reason = "longer than can be read" if answer.truncated else "not JSON"
            doubt = answers.Ruling(Category.UNKNOWN, in_doubt=True)
            return doubt.result(code, f"the answer is {reason}, so {path.source} is not known")
        if _is_same(value, self._condition.equals):
            return SendResult(Verdict.ACCEPTED, code=code)
        refusal = answers.Ruling(Category.PERMANENT_REMOTE, retry=False)
        return refusal.result(code, f"{path.source} is {self._shown(value)}")

    def _refusal(self, answer: Answer) -> SendResult:
        status = answer.status
        ruling = answers.http_status(status)
        summary = _SUMMARIES.get(status, "")
        if 300 <= status < 400:
            summary = "a redirect, which is never followed; write the final address into baseUrl"
        result = ruling.result(f"HTTP_{status}", f"HTTP {status}" + (f": {summary}" if summary else ""))
        if ruling.retry and (wait := answer.header("retry-after")) is not None:
            result.retry_after_s = retry_after.seconds(wait, self._clock.now_ms())
        return result

    def _captured(self, answer: Answer) -> bytes:
        kept = self._auth.redact(answer.body, is_cut=answer.truncated)
        if len(kept) <= self._saved_bytes and not answer.truncated:
            return kept
        return kept[: self._saved_bytes] + f"\n[truncated after {self._saved_bytes} bytes]".encode()

    def _shown(self, value: object) -> str:
        """The value found, as short as a summary needs; never one of our secrets."""
        if value is jsonpath.ABSENT:
            return "not there"
        if isinstance(value, dict | list):
            return "not a single value"
        shown = self._auth.redact(json.dumps(value, ensure_ascii=False).encode()).decode()
        return shown if len(shown) <= _SHOWN_TEXT else shown[:_SHOWN_TEXT] + "…"


def _is_same(found: object, wanted: object) -> bool:
    """Equality as JSON has it: `true` is not 1, but 1 is 1.0."""
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    return found == wanted
