"""The service as people start it: beginnings that are refused, and ends that lose nothing."""

import json
import signal
import socket
import sqlite3
import threading
from pathlib import Path

import httpx
import pytest
from tests.builders.served import refused, served


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def test_a_first_start_prints_a_link_that_makes_the_administrator_once(data: Path) -> None:
    with served(data) as first:
        assert first.setup_link.startswith(f"{first.url}/setup#code=")
        assert str(data / "keys" / "service-keys.json") in "\n".join(first.banner)
        assert first.get("/health/ready").json()["status"] == "ready"
        asked = {"code": first.setup_code, "username": "root", "password": "correct horse battery"}
        made = httpx.post(f"{first.url}/api/v1/setup", json=asked, trust_env=False)
        again = httpx.post(f"{first.url}/api/v1/setup", json={**asked, "username": "other"}, trust_env=False)
        assert made.status_code == 201, made.text
        assert again.status_code in (400, 409)
        assert first.setup_code not in first.log.read_text().replace("\n".join(first.banner), "")
        assert first.stop(signal.SIGTERM) == 0
    with served(data) as second:
        assert second.setup_link == ""


def test_a_stop_ends_live_streams_and_answers_nobody_half(data: Path) -> None:
    with served(data) as running:
        made = httpx.post(
            f"{running.url}/api/v1/setup",
            json={"code": running.setup_code, "username": "root", "password": "correct horse battery"},
            trust_env=False,
        )
        assert made.status_code == 201
        with httpx.Client(base_url=running.url, trust_env=False, headers={"x-postroad-csrf": "1"}) as admin:
            signed_in = {"username": "root", "password": "correct horse battery"}
            assert admin.post("/api/v1/sessions", json=signed_in).status_code == 201
            workspace = admin.get("/api/v1/workspaces").json()["items"][0]["id"]
            with admin.stream("GET", f"/api/v1/workspaces/{workspace}/events") as stream:
                lines = stream.iter_lines()
                assert next(line for line in lines if line.startswith(":")) == ": open"
                running.process.send_signal(signal.SIGTERM)
                assert list(lines) is not None
        assert running.process.wait(10) == 0
        assert not (data / "running.json").exists()


def test_a_killed_service_starts_again_where_it_was(data: Path) -> None:
    with served(data) as first:
        first.stop(signal.SIGKILL)
        assert (data / "running.json").exists()
    with served(data) as second:
        assert second.get("/health/ready").status_code == 200
        assert second.setup_link != ""
        assert second.stop(signal.SIGINT) == 0


def test_a_second_service_on_the_same_folder_is_refused(data: Path) -> None:
    with served(data) as first:
        second = refused(data)
        assert second.returncode == 2
        assert f"process {first.process.pid}" in second.stderr
        assert "Traceback" not in second.stderr
        assert first.get("/health/live").status_code == 200


def test_a_port_that_is_taken_is_refused(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        ended = refused(data, ["--port", str(other.getsockname()[1])])
    assert ended.returncode == 2
    assert "choose another port" in ended.stderr


def test_an_open_address_without_tls_is_refused_before_anything_is_made(data: Path) -> None:
    ended = refused(data, ["--host", "0.0.0.0"])
    assert ended.returncode == 2
    assert "server.publicBaseUrl" in ended.stderr
    assert not data.exists()


def test_keys_that_others_may_read_are_refused(data: Path) -> None:
    with served(data) as first:
        first.stop(signal.SIGTERM)
    (data / "keys" / "service-keys.json").chmod(0o644)
    ended = refused(data)
    assert ended.returncode in (1, 2)
    assert "chmod 600" in ended.stderr


def test_a_setting_nobody_knows_is_refused_with_the_nearest_one(data: Path) -> None:
    data.mkdir(mode=0o700)
    (data / "postroad.yaml").write_text("server:\n  prot: 8080\n")
    ended = refused(data)
    assert ended.returncode == 2
    assert "server.port" in ended.stderr


def test_a_file_that_is_no_database_is_refused_and_kept(data: Path) -> None:
    data.mkdir(mode=0o700)
    (data / "postroad.db").write_bytes(b"these are not the rows you are looking for" * 100)
    ended = refused(data)
    assert ended.returncode in (1, 2)
    assert "Traceback" not in ended.stderr
    assert (data / "postroad.db").read_bytes().startswith(b"these are not")


def test_a_start_without_room_is_refused_and_the_next_one_works(data: Path) -> None:
    ended = refused(data, largest_file=100_000)
    assert ended.returncode == 1
    assert "check the disk" in ended.stderr or "make room" in ended.stderr
    assert "Traceback" not in ended.stderr
    with served(data) as running:
        assert running.get("/health/ready").status_code == 200
        assert (data / "postroad.db").stat().st_mode & 0o077 == 0
        running.stop(signal.SIGTERM)


def test_no_request_is_lost_by_a_stop_while_it_is_under_way(data: Path) -> None:
    with served(data) as running:
        answers: list[int] = []
        stopping = threading.Event()

        def ask() -> None:
            with httpx.Client(base_url=running.url, trust_env=False) as client:
                while not stopping.is_set():
                    try:
                        answers.append(client.get("/health/ready").status_code)
                    except httpx.TransportError:
                        stopping.set()

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        while len(answers) < 20:
            threads[0].join(0.01)
        assert running.stop(signal.SIGTERM) == 0
        stopping.set()
        for thread in threads:
            thread.join(10)
    assert set(answers) <= {200, 503}


def test_the_log_is_json_and_names_every_request(data: Path) -> None:
    with served(data, more={"POSTROAD_LOGGING_FORMAT": "json"}) as running:
        trace = running.get("/api/v1/nothing").json()["traceId"]
        running.stop(signal.SIGTERM)
        lines = [json.loads(line) for line in running.log.read_text().splitlines() if line.startswith("{")]
    assert [line["status"] for line in lines if line.get("traceId") == trace] == [404]
    assert {"service.started", "service.stopped"} <= {line["event"] for line in lines}


def test_what_was_stored_is_whole_after_a_kill(data: Path) -> None:
    with served(data) as running:
        running.stop(signal.SIGKILL)
    with sqlite3.connect(data / "postroad.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM workspaces").fetchone() == (1,)
