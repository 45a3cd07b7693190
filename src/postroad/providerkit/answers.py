"""From what the transport saw to what became of the message.

Two things are known apart: what left our host (`Answer.sent`) and what the remote said. Nothing left: NOT_SENT, free to
try again. Something left and no answer came: IN_DOUBT. An answer came: the vendor's table of codes decides, as data.

There are two rules for an answered 5xx. The generic HTTP channel follows spec wepush §16.4 (`HTTP_STATUS`): 500, 502
and 503 are refusals, tried again, with the note that the message may have left. For chat and SMS vendors a 5xx says
nothing about the message: `vendor_status` makes it doubt.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from postroad.egress import Answer, Fault, Sent
from postroad.spi import SendResult, Verdict
from postroad.vocabulary.outcomes import Category

SUMMARY_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Ruling:
    """What one code of a remote means. `category` None is success; `in_doubt` is an answer that decides nothing."""

    category: Category | None
    retry: bool | None = None
    retry_after_s: float | None = None
    stop_run: bool = False
    in_doubt: bool = False
    may_have_left: bool = False

    def result(self, code: str, summary: str = "", request_id: str = "") -> SendResult:
        """The result of one attempt under this ruling; the caller adds `slow_keys` and `body`."""
        if self.category is None:
            return SendResult(Verdict.ACCEPTED, code=code, summary=short(summary), request_id=request_id)
        return SendResult(
            Verdict.IN_DOUBT if self.in_doubt else Verdict.REFUSED,
            self.category,
            code,
            self.retry,
            self.retry_after_s,
            request_id,
            short(summary),
            self.may_have_left or self.in_doubt,
            (),
            self.stop_run,
        )


class OutcomeTable:
    """Codes → rulings, as data. A key that ends in `*` is a prefix; exact codes win, then the longest prefix."""

    def __init__(self, rulings: Mapping[str, Ruling], otherwise: Ruling) -> None:
        self.rulings = dict(rulings)
        self.otherwise = otherwise
        prefixes = [(code[:-1], ruling) for code, ruling in rulings.items() if code.endswith("*")]
        self._prefixes = sorted(prefixes, key=lambda entry: len(entry[0]), reverse=True)

    def __getitem__(self, code: str) -> Ruling:
        exact = self.rulings.get(code)
        if exact is not None:
            return exact
        return next((ruling for prefix, ruling in self._prefixes if code.startswith(prefix)), self.otherwise)


_C = Category
_INVALID = Ruling(_C.INVALID_REQUEST, retry=False)
_PERMANENT = Ruling(_C.PERMANENT_REMOTE, retry=False)
_TEMPORARY = Ruling(_C.TEMPORARY_REMOTE, retry=True, may_have_left=True)
_TIMEOUT = Ruling(_C.TIMEOUT, retry=False, in_doubt=True)

HTTP_STATUS: dict[int, Ruling] = {
    400: _INVALID,
    401: Ruling(_C.AUTHENTICATION, retry=False),
    403: Ruling(_C.AUTHORIZATION, retry=False),
    404: _PERMANENT,
    405: _INVALID,
    406: _INVALID,
    408: _TIMEOUT,
    410: _PERMANENT,
    413: _INVALID,
    415: _INVALID,
    422: _INVALID,
    429: Ruling(_C.RATE_LIMITED, retry=True),
    500: _TEMPORARY,
    502: _TEMPORARY,
    503: _TEMPORARY,
    504: _TIMEOUT,
}
"""Source: spec wepush §16.4. 408 and 504 say that somebody on the way gave up waiting: the message may be there."""


def http_status(status: int) -> Ruling:
    """The ruling for a status that is no success: 3xx and other 4xx are final, another 5xx is temporary."""
    return HTTP_STATUS.get(status) or (_TEMPORARY if status >= 500 else _PERMANENT)


def vendor_status(answer: Answer) -> SendResult | None:
    """For vendors whose body decides: doubt for 408 and 5xx, None where the body must be read."""
    if answer.status != 408 and answer.status < 500:
        return None
    category = Category.TIMEOUT if answer.status in (408, 504) else Category.UNKNOWN
    return Ruling(category, in_doubt=True).result(f"HTTP_{answer.status}", "the vendor's server failed after sending")


def fault(answer: Answer) -> SendResult | None:
    """The result of an exchange that brought no whole answer; None where `answer.fault` is None."""
    found = answer.fault
    if found is None:
        return None
    code, summary = str(found), short(answer.detail)
    if found is Fault.DENIED:
        return SendResult(Verdict.REFUSED, _C.INVALID_REQUEST, code, False, summary=summary, stop_run=True)
    if answer.sent is Sent.NOTHING:
        return SendResult(Verdict.NOT_SENT, _C.NETWORK, code, True, summary=summary)
    category = _C.TIMEOUT if found is Fault.TIMEOUT else _C.NETWORK
    return SendResult(Verdict.IN_DOUBT, category, code, summary=summary, may_have_left=True)


def unreadable(status: int) -> SendResult:
    """A vendor answered with something that is not its format: nobody knows what became of the message."""
    ruling = Ruling(Category.UNKNOWN, in_doubt=True)
    return ruling.result(f"HTTP_{status}", "the answer is not in the vendor's format")


def short(text: str) -> str:
    """One printable line of bounded length, for a summary."""
    line = "".join(character if character.isprintable() else " " for character in text[: 4 * SUMMARY_CHARACTERS])
    line = " ".join(line.split())
    return line if len(line) <= SUMMARY_CHARACTERS else line[: SUMMARY_CHARACTERS - 1] + "…"
