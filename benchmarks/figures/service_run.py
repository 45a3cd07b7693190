"""The service beside a run at full speed: its API, its live streams, and the pages of a run of a million.

One audience, two runs of it that are cancelled when they were watched long enough. During the first, callers read and
write; afterwards its results are paged: those who were reached, those who were not, and an outcome that nobody has,
which is the dearest. During the second, watchers come and go in turn; the run's own rate with them and without them
says what they cost.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.machine import RECEIVER, on_core
from benchmarks.processes import ROOT, ask
from benchmarks.receivers import open_receiver
from benchmarks.rounds import in_turn
from benchmarks.service.desk import Desk, desk_at, message
from benchmarks.service.serving import serving

PEOPLE, QUICK_PEOPLE = 1_000_000, 150_000
WATCHERS = 200
API_S, WINDOW_S, ROUNDS = 20.0, 5.0, 3
QUICK_API_S, QUICK_WINDOW_S, QUICK_ROUNDS = 1.0, 0.5, 1
READERS, READ_EVERY_S = 8, 0.1
WRITERS, WRITE_EVERY_S = 4, 0.2
PAGE = 100


def measure(quick: bool) -> dict[str, float | None]:
    people = QUICK_PEOPLE if quick else PEOPLE
    with tempfile.TemporaryDirectory(prefix="postroad-bench-") as name:
        folder = Path(name)
        with open_receiver(folder) as receiver, serving(folder) as service, desk_at(service) as desk:
            job_id = desk.job(receiver.url, desk.audience(people))
            quiet = _called(desk, "", QUICK_API_S if quick else API_S / 4)
            run_id = desk.started(job_id)
            busy = _called(desk, run_id, QUICK_API_S if quick else API_S)
            _still_sends(desk, run_id)
            desk.cancelled(run_id)
            pages_ms = _pages_ms(desk, run_id, people)
            watched_run = desk.started(job_id)
            alone, watched = _watched(desk, watched_run, quick)
            _still_sends(desk, watched_run)
    return {
        "api_read_p99_ms": round(busy["read"]["p99_ms"], 1),
        "api_write_p99_ms": round(busy["write"]["p99_ms"], 1),
        "api_quiet_read_p99_ms": round(quiet["read"]["p99_ms"], 1),
        "api_quiet_write_p99_ms": round(quiet["write"]["p99_ms"], 1),
        "api_errors": _errors(quiet) + _errors(busy),
        "items_page_ms": round(max(pages_ms), 1),
        "service_run_items_per_s": round(alone["per_s"]),
        "sse_watched_items_per_s": round(watched["per_s"]),
        "sse_watchers_slowdown": round(1 - watched["per_s"] / alone["per_s"], 3),
    }


def _called(desk: Desk, run_id: str, seconds: float) -> dict[str, Any]:
    """The pages that people look at during a run, and what they write meanwhile."""
    reads = ["/overview", "/runs", "/jobs", "/messages", "/accounts"]
    reads += [f"/runs/{run_id}", f"/runs/{run_id}/events"] if run_id else []
    body = json.dumps(message(f"During {run_id} {{n}}", {"path": "/send", "bodyTemplate": {"hello": "{{ name }}"}}))
    read = {"kind": "read", "every_s": READ_EVERY_S, "calls": [["GET", desk.path + each, ""] for each in reads]}
    write = {"kind": "write", "every_s": WRITE_EVERY_S, "calls": [["POST", f"{desk.path}/messages", body]]}
    order = {
        "port": desk.port,
        "headers": desk.headers,
        "seconds": seconds,
        "plans": [read] * READERS + [write] * WRITERS,
    }
    return ask("benchmarks.loads.service_calls", order, core=RECEIVER)


def _errors(found: dict[str, Any]) -> int:
    return sum(
        number for kind in found.values() for status, number in kind["statuses"].items() if status not in ("200", "201")
    )


def _pages_ms(desk: Desk, run_id: str, people: int) -> list[float]:
    """One page of each outcome from five places of the run, and the page behind each."""
    found = []
    for outcome in ("SUCCEEDED", "UNSENT", "UNKNOWN"):
        for fifth in range(5):
            query = {"outcome": outcome, "first": people * fifth // 5, "limit": PAGE}
            begun = time.perf_counter()
            page = desk.of(f"/runs/{run_id}/items", **query)
            found.append((time.perf_counter() - begun) * 1000)
            if cursor := page["page"]["nextCursor"]:
                begun = time.perf_counter()
                desk.of(f"/runs/{run_id}/items", **query, cursor=cursor)
                found.append((time.perf_counter() - begun) * 1000)
    return found


def _watched(desk: Desk, run_id: str, quick: bool) -> list[dict[str, float]]:
    window_s = QUICK_WINDOW_S if quick else WINDOW_S

    def alone() -> dict[str, float]:
        return {"per_s": _rate(desk, run_id, window_s)}

    def watched() -> dict[str, float]:
        with _watchers(desk, run_id):
            return {"per_s": _rate(desk, run_id, window_s)}

    return in_turn(QUICK_ROUNDS if quick else ROUNDS, alone, watched)


@contextmanager
def _watchers(desk: Desk, run_id: str) -> Iterator[None]:
    """Raises RuntimeError where somebody was cut off or got nothing."""
    order = {"port": desk.port, "headers": desk.headers, "path": f"{desk.path}/runs/{run_id}/events"}
    command = [sys.executable, "-m", "benchmarks.loads.service_watchers", json.dumps({**order, "watchers": WATCHERS})]
    with on_core(RECEIVER):
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    if process.stdout.readline().strip() != str(WATCHERS):
        raise RuntimeError("the watchers did not come in")
    try:
        yield
    finally:
        said, _ = process.communicate()
    got = json.loads(said)
    if got["ended_early"] or not got["least_events"]:
        raise RuntimeError(f"a watcher missed what happened: {got}")


def _rate(desk: Desk, run_id: str, window_s: float) -> float:
    """From one report of progress to another, `window_s` later or more."""
    first, begun = _next_report(desk, run_id)
    time.sleep(window_s)
    last, ended = _next_report(desk, run_id)
    return (last - first) / (ended - begun)


def _next_report(desk: Desk, run_id: str) -> tuple[int, float]:
    before = desk.run(run_id)["counts"]["succeeded"]
    run = desk.waited(lambda: desk.run(run_id), lambda one: one["counts"]["succeeded"] != before, "a report comes")
    return run["counts"]["succeeded"], time.perf_counter()


def _still_sends(desk: Desk, run_id: str) -> None:
    run = desk.run(run_id)
    if run["state"] != "RUNNING":
        raise RuntimeError(f"the run was too short to be watched: {run['state']} with {run['counts']}")
