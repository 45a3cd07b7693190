"""What arrives: headers of the attempt, awkward bodies, attachments; and a server that is not ours takes it."""

import asyncio
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.handlers import Message
from aiosmtpd.smtp import SMTP
from tests.builders.provider_context import NOON_MS, HandClock, loopback_egress, open_context
from tests.builders.smtp_server import SmtpServer
from tests.providers.smtp.mailing import MESSAGE, Mailing, Token, account_at, mailing

from postroad.providers.smtp import SmtpProvider
from postroad.spi import RenderError, Verdict
from postroad.vocabulary.errors import ConfigInvalid
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.values import FileRef


async def test_a_message_id_stays_the_same_over_attempts_and_the_date_is_the_attempts_own() -> None:
    server, clock = SmtpServer(), HandClock()
    async with mailing(server, clock=clock) as mail:
        await mail.send(key="0192-abc")
        clock.now += 60_000
        await mail.send(key="0192-abc")
        await mail.send(key="0192-abd")
    first, second, third = (received.mail for received in server.received)
    assert first["Message-ID"] == second["Message-ID"] == "<0192-abc@example.org>"
    assert third["Message-ID"] == "<0192-abd@example.org>"
    assert parsedate_to_datetime(first["Date"]).timestamp() * 1000 == NOON_MS
    assert parsedate_to_datetime(second["Date"]).timestamp() * 1000 == NOON_MS + 60_000


@pytest.mark.parametrize("key", ["a b", "x@y", "<>", "k" * 300, "", "a..b", "ключ", "a\r\nX: 1"])
async def test_a_message_id_is_legal_whatever_the_key(key: str) -> None:
    server = SmtpServer()
    async with mailing(server, messageIdDomain="id.example.org") as mail:
        await mail.send(key=key)
    (received,) = server.received
    local, _, domain = received.mail["Message-ID"].strip("<>").partition("@")
    assert (len(local), local.isalnum(), domain) == (32, True, "id.example.org")
    assert received.mail["X"] is None


async def test_the_servers_id_is_kept_for_asking_back() -> None:
    async with mailing(SmtpServer({"dot": ["250 2.0.0 Ok: queued as ABC123", "250 ok"]})) as mail:
        assert (await mail.send(key="k1")).request_id == "ABC123"
        assert (await mail.send(key="k2")).request_id == "<k2@example.org>"


async def test_bodies_full_of_dots_arrive_whole() -> None:
    text = ".\n..\n.a\n\n.\nQUIT\n" + "long " * 400 + "\n.\nend"
    server = SmtpServer()
    async with mailing(server, {**MESSAGE, "text": "{{ body }}"}) as mail:
        await mail.send(body=text)
    assert len(server.received) == 1
    assert server.received[0].mail.get_content().replace("\r\n", "\n") == text + "\n"
    assert max(map(len, server.received[0].raw.split(b"\r\n"))) <= 78


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = tmp_path / "job"
    (files / "invoices").mkdir(parents=True)
    (files / "terms.txt").write_text("terms\n" * 30_000)
    (files / "invoices" / "ann.pdf").write_bytes(bytes(range(256)) * 2000)
    (tmp_path / "secret.txt").write_text("not yours")
    (files / "link.txt").symlink_to(tmp_path / "secret.txt")
    return files


BOTH = {
    **MESSAGE,
    "html": "<p>{{ name }}</p>",
    "attachments": [
        {"path": "terms.txt", "name": "Bedingungen für {{ name }}.txt", "contentType": "text/plain"},
        {"path": "{{ invoice }}", "optional": True},
    ],
}


async def test_fixed_and_personal_files_arrive_whole(folder: Path) -> None:
    server = SmtpServer()
    async with mailing(server, BOTH, files=folder) as mail:
        with_invoice = await mail.send(invoice=FileRef("invoices/ann.pdf"))
        without = await mail.send("bob@example.com", name="Bob", invoice="")
    assert [with_invoice.verdict, without.verdict] == [Verdict.ACCEPTED] * 2
    first, second = (received.mail for received in server.received)
    terms, invoice = first.iter_attachments()
    assert (terms.get_filename(), terms.get_content()) == ("Bedingungen für Ann.txt", "terms\n" * 30_000)
    assert (invoice.get_filename(), invoice.get_content_type()) == ("ann.pdf", "application/pdf")
    assert invoice.get_content() == bytes(range(256)) * 2000
    assert [part.get_filename() for part in second.iter_attachments()] == ["Bedingungen für Bob.txt"]
    assert not first.defects


