"""What a no leads to: for the recipient, for the account, for the run."""

import pytest
from tests.builders.provider_context import HandClock, loopback_egress, open_context
from tests.builders.smtp_server import SmtpServer
from tests.providers.smtp.mailing import MESSAGE, account_at, mailing

from postroad.providers.smtp import SmtpProvider
from postroad.spi import Verdict
from postroad.vocabulary.errors import ConfigInvalid
from postroad.vocabulary.outcomes import Category


async def test_greylisting_makes_one_recipient_wait_minutes_and_nobody_else() -> None:
    server = SmtpServer({"RCPT ann@example.com": ["451 4.7.1 greylisted"]})
    async with mailing(server) as mail:
        first, second = await mail.send(), await mail.send()
    assert (first.verdict, first.category, first.may_have_left) == (Verdict.REFUSED, Category.TEMPORARY_REMOTE, False)
    assert (first.retry_after_s, first.slow_keys) == (120.0, ("recipient:ann@example.com",))
    assert second.verdict is Verdict.ACCEPTED


async def test_regression_a_daily_limit_looked_like_success() -> None:
    server = SmtpServer(daily_quota=2)
    async with mailing(server) as mail:
        results = [await mail.send(f"r{n}@example.com") for n in range(3)]
    assert [result.verdict for result in results] == [Verdict.ACCEPTED, Verdict.ACCEPTED, Verdict.REFUSED]
    last = results[-1]
    assert (last.category, last.stop_run, last.may_have_left) == (Category.RATE_LIMITED, True, False)
    assert last.summary.startswith("daily quota used up: 451 4.7.1 daily limit")
    assert len(server.received) == 2


async def test_a_daily_limit_may_be_waited_for_instead() -> None:
    async with mailing(SmtpServer({"MAIL": "451 4.7.1 daily limit reached"}), onDailyQuota="wait") as mail:
        result = await mail.send()
    assert (result.stop_run, result.retry_after_s, result.slow_keys) == (False, 3600.0, ())


async def test_a_refused_copy_does_not_undo_the_mail() -> None:
    server = SmtpServer({"RCPT boss@example.com": "550 5.1.1 gone"})
    async with mailing(server, {**MESSAGE, "cc": ["boss@example.com"], "bcc": ["files@example.org"]}) as mail:
        result = await mail.send()
    assert (result.verdict, result.code) == (Verdict.ACCEPTED, "PARTIAL")
    assert "1 of the copies refused (550 5.1.1)" in result.summary
    assert server.received[0].recipients == ["ann@example.com", "files@example.org"]


@pytest.mark.parametrize("extensions", [("PIPELINING",), ()], ids=["pipelining", "one-by-one"])
async def test_a_refused_recipient_is_refused_though_copies_would_go(extensions: tuple[str, ...]) -> None:
    server = SmtpServer({"RCPT ann@example.com": "550 5.1.1 gone"}, extensions=extensions)
    async with mailing(server, {**MESSAGE, "cc": ["boss@example.com"]}) as mail:
        result = await mail.send()
        after = await mail.send("bob@example.com")
    assert (result.verdict, result.category) == (Verdict.REFUSED, Category.RECIPIENT_INVALID)
    assert after.verdict is Verdict.ACCEPTED
    assert [received.recipients for received in server.received] == [["bob@example.com", "boss@example.com"]]


async def test_a_mail_larger_than_the_server_takes_is_refused_before_it_is_announced() -> None:
    server = SmtpServer(extensions=("SIZE 500",))
    async with mailing(server) as mail:
        result = await mail.send(name="x" * 600)
        small = await mail.send()
    assert (result.verdict, result.category, result.code) == (Verdict.REFUSED, Category.INVALID_REQUEST, "TOO_LARGE")
    assert small.verdict is Verdict.ACCEPTED
    assert not any("SIZE=" in command and int(command.split("SIZE=")[1]) > 500 for command in server.commands)


async def test_letters_outside_ascii_before_the_at_need_the_servers_word() -> None:
    with_it, without = SmtpServer(), SmtpServer(extensions=("SIZE 0",))
    async with mailing(with_it) as mail:
        good = await mail.send("zoë@bücher.example")
    async with mailing(without) as mail:
        bad = await mail.send("zoë@bücher.example")
        plain = await mail.send("zoe@bücher.example")
    assert good.verdict is Verdict.ACCEPTED
    assert "SMTPUTF8" in with_it.received[0].parameters
    assert with_it.received[0].recipients == ["zoë@xn--bcher-kva.example"]
    assert (bad.verdict, bad.category) == (Verdict.REFUSED, Category.RECIPIENT_INVALID)
    assert plain.verdict is Verdict.ACCEPTED


async def test_a_server_that_turns_us_away_at_the_door_stops_the_run() -> None:
    async with mailing(SmtpServer({"greeting": "554 5.7.1 your address is listed"})) as mail:
        result = await mail.send()
    assert (result.verdict, result.category) == (Verdict.REFUSED, Category.AUTHORIZATION)


async def test_a_summary_names_no_local_part() -> None:
    async with mailing(SmtpServer({"RCPT": "550 5.1.1 <ann@example.com> unknown"})) as mail:
        result = await mail.send()
    assert result.summary == "550 5.1.1 <***@example.com> unknown (at RCPT)"


async def test_no_more_sessions_open_than_the_account_has_connections() -> None:
    provider = SmtpProvider(loopback_egress())
    context = open_context(account_at(SmtpServer(), port=25, maxConnections=4), MESSAGE, {}, HandClock())
    sessions = [await provider.open(context) for _ in range(4)]
    with pytest.raises(ConfigInvalid) as caught:
        await provider.open(context)
    await sessions[0].aclose()
    await sessions[0].aclose()
    again = await provider.open(context)
    assert caught.value.field == "concurrency"
    assert provider.concurrency_limit(context.account) == 4
    await again.aclose()


async def test_serial_mode_refuses_a_run_that_would_send_side_by_side() -> None:
    provider = SmtpProvider(loopback_egress())
    context = open_context(account_at(SmtpServer(), port=25, maxConnections=1), MESSAGE, {}, HandClock())
    with pytest.raises(ConfigInvalid, match="set the job's concurrency to 1"):
        await provider.open(context)


@pytest.mark.parametrize("reply", ["500 5.5.1 what", "502 not implemented"])
async def test_regression_a_server_that_knows_only_helo_was_given_up(reply: str) -> None:
    server = SmtpServer({"EHLO": reply, "HELO": "250 old.example"})
    async with mailing(server) as mail:
        results = [await mail.send(), await mail.send("bob@example.com")]
    assert [result.verdict for result in results] == [Verdict.ACCEPTED] * 2
    assert [command.split()[0] for command in server.commands[:3]] == ["EHLO", "HELO", "MAIL"]
    assert "SIZE=" not in " ".join(server.commands)


async def test_a_server_that_knows_only_helo_gets_nothing_where_tls_was_asked_for() -> None:
    server = SmtpServer({"EHLO": "502 not implemented", "HELO": "250 old.example"})
    async with mailing(server, security="starttls") as mail:
        result = await mail.send()
    assert (result.code, result.stop_run, server.received) == ("STARTTLS_NOT_OFFERED", True, [])


async def test_regression_a_limit_of_mails_a_minute_burnt_every_row_by_itself() -> None:
    server = SmtpServer({"MAIL": ["450 4.7.1 Error: too much mail from 127.0.0.1"]})
    async with mailing(server) as mail:
        result = await mail.send()
    assert (result.category, result.retry_after_s, result.slow_keys) == (Category.RATE_LIMITED, 120.0, ())
