"""What a real postfix has delivered, read back with the standard library, is what the preview showed."""

import json
from collections.abc import Mapping
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from tests.builders.authority import Authority
from tests.builders.daemons import room
from tests.builders.postfix import running_postfix
from tests.builders.provider_context import config, loopback_egress
from tests.e2e.program import Desk
from tests.peers.mail import MESSAGE, addresses, plan, row_for, rows
from tests.peers.sending import ONCE, Plan, Row, check, outcomes_in

from postroad.providers.smtp import SmtpProvider
from postroad.spi import Recipient

BODIES = {"text": "plain", "html": "html"}


def shown_by_preview(made: Plan, row: Row) -> dict[str, str]:
    renderer = SmtpProvider(loopback_egress()).compile(config(made.account), config(made.message))
    return dict(renderer.preview(renderer.render(Recipient(0, dict(row), 2))).parts)


def read_back(mail: EmailMessage, names: Mapping[str, str]) -> dict[str, str]:
    """The same parts from a delivered mail; line ends are the mailbox's own."""
    found: dict[str, str] = {}
    for name in names:
        if name in BODIES:
            body = mail.get_body((BODIES[name],))
            assert body is not None
            found[name] = body.get_content().replace("\r\n", "\n")
        elif name == "attachments":
            found[name] = ", ".join(str(part.get_filename()) for part in mail.iter_attachments())
        else:
            found[name] = str(mail[name])
    return found


async def test_five_hundred_mails_in_many_scripts_arrive_as_previewed() -> None:
    with running_postfix() as postfix:
        made, people = plan(postfix.port, retry=ONCE), rows(500)
        ran = await made.run(people)
        mails = {str(mail["X-Original-To"]): mail for mail in postfix.final_mails()}
        check(ran.outcomes, addresses(500), postfix.final_copies())
    assert ran.summary.succeeded == len(mails) == 500
    for row in people:
        previewed = shown_by_preview(made, row)
        assert read_back(mails[row["email"]], previewed) == previewed
        assert previewed["subject"] == f"{row['topic']} №{row['n']}"
    defects = {
        str(mail["X-Original-To"]): part.defects for mail in mails.values() for part in mail.walk() if part.defects
    }
    assert defects == {}
    assert len({mail["Message-ID"] for mail in mails.values()}) == 500


async def test_addresses_outside_ascii_arrive_by_smtputf8_and_idna() -> None:
    wanted = ["用户@example.com", "zoë@example.net", "r@bücher.example", "δοκιμή@bücher.example", "plain@example.com"]
    people = [row_for(n, address) for n, address in enumerate(wanted)]
    with running_postfix() as postfix:
        made = plan(postfix.port, retry=ONCE)
        ran = await made.run(people)
        mails = {str(mail["X-Original-To"]): mail for mail in postfix.final_mails()}
    assert ran.summary.succeeded == 5
    in_ascii = [address.replace("bücher", "xn--bcher-kva") for address in wanted]
    assert sorted(mails) == sorted(in_ascii)
    for row, address in zip(people, in_ascii, strict=True):
        previewed = shown_by_preview(made, row)
        assert read_back(mails[address], previewed) == previewed
        assert ("UTF8SMTP" in str(mails[address]["Received"])) != address.isascii()


@pytest.mark.parametrize("versions", ["TLSv1.2", "TLSv1.3"])
async def test_starttls_is_spoken_for_every_mail(versions: str) -> None:
    with room("postfix-tls", owned=False) as folder:
        authority = Authority(folder)
        chain = f"smtpd_tls_chain_files = {authority.issue('127.0.0.1')}"
        needs = "smtpd_tls_security_level = encrypt"
        with running_postfix(chain, needs, f"smtpd_tls_mandatory_protocols = {versions}") as postfix:
            tls = {"security": "starttls", "tls": {"caFile": str(authority.ca_file)}}
            ran = await plan(postfix.port, account=tls, retry=ONCE).run(rows(100))
            plain = await plan(postfix.port, retry=ONCE, at_once=1).run(rows(3))
            mails = postfix.final_mails()
            check(ran.outcomes, addresses(100), postfix.final_copies())
    assert ran.summary.succeeded == 100
    assert all(f"using {versions} with cipher" in str(mail["Received"]) for mail in mails)
    assert plain.summary.succeeded == 0


