"""Whether a slow domain takes anything from the others: permits, places in the queue, time.

Every other recipient belongs to a domain with 1 message a second; the rest belong to fifty quick ones. A send takes
20 ms, 64 are in flight. The others are timed beside the slow half and without it, in turn. What a slow recipient does
cost is processor time: it is read, rendered and put aside. What waits lies in bounded parking (20,000); the slow half
stays below that, since a full one stops the source by design.
"""

import asyncio
import gc
import tempfile
from time import perf_counter, process_time

import uvloop

from benchmarks.loads.engine_run import EMPTY, journal_in
from benchmarks.recipe import IN_FLIGHT, NoopProvider, NoopSession, Numbers
from benchmarks.rounds import in_turn
from postroad.engine import CancelRun, ConcurrencyPolicy, Engine, ExecutionPolicies, RunSpec
from postroad.spi import Rate, Recipient, SendRequest, SendResult, Verdict

OTHERS, QUICK_OTHERS = 9_000, 500
SEND_S = 0.02
SLOW_KEYS = ("domain:slow.example",)
QUICK_KEYS = [(f"domain:quick{number}.example",) for number in range(50)]
POLICIES = ExecutionPolicies(ConcurrencyPolicy(1, IN_FLIGHT, IN_FLIGHT), rates={SLOW_KEYS[0]: Rate(1, 1.0)})


def measure(quick: bool) -> dict[str, float | None]:
    others = QUICK_OTHERS if quick else OTHERS
    alone, beside = in_turn(
        1 if quick else 5,
        lambda: _others_s(others, with_slow=False),
        lambda: _others_s(others, with_slow=True),
    )
    return {
        "fairness_loss": round(beside["seconds"] / alone["seconds"] - 1, 3),
        "fairness_others_per_s": round(others / beside["seconds"]),
        "fairness_alone_per_s": round(others / alone["seconds"]),
        "fairness_cpu_us": round((beside["cpu_s"] - alone["cpu_s"]) / others * 1e6, 1),
    }


class _PatientSession(NoopSession):
    """Answers after SEND_S, and says when the last of the others was answered."""

    def __init__(self, others: int, done: asyncio.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._left, self._done = others, done

    async def send(self, request: SendRequest) -> SendResult:
        answer = self._loop.create_future()
        self._loop.call_later(SEND_S, answer.set_result, None)
        await answer
        if request.rendered.keys != SLOW_KEYS:
            self._left -= 1
            if not self._left:
                self._done.set()
        return SendResult(Verdict.ACCEPTED)


def _keys_beside(recipient: Recipient) -> tuple[str, ...]:
    return SLOW_KEYS if recipient.sequence % 2 else _keys_alone(recipient)


def _keys_alone(recipient: Recipient) -> tuple[str, ...]:
    return QUICK_KEYS[recipient.sequence % len(QUICK_KEYS)]


def _others_s(others: int, *, with_slow: bool) -> dict[str, float]:
    gc.collect()
    return uvloop.run(_run(others, with_slow=with_slow))


async def _run(others: int, *, with_slow: bool) -> dict[str, float]:
    total = others * 2 if with_slow else others
    done = asyncio.Event()
    provider = NoopProvider(
        session=lambda: _PatientSession(others, done), keys_of=_keys_beside if with_slow else _keys_alone
    )
    spec = RunSpec("bench", "noop", EMPTY, EMPTY, POLICIES, total=total)
    with tempfile.TemporaryDirectory(prefix="postroad-bench-") as folder:
        async with Engine([provider]) as engine:
            start, cpu = perf_counter(), process_time()
            handle = await engine.start(spec, Numbers(total), journal=journal_in(folder))
            await done.wait()
            taken = {"seconds": perf_counter() - start, "cpu_s": process_time() - cpu}
            await handle.submit(CancelRun("done", "the others are through"))
            await handle.completion()
    return taken
