"""Encryption and login: never in clear where it was asked for, never a password in a word to anybody."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.builders.authority import Authority
from tests.builders.provider_context import HandClock, config, loopback_egress, open_context
from tests.builders.smtp_server import EXTENSIONS, SmtpServer
from tests.providers.smtp.mailing import MESSAGE, PASSWORD, account_at, login, mailing

from postroad.providers.smtp import SmtpProvider
from postroad.spi import Verdict
from postroad.vocabulary.errors import SecretMissing
from postroad.vocabulary.outcomes import Category

USERS = {"news": PASSWORD}


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def trusting(authority: Authority, security: str) -> dict[str, Any]:
    return login(security=security, tls={"caFile": str(authority.ca_file)})


async def test_starttls_encrypts_before_the_login_and_says_ehlo_again(authority: Authority) -> None:
    server = SmtpServer(starttls=authority.server_context("127.0.0.1"), users=USERS)
    async with mailing(server, **trusting(authority, "starttls")) as mail:
        result = await mail.send()
    assert result.verdict is Verdict.ACCEPTED
    assert server.received[0].over_tls
    assert server.received[0].user == "news"
    assert [command.split()[0] for command in server.commands[:4]] == ["EHLO", "STARTTLS", "EHLO", "AUTH"]


async def test_tls_from_the_first_byte(authority: Authority) -> None:
    server = SmtpServer(implicit_tls=authority.server_context("127.0.0.1"), users=USERS)
    async with mailing(server, **trusting(authority, "tls")) as mail:
        results = [await mail.send(), await mail.send()]
    assert [result.verdict for result in results] == [Verdict.ACCEPTED] * 2
    assert server.connections == 1


async def test_starttls_that_is_not_offered_ends_the_run_before_anything_is_said() -> None:
    server = SmtpServer(users=USERS)
    async with mailing(server, **login(security="starttls")) as mail:
        result = await mail.send()
    assert (result.verdict, result.code, result.stop_run) == (Verdict.REFUSED, "STARTTLS_NOT_OFFERED", True)
    assert [command.split()[0] for command in server.commands] == ["EHLO"]


async def test_starttls_that_is_refused_ends_the_run() -> None:
    server = SmtpServer({"STARTTLS": "502 5.5.1 not today"}, extensions=("STARTTLS",))
    async with mailing(server, security="starttls") as mail:
        result = await mail.send()
    assert (result.verdict, result.category, result.stop_run) == (Verdict.REFUSED, Category.INVALID_REQUEST, True)


async def test_clear_text_behind_the_answer_to_starttls_is_an_attack() -> None:
    server = SmtpServer({"STARTTLS": "220 go\n250 injected"}, extensions=("STARTTLS",))
    server.answers = {"STARTTLS": "220 go\r\n250 injected"}
    async with mailing(server, security="starttls") as mail:
        result = await mail.send()
    assert (result.verdict, result.category) == (Verdict.NOT_SENT, Category.NETWORK)
    assert server.received == []


@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_a_certificate_nobody_vouches_for_is_refused(authority: Authority, security: str) -> None:
    server = SmtpServer(
        starttls=authority.server_context("127.0.0.1") if security == "starttls" else None,
        implicit_tls=authority.server_context("127.0.0.1") if security == "tls" else None,
    )
    async with mailing(server, security=security) as mail:
        result = await mail.send()
    assert (result.verdict, result.category, result.code) == (Verdict.NOT_SENT, Category.NETWORK, "TLS")
    assert server.received == []


async def test_a_certificate_for_another_name_is_refused(tmp_path: Path) -> None:
    elsewhere = Authority(tmp_path)
    server = SmtpServer(starttls=elsewhere.server_context("mail.example.net"))
    tls = {"caFile": str(elsewhere.ca_file)}
    async with mailing(server, security="starttls", tls=tls) as mail:
        assert (await mail.send()).code == "TLS"
    async with mailing(server, security="starttls", tls={**tls, "serverName": "mail.example.net"}) as mail:
        assert (await mail.send()).verdict is Verdict.ACCEPTED


@pytest.mark.parametrize(("wanted", "offered"), [("auto", "LOGIN"), ("login", "PLAIN LOGIN"), ("xoauth2", "XOAUTH2")])
async def test_each_way_to_log_in(wanted: str, offered: str) -> None:
    server = SmtpServer(users=USERS, mechanisms=offered)
    async with mailing(server, **login(authentication=wanted)) as mail:
        result = await mail.send()
    assert (result.verdict, server.received[0].user) == (Verdict.ACCEPTED, "news")


async def test_no_way_to_log_in_is_an_authentication_failure() -> None:
    async with mailing(SmtpServer(extensions=EXTENSIONS), **login()) as mail:
        result = await mail.send()
    assert (result.verdict, result.category, result.code) == (
        Verdict.REFUSED,
        Category.AUTHENTICATION,
        "AUTH_NOT_OFFERED",
    )


async def test_a_wrong_password_stops_and_is_not_repeated() -> None:
    server = SmtpServer({"AUTH": f"535 5.7.8 {PASSWORD} is wrong"}, users=USERS)
    async with mailing(server, **login()) as mail:
        result = await mail.send()
    assert (result.verdict, result.category, result.code) == (Verdict.REFUSED, Category.AUTHENTICATION, "535 5.7.8")
    assert PASSWORD not in repr(result)


async def test_a_login_that_is_busy_is_tried_again() -> None:
    server = SmtpServer({"AUTH": ["454 4.7.0 later"]}, users=USERS)
    async with mailing(server, **login()) as mail:
        first, second = await mail.send(), await mail.send()
    assert (first.category, second.verdict) == (Category.TEMPORARY_REMOTE, Verdict.ACCEPTED)


async def test_a_missing_secret_is_said_when_the_session_opens() -> None:
    server = SmtpServer()
    provider = SmtpProvider(loopback_egress())
    with pytest.raises(SecretMissing):
        await provider.open(open_context(account_at(server, port=25, **login()), MESSAGE, {}, HandClock()))


async def test_a_missing_authority_file_ends_the_run_with_its_name() -> None:
    async with mailing(SmtpServer(), security="tls", tls={"caFile": "nowhere.pem"}) as mail:
        result = await mail.send()
    assert (result.verdict, result.stop_run) == (Verdict.REFUSED, True)
    assert "nowhere.pem" in result.summary


async def test_a_host_the_policy_refuses_is_never_dialled() -> None:
    account = account_at(SmtpServer(), host="169.254.169.254", port=25, allowPlaintext=True)
    context = open_context(account, MESSAGE, {}, HandClock())
    provider = SmtpProvider(loopback_egress())
    report = await provider.check_connection(context)
    assert (report.ok, report.category) == (False, "INVALID_REQUEST")


def test_clear_text_to_another_machine_needs_a_word() -> None:
    provider = SmtpProvider(loopback_egress())
    account = {"host": "mail.example.org", "security": "none", "from": "a@example.org"}
    assert [problem.field for problem in provider.validate_account(config(account))] == ["security"]
    assert provider.validate_account(config({**account, "allowPlaintext": True})) == []


def test_a_user_without_a_password_is_a_problem() -> None:
    provider = SmtpProvider(loopback_egress())
    problems = provider.validate_account(config({"host": "mail.example.org", "username": "x"}))
    assert [problem.code for problem in problems] == ["REQUIRED"]


async def test_the_connection_check_says_what_it_found(authority: Authority) -> None:
    server = SmtpServer(starttls=authority.server_context("127.0.0.1"), users=USERS)
    async with server.running():
        account = account_at(server, **trusting(authority, "starttls"))
        provider = SmtpProvider(loopback_egress())
        good = await provider.check_connection(open_context(account, MESSAGE, {"password": PASSWORD}, HandClock()))
        bad = await provider.check_connection(open_context(account, MESSAGE, {"password": "other"}, HandClock()))
        await asyncio.sleep(0)
    assert good.ok
    assert "logged in as news" in good.summary
    assert (bad.ok, bad.category) == (False, "AUTHENTICATION")
    assert server.received == []