async def test_tls_from_the_first_byte() -> None:
    with room("postfix-tls", owned=False) as folder:
        authority = Authority(folder)
        chain = f"smtpd_tls_chain_files = {authority.issue('127.0.0.1')}"
        with running_postfix(chain, "smtpd_tls_wrappermode = yes", "smtpd_tls_security_level = encrypt") as postfix:
            tls = {"security": "tls", "tls": {"caFile": str(authority.ca_file)}}
            ran = await plan(postfix.port, account=tls, retry=ONCE).run(rows(50))
            check(ran.outcomes, addresses(50), postfix.final_copies())
    assert ran.summary.succeeded == 50


async def test_a_postfix_with_a_certificate_of_somebody_else_gets_nothing(tmp_path: Path) -> None:
    with room("postfix-tls", owned=False) as folder:
        chain = f"smtpd_tls_chain_files = {Authority(folder).issue('127.0.0.1')}"
        with running_postfix(chain, "smtpd_tls_security_level = may") as postfix:
            tls = {"security": "starttls", "tls": {"caFile": str(Authority(tmp_path).ca_file)}}
            ran = await plan(postfix.port, account=tls, retry=ONCE).run(rows(3))
            mails = postfix.final_mails()
    assert (ran.summary.succeeded, ran.summary.unknown, mails) == (0, 0, [])
    assert {item.code for item in ran.items.values() if item.outcome == "FAILED"} == {"TLS"}


def test_the_program_delivers_what_its_preview_shows_attachments_and_all(tmp_path: Path) -> None:
    people: list[Any] = rows(60)
    columns = ["email", "name", "topic", "n", "filler"]
    table = "".join(json.dumps({name: row[name] for name in columns}, ensure_ascii=False) + "\n" for row in people)
    (tmp_path / "people.jsonl").write_text(table, encoding="utf-8")
    (tmp_path / "条款.txt").write_bytes("应付款\n.\n".encode() * 5000)
    (tmp_path / "bills").mkdir()
    for row in people:
        (tmp_path / "bills" / f"{row['n']}.pdf").write_bytes(bytes(range(256)) * (row["n"] + 1))
    files = [
        {"path": "条款.txt", "contentType": "text/plain; charset=utf-8"},
        {"path": "bills/{{ n }}.pdf", "name": "账单 {{ name }} {{ n }}.pdf"},
    ]
    with running_postfix() as postfix:
        made = plan(postfix.port)
        job = {"provider": "smtp", "account": made.account, "message": MESSAGE | {"attachments": files}}
        job |= {"audience": {"file": "people.jsonl", "key": "email"}, "policies": {"rate": "unlimited"}}
        (tmp_path / "job.yaml").write_text(json.dumps(job, ensure_ascii=False), encoding="utf-8")
        desk = Desk(tmp_path)
        previews = json.loads(desk.run("message", "preview", "job.yaml", "--limit", "60", "--json").out)
        said = desk.run("send", "job.yaml", "--yes", "--out", "out")
        mails = {str(mail["X-Original-To"]): mail for mail in postfix.final_mails()}
        check(outcomes_in(tmp_path / "out", "email"), addresses(60), postfix.final_copies())
    assert (said.code, len(previews)) == (0, 60), said.err
    for item, row in zip(previews, people, strict=True):
        mail, previewed = mails[row["email"]], item["preview"]["parts"]
        assert read_back(mail, previewed) == previewed
        fixed, own = (part.get_content() for part in mail.iter_attachments())
        assert fixed == "应付款\n.\n" * 5000
        assert own == bytes(range(256)) * (row["n"] + 1)
