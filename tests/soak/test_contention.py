"""Two at once, a parent that dies alone, processes that are stopped for seconds: one send all the same."""

import signal
from pathlib import Path

import pytest
from tests.soak.sending import FINISHED, TAKEN, Send, calm, check, ended

from postroad.flows.drills.receiver import Receiver

PEOPLE = 600
STOPPED_S = 4.0


@pytest.mark.parametrize("workers", [1, 2])
def test_two_resumes_at_once_are_one_send(tmp_path: Path, workers: int) -> None:
    scenario = calm(PEOPLE, 3.0, workers=workers)
    with Receiver("http", 5, scenario.odds) as receiver:
        send = Send.of(scenario, tmp_path, receiver)
        first = send.start()
        send.wait_for(PEOPLE // 3, first)
        first.kill(0)
        both = [ended(sender).code for sender in [send.resume(), send.resume()]]
        compared = send.compared()
    print(f"workers {workers}: exit codes {both}, {compared.counts}")
    assert set(both) & {*FINISHED}
    assert set(both) <= {*FINISHED, TAKEN}
    check(compared)


@pytest.mark.parametrize("share", [0.1, 0.4, 0.7])
def test_workers_whose_parent_is_killed_alone_leave_the_send_to_the_next(tmp_path: Path, share: float) -> None:
    scenario = calm(PEOPLE, 3.0, workers=2)
    with Receiver("http", 6, scenario.odds) as receiver:
        send = Send.of(scenario, tmp_path, receiver)
        first = send.start()
        send.wait_for(round(PEOPLE * share), first)
        first.kill(0)
        assert ended(send.resume()).code in FINISHED
        compared = send.compared()
    print(f"parent killed at {share:.0%}: {compared.counts}")
    check(compared)
    assert compared.counts["unknown"] <= scenario.concurrency


@pytest.mark.parametrize(("workers", "which"), [(1, 0), (2, 0), (2, 1)])
def test_a_process_that_was_stopped_for_seconds_goes_on_alone(tmp_path: Path, workers: int, which: int) -> None:
    scenario = calm(PEOPLE, 3.0, workers=workers)
    with Receiver("http", 7, scenario.odds) as receiver:
        send = Send.of(scenario, tmp_path, receiver)
        first = send.start()
        send.wait_for(PEOPLE // 3, first)
        first.signal(which, signal.SIGSTOP)
        assert ended(send.resume()).code == TAKEN
        assert not first.wait(STOPPED_S)
        first.signal(which, signal.SIGCONT)
        assert ended(first).code in FINISHED
        compared = send.compared()
    print(f"workers {workers}, process {which} stopped: {compared.counts}")
    check(compared)
