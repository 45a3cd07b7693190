"""The installed program and a real nginx, both interrupted: its result files agree with the server's log."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

from tests.builders.authority import Authority
from tests.builders.daemons import room
from tests.builders.nginx import Behaviour, Nginx, running_nginx
from tests.e2e.program import PATIENCE_S, Desk, write_job, write_people
from tests.peers.sending import check, outcomes_in
from tests.peers.test_nginx_interruptions import CUT_BY_ONE_END, SLOW_ANSWERS, stop_and_start
from tests.peers.web import MESSAGE, names

POLICIES: dict[str, Any] = {
    "concurrency": 8,
    "rate": "unlimited",
    "retry": {"maxAttempts": 12, "initial": "50ms", "maxDelay": "400ms"},
}


def desk_for(folder: Path, nginx: Nginx, count: int, **changes: Any) -> Desk:
    write_people(folder, *names(count))
    write_job(folder, nginx.port, **({"message": MESSAGE, "policies": POLICIES} | changes))
    return Desk(folder)


def ended(process: "subprocess.Popen[str]") -> tuple[int, dict[str, Any]]:
    out, err = process.communicate(timeout=PATIENCE_S)
    assert "Traceback" not in err, err
    return process.returncode, json.loads(out.splitlines()[-1])


def test_a_send_goes_on_where_the_server_was_stopped(tmp_path: Path) -> None:
    with running_nginx(SLOW_ANSWERS) as nginx:
        process = desk_for(tmp_path, nginx, 1000).start("send", "job.yaml", "--yes", "--json", "--out", "out")
        stop_and_start(nginx)
        code, summary = ended(process)
        check(outcomes_in(tmp_path / "out", "id"), names(1000), nginx.final_copies())
    assert (code, summary["state"], summary["failed"], summary["unsent"]) == (3, "PARTIAL", 0, 0)
    assert 1 <= summary["unknown"] <= 3 * CUT_BY_ONE_END


def test_a_killed_send_resumes_against_a_reloaded_server(tmp_path: Path) -> None:
    with running_nginx(SLOW_ANSWERS) as nginx:
        desk = desk_for(tmp_path, nginx, 600)
        process = desk.start("send", "job.yaml", "--yes", "--json", "--out", "out", "--workers", "2")
        nginx.wait_for(200)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        nginx.reload()
        code, summary = ended(desk.start("send", "--resume", "out", "--yes", "--json"))
        served_by = {line.generation for line in nginx.final_answers()}
        check(outcomes_in(tmp_path / "out", "id"), names(600), nginx.final_copies())
    assert (summary["failed"], summary["unsent"], served_by) == (0, 0, {1, 2})
    assert summary["unknown"] <= 2 * 8
    assert code == (3 if summary["unknown"] else 0)


def test_a_send_over_tls_reaches_everyone(tmp_path: Path) -> None:
    with room("nginx-tls") as folder:
        authority = Authority(folder)
        with running_nginx(Behaviour(certificate=authority.issue("127.0.0.1"))) as nginx:
            account = {"baseUrl": f"https://127.0.0.1:{nginx.port}", "tls": {"caFile": str(authority.ca_file)}}
            said = desk_for(tmp_path, nginx, 200, account=account).run("send", "job.yaml", "--yes", "--out", "out")
            check(outcomes_in(tmp_path / "out", "id"), names(200), nginx.final_copies())
    assert said.code == 0, said.err
