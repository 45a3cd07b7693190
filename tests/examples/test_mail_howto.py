"""The job of the mail page, taken from the page and run against a mail server on loopback."""

import asyncio
import re
from pathlib import Path

import pytest
from tests.builders.authority import Authority
from tests.builders.smtp_server import SmtpServer

from postroad import providers
from postroad.egress import Egress
from postroad.flows.local_runs import SendOrder, SendSummary, Surroundings, dry_run, prepare_send, start_send
from postroad.foundation.clock import SystemClock
from postroad.foundation.home import Home
from postroad.foundation.ids import new_run_id
from postroad.foundation.secret_lookup import SecretLookup
from postroad.vocabulary.transitions import RunState

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "send-mail.md"


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """The page's files, with an invoice for each row."""
    text = PAGE.read_text(encoding="utf-8")
    for name, _, content in re.findall(r"^`(\S+)`:\n\n```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "invoices").mkdir()
    for number in (1001, 1002, 1003):
        (tmp_path / "invoices" / f"{number}.txt").write_text(f"Invoice {number}\n")
    return tmp_path / "invoices.yaml"


def surroundings(folder: Path) -> Surroundings:
    egress = Egress()
    return Surroundings(
        provider_loader=lambda provider_id: providers.load(provider_id, egress),
        gate=egress,
        secrets=SecretLookup({"POSTROAD_SECRET_MAIL_PASSWORD": "app password"}),
        clock=SystemClock(),
        home=Home(folder / "home"),
        new_id=new_run_id,
    )


def test_the_job_makes_a_mail_for_every_row(job: Path) -> None:
    around = surroundings(job.parent)
    prepared = prepare_send(SendOrder(job=job, out=job.parent / "send"), around)
    found = dry_run(prepared, around)
    assert (found.total, found.rendered, found.failed) == (3, 3, 0)
    assert prepared.endpoints == ("smtp.example.org:587",)


def test_a_missing_invoice_is_found_before_anything_is_sent(job: Path) -> None:
    (job.parent / "invoices" / "1002.txt").unlink()
    around = surroundings(job.parent)
    found = dry_run(prepare_send(SendOrder(job=job, out=job.parent / "send"), around), around)
    assert (found.rendered, found.failed) == (2, 1)


async def test_the_job_sends_every_row_once(job: Path) -> None:
    authority = Authority(job.parent)
    server = SmtpServer(starttls=authority.server_context("127.0.0.1"), users={"billing@example.org": "app password"})
    around = surroundings(job.parent)

    def run() -> SendSummary:
        changed = {
            "account.host": "127.0.0.1",
            "account.port": server.port,
            "account.tls.caFile": str(authority.ca_file),
            "policies.rate": "100/s",
        }
        order = SendOrder(job=job, out=job.parent / "send", overrides=changed)
        return start_send(prepare_send(order, around), around)

    async with server.running():
        summary = await asyncio.to_thread(run)
    assert (summary.state, summary.counts.succeeded) == (RunState.SUCCEEDED, 3)
    mails = {received.recipients[0]: received.mail for received in server.received}
    assert set(mails) == {"ann@example.com", "bob@example.net", "zoe@xn--bcher-kva.example"}
    ann = mails["ann@example.com"]
    assert ann["To"].addresses[0].display_name == "O'Brien, Ann"
    assert [part.get_content() for part in ann.iter_attachments()] == ["Invoice 1001\n", "Payable within 30 days.\n"]
    assert ann["List-Unsubscribe"] == "<https://example.org/unsubscribe/a81x>"
    assert len({mail["Message-ID"] for mail in mails.values()}) == 3
