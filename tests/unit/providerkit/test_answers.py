"""From what left and what came back to a result."""

import pytest

from postroad.egress import Answer, Fault, Sent
from postroad.providerkit import answers
from postroad.providerkit.answers import OutcomeTable, Ruling
from postroad.spi import Verdict
from postroad.vocabulary.outcomes import Category

C = Category


@pytest.mark.parametrize("fault", [found for found in Fault if found is not Fault.DENIED])
def test_before_the_first_byte_every_fault_is_certain(fault: Fault) -> None:
    result = answers.fault(Answer.failed(fault, Sent.NOTHING, "closed"))
    assert result is not None
    assert (result.verdict, result.category, result.retry) == (Verdict.NOT_SENT, C.NETWORK, True)
    assert not result.may_have_left


@pytest.mark.parametrize("sent", [Sent.SOME, Sent.ALL])
@pytest.mark.parametrize("fault", [Fault.TIMEOUT, Fault.RESET, Fault.PROTOCOL, Fault.CLOSED])
def test_after_the_first_byte_every_fault_is_doubt(fault: Fault, sent: Sent) -> None:
    result = answers.fault(Answer.failed(fault, sent, "gone"))
    assert result is not None
    assert result.verdict is Verdict.IN_DOUBT
    assert result.category is (C.TIMEOUT if fault is Fault.TIMEOUT else C.NETWORK)
    assert result.may_have_left
    assert result.retry is None


def test_an_address_the_policy_refuses_ends_the_run() -> None:
    result = answers.fault(Answer.failed(Fault.DENIED, Sent.NOTHING, "private address"))
    assert result is not None
    assert (result.verdict, result.retry, result.stop_run) == (Verdict.REFUSED, False, True)


def test_an_answer_is_no_fault() -> None:
    assert answers.fault(Answer(200)) is None


@pytest.mark.parametrize(
    ("status", "category", "retry", "in_doubt"),
    [
        (400, C.INVALID_REQUEST, False, False),
        (422, C.INVALID_REQUEST, False, False),
        (401, C.AUTHENTICATION, False, False),
        (403, C.AUTHORIZATION, False, False),
        (404, C.PERMANENT_REMOTE, False, False),
        (418, C.PERMANENT_REMOTE, False, False),
        (302, C.PERMANENT_REMOTE, False, False),
        (408, C.TIMEOUT, False, True),
        (504, C.TIMEOUT, False, True),
        (429, C.RATE_LIMITED, True, False),
        (500, C.TEMPORARY_REMOTE, True, False),
        (502, C.TEMPORARY_REMOTE, True, False),
        (503, C.TEMPORARY_REMOTE, True, False),
        (599, C.TEMPORARY_REMOTE, True, False),
    ],
)
def test_http_statuses_follow_the_table(status: int, category: Category, retry: bool, in_doubt: bool) -> None:
    found = answers.http_status(status)
    assert (found.category, found.retry, found.in_doubt) == (category, retry, in_doubt)
    assert found.may_have_left == (status >= 500 and status != 504)


@pytest.mark.parametrize("status", [408, 500, 502, 503, 504])
def test_a_vendors_broken_server_is_doubt(status: int) -> None:
    result = answers.vendor_status(Answer(status))
    assert result is not None
    assert result.verdict is Verdict.IN_DOUBT
    assert result.may_have_left


@pytest.mark.parametrize("status", [200, 400, 401, 429])
def test_else_a_vendors_body_decides(status: int) -> None:
    assert answers.vendor_status(Answer(status)) is None


def test_the_longest_prefix_wins_after_exact_codes() -> None:
    broad, narrow, exact, other = (Ruling(category) for category in (C.NETWORK, C.TIMEOUT, C.INTERNAL, C.UNKNOWN))
    table = OutcomeTable({"Limit.*": broad, "Limit.Phone*": narrow, "Limit.PhoneX": exact}, otherwise=other)
    assert table["Limit.App"] is broad
    assert table["Limit.PhoneDay"] is narrow
    assert table["Limit.PhoneX"] is exact
    assert table["Other"] is other


def test_a_ruling_becomes_a_result() -> None:
    taken = Ruling(None).result("0", "fine", "id-1")
    assert (taken.verdict, taken.category, taken.request_id) == (Verdict.ACCEPTED, None, "id-1")
    refused = Ruling(C.RATE_LIMITED, retry=True, retry_after_s=60.0, stop_run=True).result("E1")
    assert (refused.verdict, refused.retry_after_s, refused.stop_run) == (Verdict.REFUSED, 60.0, True)
    doubt = Ruling(C.UNKNOWN, in_doubt=True).result("E2")
    assert (doubt.verdict, doubt.may_have_left) == (Verdict.IN_DOUBT, True)


def test_a_summary_is_one_short_line() -> None:
    made = answers.short("a\r\nb\x1b[31m  c" + "d" * 500)
    assert made.startswith("a b [31m c")
    assert len(made) == answers.SUMMARY_CHARACTERS
    assert made.isprintable()
