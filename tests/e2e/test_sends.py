"""Whole sends with the installed program: exit codes, files, JSON, resume and re-send."""

import json
import signal
import stat
from pathlib import Path

from tests.builders.http_receiver import HANG, HttpReceiver
from tests.e2e.program import Desk, write_job, write_people

SUMMARY_FIELDS = (
    "runId state reason total succeeded failed unknown unsent skipped retried maybeDoubled rows accepted duplicates "
    "rejected startedAt endedAt suppressedErrors sourceRunId out"
)


def test_a_send_that_reaches_everyone_ends_with_0_and_leaves_all_its_files(tmp_path: Path) -> None:
    with HttpReceiver() as receiver:
        write_people(tmp_path, "p1", "p2", "p3")
        write_job(tmp_path, receiver.port)
        said = Desk(tmp_path).run("send", "job.yaml", "--yes", "--json")
    assert said.code == 0
    assert " ".join(said.last_object) == SUMMARY_FIELDS
    assert said.last_object["state"] == "SUCCEEDED"
    assert said.last_object["succeeded"] == said.last_object["total"] == 3
    folder = Path(said.last_object["out"])
    assert folder.parent == tmp_path / "sends"
    names = {file.name for file in folder.iterdir()}
    assert names >= {"results.parquet", "summary.json", "receipt.json"}
    assert names >= {f"{outcome}.csv" for outcome in ("succeeded", "failed", "unknown", "unsent", "skipped")}
    (key,) = (file for file in (tmp_path / "home" / "keys").iterdir() if ".pub." not in file.name)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_a_refused_account_ends_with_1_and_leaves_the_rest_unsent(tmp_path: Path) -> None:
    with HttpReceiver(lambda _recipient, _copy: "401") as receiver:
        write_people(tmp_path, *(f"p{number}" for number in range(30)))
        write_job(tmp_path, receiver.port, policies={"concurrency": 1, "rate": "unlimited"})
        said = Desk(tmp_path).run("send", "job.yaml", "--yes", "--json")
    assert (said.code, said.last_object["state"]) == (1, "FAILED")
    assert said.last_object["unsent"] > 0


def test_sigterm_cancels_cleanly_and_ends_with_4(tmp_path: Path) -> None:
    with HttpReceiver(lambda recipient, _copy: HANG if recipient == "p1" else "200") as receiver:
        write_people(tmp_path, "p1", "p2", "p3")
        write_job(tmp_path, receiver.port, policies={"concurrency": 1, "rate": "unlimited"})
        process = Desk(tmp_path).start("send", "job.yaml", "--yes", "--json")
        receiver.wait_for(1)
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        while "Cancelling" not in process.stderr.readline():
            assert process.poll() is None
        receiver.release()
        out, _err = process.communicate(timeout=40)
    summary = json.loads(out.splitlines()[-1])
    assert (process.returncode, summary["state"]) == (4, "CANCELLED")
    assert (summary["succeeded"], summary["unsent"]) == (1, 2)


def test_two_workers_share_a_send(tmp_path: Path) -> None:
    with HttpReceiver() as receiver:
        people = [f"p{number}" for number in range(40)]
        write_people(tmp_path, *people)
        write_job(tmp_path, receiver.port)
        said = Desk(tmp_path).run("send", "job.yaml", "--yes", "--workers", "2", "--json")
        assert said.code == 0
        assert receiver.copies == dict.fromkeys(people, 1)