async def test_a_text_file_says_its_encoding_where_it_is_given(folder: Path) -> None:
    (folder / "terms.txt").write_text("应付款\n", encoding="utf-8")
    files = [{"path": "terms.txt", "contentType": "text/plain; charset=utf-8"}]
    server = SmtpServer()
    async with mailing(server, {**MESSAGE, "attachments": files}, files=folder) as mail:
        await mail.send()
    (terms,) = server.received[0].mail.iter_attachments()
    assert terms.get_content() == "应付款\n"


async def test_the_announced_size_covers_the_mail(folder: Path) -> None:
    server = SmtpServer()
    async with mailing(server, BOTH, files=folder) as mail:
        await mail.send(invoice="invoices/ann.pdf")
    (received,) = server.received
    announced = int(received.parameters.split("SIZE=")[1].split()[0])
    assert len(received.raw) <= announced <= len(received.raw) + 200


@pytest.mark.parametrize(
    "path", ["invoices/bob.pdf", "../secret.txt", "/etc/passwd", "link.txt", "invoices", "", "a\0b"]
)
async def test_a_file_that_is_not_below_the_folder_names_its_field(folder: Path, path: str) -> None:
    message = {**MESSAGE, "attachments": [{"path": "{{ invoice }}"}]}
    async with mailing(SmtpServer(), message, files=folder) as mail:
        with pytest.raises(RenderError) as caught:
            await mail.send(invoice=path)
    assert caught.value.field == "invoice"


async def test_a_file_that_vanishes_after_the_dry_run_fails_that_mail_only(folder: Path) -> None:
    server = SmtpServer()
    message = {**MESSAGE, "attachments": [{"path": "{{ invoice }}"}]}
    (folder / "bob.txt").write_text("hello")
    async with mailing(server, message, files=folder) as mail:
        first = await _after(mail, lambda: (folder / "bob.txt").unlink(), invoice="bob.txt")
        (folder / "bob.txt").write_text("hello")
        second = await _after(mail, lambda: (folder / "bob.txt").write_text("longer now"), invoice="bob.txt")
        third = await mail.send(invoice="bob.txt")
    assert [first.category, second.category] == [Category.RECIPIENT_INVALID] * 2
    assert [first.verdict, second.verdict, third.verdict] == [Verdict.REFUSED, Verdict.REFUSED, Verdict.ACCEPTED]
    assert server.heard_dots == 1


async def _after(mail: Mailing, change: Any, **fields: str) -> Any:
    """Sends a mail whose file changes between the making and the sending."""
    render = mail.renderer.render

    class Changing:
        def render(self, recipient: Any) -> Any:
            made = render(recipient)
            change()
            return made

    return await Mailing(mail.session, Changing(), mail.token).send(**fields)  # type: ignore[arg-type]


async def test_a_fixed_file_that_is_missing_is_found_before_the_run(folder: Path) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        async with mailing(SmtpServer(), {**MESSAGE, "attachments": [{"path": "gone.pdf"}]}, files=folder):
            pass
    assert caught.value.field == "attachments[0].path"


async def test_a_server_that_is_not_ours_takes_the_mail() -> None:
    kept: list[Any] = []

    class Keep(Message):
        def handle_message(self, message: Any) -> None:
            kept.append(message)

    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Keep(), enable_SMTPUTF8=True, loop=loop), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    provider = SmtpProvider(loopback_egress())
    message = {**MESSAGE, "html": "<p>{{ name }}</p>", "to": "{{ name }} <{{ email }}>"}
    context = open_context(account_at(SmtpServer(), port=port), message, {}, HandClock())
    session = await provider.open(context)
    mail = Mailing(session, provider.compile(context.account, context.message), Token())
    results = [await mail.send(f"r{n}@example.com", name="张三 .") for n in range(3)]
    results.append(await mail.send("zoë@example.com"))
    await session.aclose()
    server.close()
    assert [result.verdict for result in results] == [Verdict.ACCEPTED] * 4
    assert [made["X-RcptTo"] for made in kept[:3]] == [f"r{n}@example.com" for n in range(3)]
    assert kept[0].get_payload(0).get_payload(decode=True).decode().strip() == "Dear 张三 ."
