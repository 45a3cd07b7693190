"""What a mail server's no means: reply code and stage of the dialogue → our category.

Servers say 550 for everything, so the enhanced code (RFC 3463) speaks before the basic one. The stage matters too: a
refused MAIL is about the sender, and the recipient is innocent. Texts are read only for what has no code of its own: a
used-up daily quota and a sender that is too fast. Sources: RFC 5321 §4.2, RFC 3463, RFC 4954 §6, RFC 7372, and the
replies of large providers.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from postroad.providers.smtp.replies import Reply
from postroad.vocabulary.outcomes import Category


class Stage(StrEnum):
    """Where in the dialogue a reply or a failure came."""

    CONNECT = "connect"
    GREETING = "greeting"
    EHLO = "EHLO"
    STARTTLS = "STARTTLS"
    AUTH = "AUTH"
    RSET = "RSET"
    MAIL = "MAIL"
    RCPT = "RCPT"
    DATA = "DATA"
    BODY = "body"
    DOT = "dot"


@dataclass(frozen=True, slots=True)
class Finding:
    category: Category
    retry: bool | None = None
    wait: bool = False
    """Come back in minutes, not in seconds. RATE_LIMITED: everybody waits."""
    quota: bool = False
    """The sender's allowance for the day is used up: no other recipient would fare better."""
    stop_run: bool = False


_TEMPORARY = Finding(Category.TEMPORARY_REMOTE)
_DEFERRED = Finding(Category.TEMPORARY_REMOTE, wait=True)
_TOO_FAST = Finding(Category.RATE_LIMITED, wait=True)
_QUOTA = Finding(Category.RATE_LIMITED, wait=True, quota=True)
_WRONG_LOGIN = Finding(Category.AUTHENTICATION)
_NOT_ALLOWED = Finding(Category.AUTHORIZATION)
_WRONG_REQUEST = Finding(Category.INVALID_REQUEST)
_WRONG_RECIPIENT = Finding(Category.RECIPIENT_INVALID)
_REFUSED = Finding(Category.PERMANENT_REMOTE)
_NO_TLS = Finding(Category.INVALID_REQUEST, stop_run=True)

LOGIN_CODES = frozenset({432, 530, 534, 535, 538})
"""About who we are, at whatever stage they come (RFC 4954 §6)."""

ENHANCED: dict[str, Finding] = {
    "5.1.7": _WRONG_REQUEST,
    "5.1.8": _WRONG_REQUEST,
    "5.2.3": _WRONG_REQUEST,
    "5.3.4": _WRONG_REQUEST,
    "5.7.8": _WRONG_LOGIN,
    "4.2.1": _DEFERRED,
    "4.2.2": _DEFERRED,
    "4.7.1": _DEFERRED,
}
"""Exact codes. A family below covers the rest."""

FAMILIES: dict[str, Finding] = {
    "5.1": _WRONG_RECIPIENT,
    "5.2": _WRONG_RECIPIENT,
    "5.4": _REFUSED,
    "5.5": _WRONG_REQUEST,
    "5.6": _WRONG_REQUEST,
    "5.7": _REFUSED,
}
"""Policy (5.7) stays with its recipient: one mailbox's filter must not end a run. A run where all fail shows it."""

BASIC: dict[int, Finding] = {
    450: _DEFERRED,
    451: _DEFERRED,
    452: _TEMPORARY,
    523: _WRONG_REQUEST,
    555: _WRONG_REQUEST,
    556: _WRONG_RECIPIENT,
} | dict.fromkeys(range(500, 505), _WRONG_REQUEST)

BASIC_AT_RCPT: dict[int, Finding] = {550: _WRONG_RECIPIENT, 551: _WRONG_RECIPIENT, 553: _WRONG_RECIPIENT}

SENDER: dict[str, Finding] = {"5.1": _WRONG_REQUEST, "5.7": _NOT_ALLOWED}
"""Families of a refused MAIL: the address is wrong, or we may not use it."""

SENDER_BASIC: dict[int, Finding] = {550: _NOT_ALLOWED, 551: _NOT_ALLOWED, 553: _NOT_ALLOWED, 554: _NOT_ALLOWED}

_DAY, _ALLOWANCE = r"(daily|per day|24[- ]?h)", r"(limit|quota|exceed|maximum)"
_QUOTA_WORDS = re.compile(rf"{_DAY}.{{0,60}}{_ALLOWANCE}|{_ALLOWANCE}.{{0,60}}{_DAY}|SubmissionQuotaExceeded", re.I)
_QUOTA_CODES = frozenset({"5.4.5", "5.1.90"})
"""Gmail: daily sending limit. Exchange Online: daily limit for message recipients."""
_FAST_WORDS = re.compile(
    r"rate[- ]?limit|sending rate|rate exceeded|throttl|too (fast|quickly|frequent\w*)|slow down|too much mail"
    r"|too many (messages|mails|emails|connections|(new )?(TLS )?sessions|requests|recipients? (this|per|in|from))",
    re.I,
)
_FAST_CODES = frozenset({"4.7.28", "4.7.32"})
_SIZE_WORDS = re.compile(r"\b(size|large|big|too long)\b", re.I)


def classify(reply: Reply, stage: Stage) -> Finding:
    """What `reply` (400 or above) at `stage` means."""
    return _of_sender_limits(reply) or _of_stage(reply, stage) or _of_code(reply, stage)


def _of_sender_limits(reply: Reply) -> Finding | None:
    about_one_mailbox = reply.enhanced.startswith(("4.2.", "5.2.", "4.1.")) and "Submission" not in reply.text
    if reply.enhanced in _QUOTA_CODES:
        return _QUOTA
    if about_one_mailbox:
        return None
    if _QUOTA_WORDS.search(reply.text):
        return _QUOTA
    if reply.code < 500 and (reply.enhanced in _FAST_CODES or _FAST_WORDS.search(reply.text)):
        return _TOO_FAST
    return None


def _of_stage(reply: Reply, stage: Stage) -> Finding | None:
    permanent = reply.code >= 500
    if reply.code in LOGIN_CODES:
        return _WRONG_LOGIN
    if stage is Stage.STARTTLS:
        return _NO_TLS if permanent else _TEMPORARY
    if stage is Stage.AUTH:
        return _WRONG_LOGIN if permanent else _TEMPORARY
    if stage is Stage.GREETING and permanent:
        return _NOT_ALLOWED
    if stage is Stage.MAIL and permanent:
        by_family = SENDER.get(_family(reply))
        return by_family or (SENDER_BASIC.get(reply.code) if not reply.enhanced else None)
    return None


def _of_code(reply: Reply, stage: Stage) -> Finding:
    if reply.code == 421:
        return _TEMPORARY
    if found := ENHANCED.get(reply.enhanced) or FAMILIES.get(_family(reply)):
        return found
    if reply.code == 552 and not reply.enhanced and _SIZE_WORDS.search(reply.text):
        return _WRONG_REQUEST
    if stage is Stage.RCPT and not reply.enhanced and reply.code in BASIC_AT_RCPT:
        return BASIC_AT_RCPT[reply.code]
    if found := BASIC.get(reply.code):
        return found
    return _TEMPORARY if reply.code < 500 else _REFUSED


def _family(reply: Reply) -> str:
    return reply.enhanced.rpartition(".")[0]
