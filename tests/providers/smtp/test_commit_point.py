"""The final dot decides: before it nothing was sent, after it only the server knows."""

import asyncio

import pytest
from tests.builders.smtp_server import DROP, GARBAGE, SILENCE, SmtpServer
from tests.providers.smtp.mailing import mailing

from postroad.providers.smtp import dialogue
from postroad.spi import Verdict
from postroad.vocabulary.outcomes import Category

BIG = {"subject": "Hello", "text": "{{ big }}"}


@pytest.mark.parametrize("where", ["greeting", "EHLO", "MAIL", "RCPT", "DATA", "body"])
async def test_a_line_cut_before_the_dot_sent_nothing(where: str) -> None:
    server = SmtpServer({where: DROP})
    async with mailing(server, BIG) as mail:
        result = await mail.send(big="x" * 300_000)
    assert (result.verdict, result.category, result.retry) == (Verdict.NOT_SENT, Category.NETWORK, True)
    assert not result.may_have_left
    assert server.heard_dots == 0


@pytest.mark.parametrize("where", ["greeting", "EHLO", "MAIL", "RCPT", "DATA"])
async def test_silence_before_the_dot_sent_nothing(where: str) -> None:
    async with mailing(SmtpServer({where: SILENCE})) as mail:
        result = await mail.send(timeout_s=0.1)
    assert (result.verdict, result.category, result.retry) == (Verdict.NOT_SENT, Category.TIMEOUT, True)


@pytest.mark.parametrize("where", ["greeting", "EHLO", "MAIL", "RCPT", "DATA"])
async def test_garbage_before_the_dot_sent_nothing(where: str) -> None:
    async with mailing(SmtpServer({where: GARBAGE})) as mail:
        result = await mail.send()
    assert (result.verdict, result.category) == (Verdict.NOT_SENT, Category.NETWORK)


async def test_an_early_no_inside_the_body_is_a_refusal_and_never_a_dot() -> None:
    server = SmtpServer({"body": "552 5.3.4 too big"})
    async with mailing(server, BIG) as mail:
        result = await mail.send(big="x" * 2_000_000)
    assert (result.verdict, result.category, result.code) == (Verdict.REFUSED, Category.INVALID_REQUEST, "552 5.3.4")
    assert server.heard_dots == 0


async def test_a_line_cut_after_the_dot_is_doubt() -> None:
    server = SmtpServer({"dot": DROP})
    async with mailing(server) as mail:
        result = await mail.send()
    assert (result.verdict, result.category, result.may_have_left) == (Verdict.IN_DOUBT, Category.NETWORK, True)
    assert server.heard_dots == 1


async def test_silence_after_the_dot_is_doubt_once_the_time_is_over() -> None:
    async with mailing(SmtpServer({"dot": SILENCE})) as mail:
        result = await mail.send(timeout_s=0.5)
    assert (result.verdict, result.category) == (Verdict.IN_DOUBT, Category.TIMEOUT)


async def test_a_step_before_the_dot_has_a_limit_of_its_own_and_the_answer_to_the_dot_has_not() -> None:
    server = SmtpServer(gate=asyncio.Event())
    async with mailing(server, commandTimeoutSeconds=0.4) as mail:
        asyncio.get_running_loop().call_later(0.6, server.gate.set)
        waited = await mail.send(timeout_s=60)
    async with mailing(SmtpServer({"MAIL": SILENCE}), commandTimeoutSeconds=0.05) as mail:
        given_up = await mail.send(timeout_s=60)
    assert waited.verdict is Verdict.ACCEPTED
    assert (given_up.verdict, given_up.category) == (Verdict.NOT_SENT, Category.TIMEOUT)


async def test_a_cancelled_run_waits_for_the_last_answers_a_moment_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialogue, "LOOK_S", 0.02)
    monkeypatch.setattr(dialogue, "CANCELLED_WAIT_S", 0.02)
    server = SmtpServer(gate=asyncio.Event())
    async with mailing(server) as mail:
        sending = asyncio.ensure_future(mail.send(timeout_s=600))
        while not server.heard_dots:
            await asyncio.sleep(0)
        mail.cancel()
        result = await sending
    assert (result.verdict, result.category) == (Verdict.IN_DOUBT, Category.TIMEOUT)


async def test_garbage_after_the_dot_is_doubt() -> None:
    async with mailing(SmtpServer({"dot": GARBAGE})) as mail:
        result = await mail.send()
    assert (result.verdict, result.category) == (Verdict.IN_DOUBT, Category.UNKNOWN)


@pytest.mark.parametrize("reply", ["354 go on", "334 more"])
async def test_an_answer_to_the_dot_without_meaning_is_doubt(reply: str) -> None:
    async with mailing(SmtpServer({"dot": reply})) as mail:
        result = await mail.send()
    assert result.verdict is Verdict.IN_DOUBT


@pytest.mark.parametrize(
    ("reply", "category"),
    [("451 4.3.0 later", Category.TEMPORARY_REMOTE), ("554 5.7.1 spam", Category.PERMANENT_REMOTE)],
)
async def test_a_no_to_the_dot_is_a_refusal_not_doubt(reply: str, category: Category) -> None:
    async with mailing(SmtpServer({"dot": reply})) as mail:
        result = await mail.send()
    assert (result.verdict, result.category, result.may_have_left) == (Verdict.REFUSED, category, False)


async def test_a_cancelled_run_stops_before_the_dot() -> None:
    server = SmtpServer()
    async with mailing(server) as mail:
        mail.cancel()
        result = await mail.send()
    assert (result.verdict, result.category) == (Verdict.NOT_SENT, Category.CANCELLED)
    assert server.heard_dots == 0


async def test_a_send_that_is_broken_off_leaves_a_session_that_still_works() -> None:
    server = SmtpServer({"dot": [SILENCE]})
    async with mailing(server) as mail:
        first = asyncio.ensure_future(mail.send())
        while not server.heard_dots:
            await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        second = await mail.send("bob@example.com")
    assert second.verdict is Verdict.ACCEPTED
    assert [received.recipients for received in server.received] == [["bob@example.com"]]
