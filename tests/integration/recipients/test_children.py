import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.builders.tables import MOBILE_SCHEMA, rows_of

from postroad.recipients import FileInput, ImportRequest, import_audience
from postroad.recipients.children import child_environment, run_child
from postroad.recipients.intake.wire import request_to_wire
from postroad.vocabulary.errors import AudienceInvalid, PostroadError

MODULE = "postroad.recipients.import_child"


def test_an_import_in_a_child_reports_as_if_it_were_here(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("手机号,n\n13800000001,a\n13800000001,b\nx,c\n", encoding="utf-8")
    seen: list[int] = []

    report = import_audience(
        ImportRequest(FileInput(path), tmp_path / "out", key=("mobile",), recipient_schema=MOBILE_SCHEMA),
        on_progress=seen.append,
    )

    assert (report.rows, report.accepted, report.duplicates, report.rejected) == (3, 1, 1, 1)
    assert rows_of(report.snapshot) == [(2, "13800000001", "a")]
    assert seen[-1] == 3


def test_an_error_of_the_child_is_raised_here(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("mobile\nx\n")

    with pytest.raises(AudienceInvalid) as refused:
        import_audience(ImportRequest(FileInput(path), tmp_path / "out", recipient_schema=MOBILE_SCHEMA))

    assert (refused.value.field, refused.value.row) == ("file", 2)
    assert (tmp_path / "out" / "errors.csv").is_file()


def test_a_child_that_dies_is_told_with_its_last_words() -> None:
    with pytest.raises(PostroadError, match=r"ended early \(exit code 1\).*No module named"):
        run_child("postroad.recipients.no_such_child", {})


def test_an_import_can_be_ended_from_outside_and_leaves_no_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("mobile\n" + "".join(f"{number}\n" for number in range(200_000)))

    with pytest.raises(PostroadError, match="ended early"):
        import_audience(ImportRequest(FileInput(path), tmp_path / "out"), on_start=lambda kill: kill())

    assert not (tmp_path / "out" / "audience.parquet").exists()


def test_regression_a_child_makes_no_folder_that_was_removed_when_its_parent_died(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("mobile\n13800000001\n")

    with pytest.raises(PostroadError, match="ended early"):
        run_child(MODULE, request_to_wire(ImportRequest(FileInput(path), tmp_path / "out"), None))

    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("how", ["closed", "killed"])
def test_a_child_leaves_when_its_parent_does(tmp_path: Path, how: str) -> None:
    pipe_in, pipe_out = os.pipe()
    fifo = tmp_path / "people.csv"
    fifo.write_text("name\n" + "a\n" * 10)
    wire = request_to_wire(ImportRequest(FileInput(fifo), tmp_path / "out"), None)
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            _PARENT,
        ],
        stdin=subprocess.PIPE,
        stdout=pipe_out,
    )
    os.close(pipe_out)
    assert parent.stdin is not None
    parent.stdin.write(json.dumps(wire).encode() + b"\n")
    parent.stdin.flush()
    assert os.read(pipe_in, 2) == b"up"

    if how == "killed":
        parent.send_signal(signal.SIGKILL)
    parent.stdin.close()
    parent.wait(timeout=10)

    assert os.read(pipe_in, 100) == b"", "the pipe ends when the last process that holds it is gone"
    os.close(pipe_in)


_WAITING_CHILD = (
    "import threading\n"
    "from postroad.recipients.children import serve_parent\n"
    "serve_parent(lambda wire, report: threading.Event().wait())\n"
)
_PARENT = (
    "import os, subprocess, sys\n"
    f"child = subprocess.Popen([sys.executable, '-c', {_WAITING_CHILD!r}], stdin=subprocess.PIPE)\n"
    "child.stdin.write(sys.stdin.buffer.readline()); child.stdin.flush()\n"
    "os.write(1, b'up'); sys.stdin.buffer.read()\n"
)


def test_regression_secrets_of_the_environment_went_into_every_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POSTROAD_SECRET_CANARY", "canary-value")
    monkeypatch.setenv("KEPT", "yes")

    environment = child_environment()

    assert "canary-value" not in environment.values()
    assert environment["KEPT"] == "yes"


@pytest.mark.parametrize("name", ["PGPASSWORD", "PGPASSFILE", "POSTROAD_DATABASE_PASSWORD", "POSTROAD_DATABASE_URL"])
def test_regression_the_database_password_of_the_service_went_to_whatever_server_a_query_named(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "canary-value")

    environment = child_environment()

    assert "canary-value" not in environment.values()
    assert environment["PGPASSFILE"] == os.devnull
