"""The how-to pages around a send: what they claim, tried with their own commands and code."""

import asyncio
import contextlib
import csv
import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pytest
from tests.builders.http_receiver import CUT_AFTER, HttpReceiver
from tests.builders.pages import DOCS, Reader, blocks, commands, named_files

HOWTO = DOCS / "howto"
PEOPLE = "number,name\n1,Ann\n2,Bo\n3,Cy\n4,Zoë\n"


def job(port: int, audience: str = "{ file: people.csv, key: number }") -> str:
    return (
        f"name: orders\nprovider: http\naccount:\n  baseUrl: http://127.0.0.1:{port}\n"
        "  idempotency: { header: Idempotency-Key, keptFor: PT24H }\n"
        'message:\n  path: "/{{ number }}"\n  bodyTemplate: { text: "Dear {{ name }}" }\n'
        f"audience: {audience}\npolicies: {{ rate: 500/s, retry: {{ maxAttempts: 1 }} }}\n"
    )


def first_bo_then_cy_fail(recipient: str, copy: int) -> str:
    if copy == 1:
        return {"2": "422", "3": CUT_AFTER}.get(recipient, "200")
    return "200"


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with HttpReceiver(first_bo_then_cy_fail) as receiver:
        yield receiver


def outcome_of(folder: Path) -> dict[str, int]:
    summary = json.loads((folder / "summary.json").read_bytes())
    return {name: summary[name] for name in ("succeeded", "failed", "unknown", "unsent", "skipped")}


def test_send_again_and_verify_a_receipt(receiver: HttpReceiver, tmp_path: Path) -> None:
    reader = Reader(tmp_path, is_installed=False)
    reader.write({"orders.yaml": job(receiver.port), "people.csv": PEOPLE})
    reader.run("postroad send orders.yaml --out sends/orders --workers 2", 3)
    again = commands(HOWTO / "send-again.md")
    assert again[0] == "postroad send --only failed sends/orders"
    reader.run(f"{again[0]} --out sends/bo")
    reader.run(again[0], 2)
    reader.run(again[1], 2)
    reader.run(f"{again[2]} --out sends/cy")
    assert outcome_of(tmp_path / "sends" / "cy")["succeeded"] == 1
    assert len(set(receiver.keys["3"])) == 1
    assert receiver.copies == {"1": 1, "2": 2, "3": 2, "4": 1}
    for command in commands(HOWTO / "verify-a-receipt.md"):
        reader.run(command)
    check_by_hand(tmp_path)
    (tmp_path / "sends" / "orders" / "summary.json").write_text("{}")
    said = reader.run(commands(HOWTO / "verify-a-receipt.md")[1], 1)
    assert "summary.json" in said


def check_by_hand(folder: Path) -> None:
    (source,) = blocks(HOWTO / "verify-a-receipt.md", "python")
    with contextlib.chdir(folder):
        exec(compile(source, "verify-a-receipt.md", "exec"), {})


def test_a_gb18030_file_with_other_names_and_a_bad_row(tmp_path: Path) -> None:
    reader = Reader(tmp_path, is_installed=False)
    text = "联系电话,姓名\n13800138000,王小明\n13800138001\n13800138000,王小明\n"
    (tmp_path / "people.csv").write_bytes(text.encode("gb18030"))
    lines = commands(HOWTO / "spreadsheets.md")
    reader.run(lines[0], 3)
    said = json.loads(reader.run(f"{lines[1]} --json", 3).splitlines()[-1])
    assert said["encoding"] == "gb18030"
    assert [said[name] for name in ("rows", "accepted", "duplicates", "rejected")] == [3, 1, 1, 1]
    reader.run(lines[2], 3)
    with (tmp_path / "rejected.csv").open(encoding="utf-8-sig", newline="") as file:
        assert "TOO_FEW_CELLS" in {row["code"] for row in csv.DictReader(file)}


def test_an_audience_comes_from_a_database_beside_the_job(tmp_path: Path) -> None:
    reader = Reader(tmp_path, is_installed=False)
    with sqlite3.connect(tmp_path / "people.db") as database:
        database.execute("CREATE TABLE people (number TEXT, name TEXT)")
        database.executemany("INSERT INTO people VALUES (?, ?)", [("1", "Ann"), ("2", "Bo")])
    database.close()
    query = "{ query: { database: 'sqlite:///people.db', sql: 'SELECT number, name FROM people' } }"
    reader.write({"orders.yaml": job(9, query)})
    said = json.loads(reader.run("postroad audience check orders.yaml --json").splitlines()[-1])
    assert said["accepted"] == 2


def embedded(tmp_path: Path, port: int) -> ModuleType:
    source = named_files(HOWTO / "embed-the-engine.md")["batch.py"].replace("8025", str(port))
    module = ModuleType("batch")
    exec(compile(source, "batch.py", "exec"), module.__dict__)
    return module


def test_the_embedded_engine_sends_and_does_not_send_again(
    receiver: HttpReceiver, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = embedded(tmp_path, receiver.port)
    people: Sequence[dict[str, str]] = [{"phone": "1", "name": "Ann"}, {"phone": "2", "name": "Bo"}]
    for _ in range(2):
        summary = asyncio.run(module.send(people, tmp_path))
        assert (summary.total, summary.succeeded) == (2, 2)
    assert receiver.copies == {"messages": 2}
    assert capsys.readouterr().out.splitlines() == ["1 SUCCEEDED HTTP_200", "2 SUCCEEDED HTTP_200"]
