"""One connection serves many mails; losing it between two mails costs nothing."""

import pytest
from tests.builders.smtp_server import DROP, SmtpServer
from tests.providers.smtp.mailing import mailing

from postroad.spi import Verdict
from postroad.vocabulary.outcomes import Category


async def _send_many(server: SmtpServer, count: int, **account: object) -> list[Verdict]:
    async with mailing(server, **account) as mail:
        return [(await mail.send(f"r{n}@example.com", key=f"item-{n}")).verdict for n in range(count)]


@pytest.mark.parametrize("extensions", [("PIPELINING",), ()], ids=["pipelining", "one-by-one"])
async def test_mails_share_a_connection_with_a_reset_between_them(extensions: tuple[str, ...]) -> None:
    server = SmtpServer(extensions=extensions)
    assert await _send_many(server, 3) == [Verdict.ACCEPTED] * 3
    assert server.connections == 1
    assert server.commands[: 1 + 3 + 4 + 4] == [
        server.commands[0],
        *("MAIL FROM:<news@example.org>", "RCPT TO:<r0@example.com>", "DATA"),
        *("RSET", "MAIL FROM:<news@example.org>", "RCPT TO:<r1@example.com>", "DATA"),
        *("RSET", "MAIL FROM:<news@example.org>", "RCPT TO:<r2@example.com>", "DATA"),
    ]


async def test_a_connection_is_replaced_after_its_share_of_mails() -> None:
    server = SmtpServer()
    await _send_many(server, 7, maxMessagesPerConnection=3)
    assert [received.connection for received in server.received] == [1, 1, 1, 2, 2, 2, 3]


async def test_a_connection_that_idled_too_long_is_replaced() -> None:
    server = SmtpServer()
    await _send_many(server, 2, maxIdleSeconds=0)
    assert [received.connection for received in server.received] == [1, 2]


async def test_regression_a_server_that_hangs_up_after_some_mails_cost_mails() -> None:
    server = SmtpServer(hang_up_after=25)
    assert await _send_many(server, 80) == [Verdict.ACCEPTED] * 80
    assert [len(received.recipients) for received in server.received] == [1] * 80
    assert server.connections == 4


@pytest.mark.parametrize("where", ["RSET", "MAIL", "RCPT"])
@pytest.mark.parametrize("how", [DROP, "421 4.3.2 going down"], ids=["drop", "421"])
async def test_a_kept_line_that_ends_while_a_mail_is_announced_is_replaced(where: str, how: str) -> None:
    server = SmtpServer({where: [how]})
    if where != "RSET":
        server = _AfterTheFirst({where: how})
    assert await _send_many(server, 3) == [Verdict.ACCEPTED] * 3
    assert [received.recipients for received in server.received] == [[f"r{n}@example.com"] for n in range(3)]
    assert server.connections == 2


async def test_a_reset_that_is_refused_is_a_new_connection() -> None:
    server = SmtpServer({"RSET": ["451 4.3.0 confused"]})
    assert await _send_many(server, 2) == [Verdict.ACCEPTED] * 2
    assert server.connections == 2


async def test_a_new_line_that_says_421_is_not_dialled_again_in_the_same_attempt() -> None:
    server = SmtpServer({"MAIL": "421 4.3.2 going down"})
    async with mailing(server) as mail:
        result = await mail.send()
    assert (result.verdict, result.category) == (Verdict.REFUSED, Category.TEMPORARY_REMOTE)
    assert server.connections == 1


async def test_being_told_to_slow_down_is_not_answered_by_dialling_again() -> None:
    server = _AfterTheFirst({"MAIL": "421 4.7.0 too many messages, slow down"})
    async with mailing(server) as mail:
        await mail.send()
        result = await mail.send("bob@example.com")
    assert (result.category, result.slow_keys) == (Category.RATE_LIMITED, ())
    assert server.connections == 1


async def test_a_refused_mail_leaves_the_connection_for_the_next() -> None:
    server = SmtpServer({"RCPT bad@example.com": "550 5.1.1 unknown", "dot": ["554 5.7.1 spam"]})
    async with mailing(server) as mail:
        verdicts = [(await mail.send(to)).verdict for to in ("bad@example.com", "a@example.com", "b@example.com")]
    assert verdicts == [Verdict.REFUSED, Verdict.REFUSED, Verdict.ACCEPTED]
    assert server.connections == 1


async def test_regression_one_hard_bounce_made_its_neighbours_mailed_again() -> None:
    server = SmtpServer({"RCPT r1@example.com": "554 5.1.1 no"})
    async with mailing(server) as mail:
        results = [await mail.send(f"r{n}@example.com") for n in range(3)]
    assert [result.verdict for result in results] == [Verdict.ACCEPTED, Verdict.REFUSED, Verdict.ACCEPTED]
    assert [received.recipients for received in server.received] == [["r0@example.com"], ["r2@example.com"]]


async def test_closing_says_quit() -> None:
    server = SmtpServer()
    async with mailing(server) as mail:
        await mail.send()
        await mail.session.aclose()
        await server.idle.wait()
    assert server.commands[-1] == "QUIT"


class _AfterTheFirst(SmtpServer):
    """Gives each of its answers once, and not before a first mail was taken."""

    def answer(self, *keys: str) -> str | None:
        for key in keys:
            if self.received and key in self.answers:
                told = self.answers[key]
                self.answers = {name: value for name, value in self.answers.items() if name != key}
                assert isinstance(told, str)
                return told
        return None
