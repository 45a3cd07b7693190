"""The jobs of the Feishu and Aliyun pages, taken from the pages and run against the emulators."""

import asyncio
import json
import re
from pathlib import Path

from tests.builders.aliyun_emulator import AliyunEmulator
from tests.builders.feishu_emulator import FeishuEmulator

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

HOWTO = Path(__file__).parents[2] / "docs" / "howto"
SECRETS = {
    "POSTROAD_SECRET_ORDERS_ROBOT": "https://open.feishu.cn/open-apis/bot/v2/hook/a1b2-C3",
    "POSTROAD_SECRET_ORDERS_ROBOT_SIGN": "s3cret",
    "POSTROAD_SECRET_SMS_KEY": "testSecret",
}


def written_out(page: str, folder: Path) -> Path:
    """Writes the page's named files into `folder` and returns the job file."""
    text = (HOWTO / page).read_text(encoding="utf-8")
    for name, _kind, content in re.findall(r"^`(\S+)`:\n\n```(yaml|csv)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        (folder / name).write_text(content, encoding="utf-8")
    (job,) = folder.glob("*.yaml")
    return job


def surroundings(folder: Path) -> Surroundings:
    egress = Egress()
    return Surroundings(
        provider_loader=lambda provider_id: providers.load(provider_id, egress),
        gate=egress,
        secrets=SecretLookup(SECRETS),
        clock=SystemClock(),
        home=Home(folder / "home"),
        new_id=new_run_id,
    )


def order(job: Path, folder: Path, **overrides: str) -> SendOrder:
    named = {name.replace("__", "."): value for name, value in overrides.items()}
    return SendOrder(job=job, out=folder / "send", overrides=named)


def test_the_feishu_job_renders_for_every_row(tmp_path: Path) -> None:
    around = surroundings(tmp_path)
    prepared = prepare_send(order(written_out("send-to-feishu.md", tmp_path), tmp_path), around)
    found = dry_run(prepared, around)
    assert (found.total, found.rendered, found.failed) == (3, 3, 0)
    assert prepared.endpoints == ()
    preview = preview_message(prepared, around, limit=1)[0].preview
    assert preview is not None
    body = json.loads(preview.parts["body"])
    assert body["card"]["elements"][0]["text"]["content"] == "**O'Brien & Sons** ordered 12\" pipe"


async def test_the_feishu_job_posts_every_row_once(tmp_path: Path) -> None:
    around = surroundings(tmp_path)
    job = written_out("send-to-feishu.md", tmp_path)
    async with FeishuEmulator(SystemClock(), secret="s3cret") as robot:
        asked = order(job, tmp_path, account__endpoint=robot.endpoint, policies__rate__account="100/s")
        summary = await asyncio.to_thread(sent, asked, around)
    assert (summary.state, summary.counts.succeeded) == (RunState.SUCCEEDED, 3)
    titles = {message["card"]["header"]["title"]["content"] for message in robot.accepted}
    assert titles == {"Order 1001", "Order 1002", "Order 1003"}


def test_the_aliyun_job_counts_parts_and_price(tmp_path: Path) -> None:
    around = surroundings(tmp_path)
    prepared = prepare_send(order(written_out("send-sms-with-aliyun.md", tmp_path), tmp_path), around)
    found = dry_run(prepared, around)
    assert (found.total, found.rendered, found.failed) == (3, 3, 0)
    assert (found.parts_total, found.price_total, found.currency) == (3, 0.135, "CNY")
    preview = preview_message(prepared, around, limit=1)[0].preview
    assert preview is not None
    assert preview.parts["text"] == "【邮路】您好王小明，您的取件码是0042，请在今天内取件。"


async def test_the_aliyun_job_sends_to_every_number_once(tmp_path: Path) -> None:
    around = surroundings(tmp_path)
    job = written_out("send-sms-with-aliyun.md", tmp_path)
    async with AliyunEmulator(SystemClock(), key_id="LTAI5tExample", templates=("SMS_71390007",)) as vendor:
        asked = order(job, tmp_path, account__endpoint=vendor.endpoint, policies__rate="200/s")
        summary = await asyncio.to_thread(sent, asked, around)
    assert (summary.state, summary.counts.succeeded) == (RunState.SUCCEEDED, 3)
    taken = {row["PhoneNumber"]: json.loads(row["TemplateParam"]) for row in vendor.accepted}
    assert taken == {
        "13800138000": {"name": "王小明", "code": "0042"},
        "13800138001": {"name": "O'Brien", "code": "7781"},
        "85261234567": {"name": 'Zoë "Z" & co', "code": "9A-3"},
    }


def sent(asked: SendOrder, around: Surroundings) -> SendSummary:
    return start_send(prepare_send(asked, around), around)
