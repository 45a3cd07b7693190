"""The tutorial, followed from its first command to its last by the installed program."""

import csv
import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.builders.pages import DOCS, Reader, commands, named_files

PAGE = DOCS / "tutorial" / "first-send.md"
CODES = {
    "postroad send orders.yaml --out sends/first": 3,
    "postroad send orders.yaml": 2,
    "postroad send --resume sends/many --rate 1000/s": 3,
}
BEFORE_THE_PLUG = commands(PAGE).index("postroad send many.yaml --out sends/many")


class Neighbour:
    """The page's receiver, on a port that the system chose, as a process of its own."""

    def __init__(self, folder: Path) -> None:
        source = named_files(PAGE)["receiver.py"]
        started = 'ThreadingHTTPServer(("127.0.0.1", 8025), Service).serve_forever()'
        assert started in source
        told = 'server = ThreadingHTTPServer(("127.0.0.1", 0), Service)\nprint(server.server_port, flush=True)\n'
        script = folder / "receiver.py"
        script.write_text(source.replace(started, f"{told}server.serve_forever()"), encoding="utf-8")
        self.process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())

    def told(self) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/") as answer:
            return str(answer.read().decode())

    def count(self) -> int:
        return int(self.told().split()[0])


@pytest.fixture
def neighbour(tmp_path: Path) -> Iterator[Neighbour]:
    neighbour = Neighbour(tmp_path)
    yield neighbour
    neighbour.process.kill()
    neighbour.process.wait()
    assert neighbour.process.stdout is not None
    neighbour.process.stdout.close()


@pytest.fixture
def reader(tmp_path: Path, neighbour: Neighbour) -> Reader:
    reader = Reader(tmp_path)
    files = {name: text for name, text in named_files(PAGE).items() if name != "receiver.py"}
    reader.write(files, {"127.0.0.1:8025": f"127.0.0.1:{neighbour.port}"})
    return reader


def rows(folder: Path, outcome: str) -> list[dict[str, str]]:
    with (folder / f"{outcome}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def follow(reader: Reader, lines: list[str]) -> dict[str, str]:
    """Runs the commands of our program among `lines`; what each said."""
    return {line: reader.run(line, CODES.get(line, 0)) for line in lines if line.startswith("postroad ")}


def test_six_rows_end_as_the_page_says(reader: Reader, neighbour: Neighbour, tmp_path: Path) -> None:
    said = follow(reader, commands(PAGE)[:BEFORE_THE_PLUG])
    checked = said["postroad audience check orders.yaml"]
    assert [re.search(rf"{name} +(\d+)", checked)[1] for name in ("rows", "accepted", "duplicates")] == ["6", "5", "1"]  # type: ignore[index]
    assert 'Dear Ann \\"Annie\\" O\'Brien' in said["postroad message preview orders.yaml --row 3"]
    first = tmp_path / "sends" / "first"
    assert [(row["name"], row["code"]) for row in rows(first, "failed")] == [("Bo", "HTTP_422")]
    assert [row["name"] for row in rows(first, "unknown")] == ["Cy"]
    assert len(rows(first, "succeeded")) == 3
    assert [row["name"] for row in rows(tmp_path / "sends" / "bo", "succeeded")] == ["Bo"]
    assert neighbour.told() == "5 recipients, 1 of them with a second copy\n"


def test_a_send_that_was_killed_goes_on_and_its_receipt_holds(
    reader: Reader, neighbour: Neighbour, tmp_path: Path
) -> None:
    send = reader.start(commands(PAGE)[BEFORE_THE_PLUG])
    while neighbour.count() < 50:
        assert send.poll() is None
    send.kill()
    send.wait()
    said = follow(reader, commands(PAGE)[BEFORE_THE_PLUG + 1 :])
    assert "The receipt holds" in said["postroad receipt verify sends/many --key installation.pem"]
    summary = json.loads((tmp_path / "sends" / "many" / "summary.json").read_bytes())
    five = [summary[name] for name in ("succeeded", "failed", "unknown", "unsent", "skipped")]
    assert sum(five) == summary["total"] == 2000
    assert summary["unknown"] <= 16
    assert neighbour.told().endswith(" 0 of them with a second copy\n")
