"""From what happened in the dialogue to what the engine is told: the only place where a verdict is made.

Before the final dot a failure is NOT_SENT and free to be tried again; after it, silence is IN_DOUBT. What the server
answered is REFUSED, also at the dot: it said itself that it does not keep the mail.
"""

from collections.abc import Sequence

from postroad.egress import Fault
from postroad.providers.smtp.codes import classify
from postroad.providers.smtp.config import Account
from postroad.providers.smtp.dialogue import Lost, Refused, Unusable
from postroad.providers.smtp.mail.attachments import FileUnusable
from postroad.providers.smtp.replies import Reply, redacted
from postroad.spi import SendResult, Verdict
from postroad.vocabulary.errors import EgressDenied, InvalidInput
from postroad.vocabulary.outcomes import Category

QUOTA_WAIT_S = 3600.0
Failure = Refused | Lost | Unusable | FileUnusable | EgressDenied | InvalidInput
FAILURES = (Refused, Lost, Unusable, FileUnusable, EgressDenied, InvalidInput)


def accepted(reply: Reply, message_id: str, refused_copies: Sequence[tuple[str, Reply]]) -> SendResult:
    """A refused copy does not undo what the recipient got; it is said in code and summary."""
    result = SendResult(
        Verdict.ACCEPTED, code=reply.label, request_id=reply.queue_id or message_id, summary=reply.redacted
    )
    if refused_copies:
        labels = ", ".join(sorted({copy.label for _, copy in refused_copies}))
        result.code = "PARTIAL"
        result.summary = redacted(
            f"accepted, but {len(refused_copies)} of the copies refused ({labels}); {reply.redacted}"
        )
    return result


def failed(failure: Failure, *, committed: bool, account: Account) -> SendResult:
    """`committed` says whether the final dot was handed over."""
    if isinstance(failure, Refused):
        return _refused(failure, account)
    if isinstance(failure, Lost):
        return _lost(failure, committed)
    if isinstance(failure, Unusable):
        verdict = Verdict.NOT_SENT if failure.category is Category.CANCELLED else Verdict.REFUSED
        summary, stop = redacted(failure.summary), failure.stop_run
        return SendResult(verdict, failure.category, failure.code, False, summary=summary, stop_run=stop)
    if isinstance(failure, FileUnusable):
        summary = redacted(str(failure))
        return SendResult(Verdict.REFUSED, Category.RECIPIENT_INVALID, "ATTACHMENT", False, summary=summary)
    code, summary = failure.code, redacted(failure.message)
    return SendResult(Verdict.REFUSED, Category.INVALID_REQUEST, code, False, summary=summary, stop_run=True)


def _refused(failure: Refused, account: Account) -> SendResult:
    reply = failure.reply
    finding = classify(reply, failure.stage)
    result = SendResult(Verdict.REFUSED, finding.category, reply.label, finding.retry)
    result.summary = redacted(f"{reply.redacted} (at {failure.stage})")
    result.stop_run = finding.stop_run
    if finding.wait:
        result.retry_after_s = account.deferred_retry_s
    if finding.quota:
        result.retry_after_s = QUOTA_WAIT_S
        result.stop_run = not account.waits_for_quota
        result.summary = redacted(f"daily quota used up: {reply.redacted}")
    return result


def _lost(failure: Lost, committed: bool) -> SendResult:
    code, timed_out = f"{failure.fault}", failure.fault is Fault.TIMEOUT
    summary = redacted(f"{failure.detail} (at {failure.stage})")
    if not committed:
        category = Category.TIMEOUT if timed_out and failure.stage != "connect" else Category.NETWORK
        return SendResult(Verdict.NOT_SENT, category, code, True, summary=summary)
    category = Category.TIMEOUT if timed_out else Category.NETWORK
    if failure.fault is Fault.PROTOCOL:
        category = Category.UNKNOWN
    return SendResult(Verdict.IN_DOUBT, category, code, summary=summary, may_have_left=True)
