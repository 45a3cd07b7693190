"""`postroad send` as the program runs it, with a provider that sends nothing: job, import, journal, results, receipt.

Import and export are children of this process, as they always are, and its own peak is the sender's. How fast it sent
is read from the journals, from the first INTENT to the last END: processes that start and results that are written
are not sending.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.machine import peak_mb
from benchmarks.noop_worker import PROVIDER_ID, add_noop
from benchmarks.processes import answer
from benchmarks.recipe import IN_FLIGHT, TEXT
from postroad import providers
from postroad.egress import Egress
from postroad.flows.local_runs import SendOrder, Surroundings, prepare_send, start_send
from postroad.flows.local_runs.running import one_worker
from postroad.foundation.clock import SystemClock
from postroad.foundation.home import Home
from postroad.foundation.ids import new_run_id
from postroad.foundation.secret_lookup import SecretLookup
from postroad.journal import list_segments, read_records
from postroad.journal.format import decode
from postroad.journal.records import End, Intent
from postroad.vocabulary.transitions import RunState

_TAIL_BYTES = 64 * 1024


def work(order: Mapping[str, Any]) -> dict[str, float]:
    """`table` by `workers` into a new folder below `folder`."""
    add_noop()
    one_worker.COMMAND = (sys.executable, "-m", "benchmarks.noop_worker")
    started = perf_counter()
    prepared = prepare_send(_order(order), surroundings := _surroundings(Path(order["folder"])))
    summary = start_send(prepared, surroundings)
    whole_s = perf_counter() - started
    if summary.state is not RunState.SUCCEEDED:
        raise RuntimeError(f"the send ended {summary.state}: {summary.reason}")
    sending_s = sending_span_s(prepared.folder / "journal")
    return {"per_s": prepared.audience.accepted / sending_s, "whole_s": whole_s, "peak_mb": peak_mb()}


def sending_span_s(journal: Path) -> float:
    """From the first INTENT of any shard to the last END."""
    segments = list_segments(journal)
    return (max(_ended_at_ms(segment) for segment in segments) - min(_first_at_ms(each) for each in segments)) / 1000


def _first_at_ms(segment: Path) -> int:
    return next(record.at_ms for record in read_records(segment) if isinstance(record, Intent))


def _ended_at_ms(segment: Path) -> int:
    """The last line of a journal that was closed in peace is its END."""
    with segment.open("rb") as file:
        file.seek(max(0, segment.stat().st_size - _TAIL_BYTES))
        record = decode(file.read().rstrip(b"\n").rpartition(b"\n")[2])
    if isinstance(record, End):
        return record.at_ms
    raise RuntimeError(f"{segment.name} ends with {record}")


def _order(order: Mapping[str, Any]) -> SendOrder:
    job = {
        "name": "bench",
        "provider": PROVIDER_ID,
        "message": {"text": TEXT},
        "audience.file": order["table"],
        "policies.concurrency": IN_FLIGHT * order["workers"],
        "policies.rate": "unlimited",
    }
    return SendOrder(overrides=job, out=Path(order["folder"], "send"), workers=order["workers"])


def _surroundings(folder: Path) -> Surroundings:
    egress = Egress()
    return Surroundings(
        provider_loader=lambda provider_id: providers.load(provider_id, egress),
        gate=egress,
        secrets=SecretLookup(),
        clock=SystemClock(),
        home=Home(folder / "home"),
        new_id=new_run_id,
    )


if __name__ == "__main__":
    answer(work)
