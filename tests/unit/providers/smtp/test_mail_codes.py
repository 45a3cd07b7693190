"""The table of replies, row by row: stage, reply, what it means."""

import pytest

from postroad.providers.smtp.codes import Stage, classify
from postroad.providers.smtp.replies import Reply
from postroad.vocabulary.outcomes import Category

C, S = Category, Stage

TABLE = [
    (S.GREETING, 421, "too busy", C.TEMPORARY_REMOTE),
    (S.DATA, 421, "4.3.2 shutting down", C.TEMPORARY_REMOTE),
    (S.GREETING, 554, "no service", C.AUTHORIZATION),
    (S.RCPT, 450, "4.2.1 mailbox busy", C.TEMPORARY_REMOTE),
    (S.RCPT, 450, "mailbox busy", C.TEMPORARY_REMOTE),
    (S.RCPT, 451, "4.7.1 greylisted, try again later", C.TEMPORARY_REMOTE),
    (S.DOT, 451, "4.3.0 error in processing", C.TEMPORARY_REMOTE),
    (S.RCPT, 452, "4.5.3 too many recipients", C.TEMPORARY_REMOTE),
    (S.RCPT, 452, "4.2.2 mailbox over quota", C.TEMPORARY_REMOTE),
    (S.MAIL, 452, "4.3.1 no storage", C.TEMPORARY_REMOTE),
    (S.AUTH, 454, "4.7.0 temporary authentication failure", C.TEMPORARY_REMOTE),
    (S.STARTTLS, 454, "4.7.0 TLS not available now", C.TEMPORARY_REMOTE),
    (S.AUTH, 535, "5.7.8 bad credentials", C.AUTHENTICATION),
    (S.MAIL, 530, "5.7.0 authentication required", C.AUTHENTICATION),
    (S.AUTH, 538, "5.7.11 encryption required", C.AUTHENTICATION),
    (S.AUTH, 534, "5.7.9 mechanism too weak", C.AUTHENTICATION),
    (S.AUTH, 432, "4.7.12 password transition needed", C.AUTHENTICATION),
    (S.AUTH, 504, "5.5.4 unknown mechanism", C.AUTHENTICATION),
    *[(S.RCPT, 550, f"5.1.{detail} no such user", C.RECIPIENT_INVALID) for detail in (1, 2, 3, 6, 10)],
    (S.RCPT, 553, "5.1.3 bad syntax", C.RECIPIENT_INVALID),
    (S.RCPT, 550, "5.2.1 mailbox disabled", C.RECIPIENT_INVALID),
    (S.DOT, 552, "5.2.2 mailbox full", C.RECIPIENT_INVALID),
    (S.RCPT, 550, "no such user here", C.RECIPIENT_INVALID),
    (S.RCPT, 551, "user not local", C.RECIPIENT_INVALID),
    (S.RCPT, 556, "5.1.10 domain has null MX", C.RECIPIENT_INVALID),
    (S.DOT, 552, "5.3.4 message too big", C.INVALID_REQUEST),
    (S.DOT, 552, "message size exceeds fixed limit", C.INVALID_REQUEST),
    (S.RCPT, 550, "5.7.1 rejected by policy", C.PERMANENT_REMOTE),
    *[(S.DOT, 550, f"5.7.{detail} checks failed", C.PERMANENT_REMOTE) for detail in (20, 23, 26)],
    (S.DOT, 554, "5.7.1 spam", C.PERMANENT_REMOTE),
    (S.DOT, 554, "transaction failed", C.PERMANENT_REMOTE),
    (S.MAIL, 500, "5.5.2 syntax error", C.INVALID_REQUEST),
    (S.RCPT, 501, "bad parameter", C.INVALID_REQUEST),
    (S.MAIL, 503, "5.5.1 bad sequence", C.INVALID_REQUEST),
    (S.MAIL, 555, "parameters not recognised", C.INVALID_REQUEST),
    (S.RCPT, 550, "5.1.8 sender domain does not exist", C.INVALID_REQUEST),
    (S.MAIL, 550, "5.1.7 bad sender address", C.INVALID_REQUEST),
    (S.MAIL, 550, "5.1.1 no such sender", C.INVALID_REQUEST),
    (S.MAIL, 550, "5.7.1 you may not send as this address", C.AUTHORIZATION),
    (S.MAIL, 553, "sender address rejected", C.AUTHORIZATION),
    (S.DOT, 559, "something else", C.PERMANENT_REMOTE),
    (S.DOT, 499, "something else", C.TEMPORARY_REMOTE),
]


@pytest.mark.parametrize(("stage", "code", "text", "category"), TABLE)
def test_a_reply_means_its_category(stage: Stage, code: int, text: str, category: Category) -> None:
    assert classify(Reply(code, (text,)), stage).category is category


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (451, "4.7.1 Daily limit of messages reached"),
        (451, "4.7.0 You exceeded your limit of 500 mails per day"),
        (454, "Throttling failure: Daily message quota exceeded."),
        (550, "5.4.5 Daily user sending limit exceeded"),
        (550, "5.1.90 Your message can't be sent because you've reached your limit for recipients"),
        (554, "5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException"),
    ],
)
def test_a_used_up_day_is_a_quota_whatever_its_code(code: int, text: str) -> None:
    found = classify(Reply(code, (text,)), Stage.MAIL)
    assert (found.category, found.quota) == (Category.RATE_LIMITED, True)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (421, "4.7.0 Too many connections, slow down"),
        (450, "4.7.1 Error: too many messages from you"),
        (451, "4.7.1 rate limit exceeded"),
        (454, "Throttling failure: Maximum sending rate exceeded."),
        (421, "4.7.28 our system detected an unusual rate of mail"),
        (450, "4.7.1 Error: too much mail from 192.0.2.7"),
        (450, "4.7.1 Error: too many recipients from 192.0.2.7"),
        (454, "4.7.0 Error: too many new TLS sessions from 192.0.2.7"),
    ],
)
def test_a_sender_that_is_too_fast_waits_as_a_whole(code: int, text: str) -> None:
    found = classify(Reply(code, (text,)), Stage.RCPT)
    assert (found.category, found.quota, found.wait) == (Category.RATE_LIMITED, False, True)


def test_a_full_mailbox_is_not_the_senders_quota() -> None:
    found = classify(Reply(452, ("4.2.2 The recipient is over its daily quota",)), Stage.RCPT)
    assert found.category is Category.TEMPORARY_REMOTE


def test_an_enhanced_code_of_another_class_is_ignored() -> None:
    assert Reply(450, ("5.1.1 odd",)).enhanced == ""


def test_a_summary_holds_no_local_part_and_one_line() -> None:
    shown = Reply(550, ("5.1.1 <bob.smith@example.com>: unknown\tuser", "see\x07 page " + "x" * 300)).redacted
    assert "bob" not in shown
    assert "***@example.com" in shown
    assert shown.isprintable()
    assert len(shown) <= 200


@pytest.mark.parametrize(
    ("text", "queue_id"),
    [
        ("2.0.0 Ok: queued as 4B1C2D", "4B1C2D"),
        ("2.0.0 OK id=1tGxyz-000-AB", "1tGxyz-000-AB"),
        ("2.6.0 <x@y> Queued mail for delivery", ""),
        ("ok", ""),
    ],
)
def test_the_servers_own_id_is_found(text: str, queue_id: str) -> None:
    assert Reply(250, (text,)).queue_id == queue_id
