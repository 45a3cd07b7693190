"""A fault that only the fast loop shows."""

import asyncio
import contextlib
from pathlib import Path

import uvloop
from tests.behaviour.local_runs.sending import send, write_job, write_people
from tests.builders.http_receiver import OK, HttpReceiver


def test_regression_an_overdue_timer_of_uvloop_ended_the_run(tmp_path: Path) -> None:
    async def overdue() -> object:
        return asyncio.get_running_loop().call_at(0.0, lambda: None)

    with contextlib.closing(uvloop.new_event_loop()) as loop:
        assert not hasattr(loop.run_until_complete(overdue()), "when"), "what made it a fault"
    write_people(tmp_path, 60)
    policies = {"concurrency": 30, "rate": "unlimited", "retry": {"initial": "1ms", "maxDelay": "1ms", "jitter": 0}}
    with HttpReceiver(lambda _who, copy: "503" if copy < 3 else OK) as receiver:
        summary = send(tmp_path, write_job(tmp_path, receiver.port, policies=policies))
    assert (summary.reason, summary.counts.succeeded) == ("", 60)
