"""The tutorial of the service, followed by the installed program, a shell and curl."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.builders.pages import DOCS, POSTROAD, blocks, named_files
from tests.builders.served import Served, served

PAGE = DOCS / "tutorial" / "first-service-run.md"
PASSWORD = "correct horse battery"
PARTLY = 3


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """The reader's folder: files as the page shows them, and its receiver on a port that the system chose."""
    files = named_files(PAGE)
    started = 'ThreadingHTTPServer(("127.0.0.1", 8025), Service).serve_forever()'
    told = 'server = ThreadingHTTPServer(("127.0.0.1", 0), Service)\nprint(server.server_port, flush=True)\n'
    assert started in files["receiver.py"]
    script = tmp_path / "receiver.py"
    script.write_text(files.pop("receiver.py").replace(started, f"{told}server.serve_forever()"), encoding="utf-8")
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    port = process.stdout.readline().strip()
    for name, content in files.items():
        (tmp_path / name).write_text(content.replace("127.0.0.1:8025", f"127.0.0.1:{port}"), encoding="utf-8")
    yield tmp_path
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.fixture
def running(folder: Path) -> Iterator[Served]:
    with served(folder / "service" / "data", ["--config", str(folder / "postroad.yaml")]) as found:
        yield found


@pytest.fixture(autouse=True)
def _place_for_logs(folder: Path) -> None:
    (folder / "service").mkdir()


def script_of(page_blocks: list[str], running: Served) -> str:
    """The page's shell, with the questions answered and the codes it names expected."""
    lines = []
    for line in "\n".join(page_blocks).replace("\\\n", " ").replace("127.0.0.1:18990", running.url[7:]).splitlines():
        asks = line.startswith(("postroad jobs run", "postroad runs resend"))
        ends_partly = asks or line.startswith("postroad runs watch")
        answered = f"{line} --yes" if asks else line
        lines.append(f"{answered} || [ $? = {PARTLY} ]" if ends_partly else answered)
    return "\n".join(["set -eu", *lines])


def test_the_page_can_be_followed_to_its_end(folder: Path, running: Served) -> None:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("POSTROAD_")},
        "PATH": f"{Path(POSTROAD).parent}:{os.environ['PATH']}",
        "POSTROAD_HOME": str(folder / "home"),
        "POSTROAD_LANG": "en",
    }
    entered = subprocess.run(
        [POSTROAD, "login", "--link", running.setup_link, "--username", "root", "--password-stdin"],
        env=environment,
        input=f"{PASSWORD}\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert entered.returncode == 0, entered.stderr
    shell = blocks(PAGE, "sh")
    assert shell[0].startswith("make setup")
    done = subprocess.run(
        ["sh", "-c", script_of(shell[1:], running)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("Finished; not everyone was reached.") == 3
    assert "Bo" in done.stdout
    assert "HTTP_422" in done.stdout
    assert '"state":"PENDING"' in done.stdout
    assert (folder / "results" / "failed.csv").read_text(encoding="utf-8-sig").count("Bo") == 1
    assert json.loads((folder / "results" / "receipt.json").read_bytes())
