"""The job of the HTTP page, taken from the page and run against a loopback service."""

import asyncio
import json
import re
from pathlib import Path

from tests.builders.http_service import Reply, http_service

from postroad import providers
from postroad.egress import Egress
from postroad.flows.local_runs import (
    SendOrder,
    SendSummary,
    Surroundings,
    dry_run,
    prepare_send,
    preview_message,
    start_send,
)
from postroad.foundation.clock import SystemClock
from postroad.foundation.home import Home
from postroad.foundation.ids import new_run_id
from postroad.foundation.secret_lookup import SecretLookup
from postroad.vocabulary.transitions import RunState

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "send-over-http.md"


def written_out(folder: Path) -> Path:
    """Writes the page's named files into `folder` and returns the job file."""
    text = PAGE.read_text("utf-8")
    for name, content in re.findall(r"^`(\S+)`:\n\n```(?:yaml|csv)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        (folder / name).write_text(content, "utf-8")
    return folder / "notify.yaml"


def surroundings(folder: Path) -> Surroundings:
    egress = Egress()
    return Surroundings(
        provider_loader=lambda provider_id: providers.load(provider_id, egress),
        gate=egress,
        secrets=SecretLookup({"POSTROAD_SECRET_NOTIFY_TOKEN": "t0ken"}),
        clock=SystemClock(),
        home=Home(folder / "home"),
        new_id=new_run_id,
    )


def sent(asked: SendOrder, around: Surroundings) -> SendSummary:
    return start_send(prepare_send(asked, around), around)


def test_the_job_renders_for_every_row_and_shows_where_it_goes(tmp_path: Path) -> None:
    around = surroundings(tmp_path)
    prepared = prepare_send(SendOrder(job=written_out(tmp_path), out=tmp_path / "send"), around)
    found = dry_run(prepared, around)
    assert (found.total, found.rendered, found.failed) == (3, 3, 0)
    assert prepared.endpoints == ("api.example.com:443",)
    preview = preview_message(prepared, around, limit=1)[0].preview
    assert preview is not None
    assert preview.headline == "POST https://api.example.com/v1/customers/7/messages?lang=en"
    assert "Bearer ••••••" in preview.parts["headers"]


async def test_the_job_sends_every_row_once(tmp_path: Path) -> None:
    around = surroundings(tmp_path)
    async with http_service(Reply(200, b'{"success": true}')) as service:
        overrides = {"account.baseUrl": f"http://127.0.0.1:{service.port}/v1"}
        asked = SendOrder(job=written_out(tmp_path), out=tmp_path / "send", overrides=overrides)
        summary = await asyncio.to_thread(sent, asked, around)
    assert (summary.state, summary.counts.succeeded) == (RunState.SUCCEEDED, 3)
    bodies = {taken.path: json.loads(taken.body) for taken in service.taken}
    assert bodies["/v1/customers/7/messages"] == {
        "to": "13800138000",
        "text": "Dear 王小明, your order A-1 is ready.",
        "amount": 12.5,
    }
    assert bodies["/v1/customers/8/messages"]["text"] == 'Dear O\'Brien "Bob", your order A/2 is ready.'
    assert {taken.headers["authorization"] for taken in service.taken} == {"Bearer t0ken"}
    assert len({taken.headers["idempotency-key"] for taken in service.taken}) == 3
