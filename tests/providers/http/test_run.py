"""Whole runs through the engine over loopback: every recipient accounted for, and nobody written to twice."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from tests.builders.http_service import Reply, Taken, http_service
from tests.providers.http.sending import Secrets

from postroad.egress import AddressPolicy, Egress
from postroad.engine import Engine, ExecutionPolicies, RetryPolicy, RunSpec, RunSummary
from postroad.providers.http import HttpProvider
from postroad.spi import ConfigDocument, Rate, Recipient
from postroad.vocabulary.transitions import RunState

KEEPING = {"idempotency": {"header": "Idempotency-Key", "keptFor": "PT24H"}}


class Service:
    """Answers by the recipient's name: what stands in `first` is its first answer, 200 all later ones."""

    def __init__(self, first: Mapping[str, Reply] | None = None) -> None:
        self.first = dict(first or {})
        self.seen: Counter[str] = Counter()
        self.keys: set[tuple[str, str]] = set()

    def __call__(self, taken: Taken) -> Reply:
        name = taken.path.rpartition("/")[2]
        self.seen[name] += 1
        self.keys.add((name, taken.headers.get("idempotency-key", "")))
        return self.first.pop(name, Reply(200))


async def run(service: Service, count: int, account: Mapping[str, Any] | None = None) -> RunSummary:
    async with http_service(service) as server:
        base = {"baseUrl": f"http://127.0.0.1:{server.port}", **(account or {})}
        message = {"path": "/to/{{ name }}", "bodyTemplate": {"name": "{{ name }}"}}
        policies = ExecutionPolicies(
            rates={"run": Rate(0, 1.0)}, retry=RetryPolicy(max_attempts=3, initial_s=0.01, jitter=0.0)
        )
        documents = ConfigDocument.of("a", "1", base), ConfigDocument.of("m", "1", message)
        spec = RunSpec("run-1", "http", *documents, policies, total=count)
        people = (Recipient(sequence, {"name": f"n{sequence}"}, sequence + 2) for sequence in range(count))
        engine = Engine([HttpProvider(Egress(AddressPolicy(["127.0.0.0/8"])))], secrets=Secrets())
        try:
            return await (await engine.start(spec, people)).completion()
        finally:
            await engine.aclose()


async def test_every_row_is_one_request() -> None:
    service = Service()
    summary = await run(service, 300)
    assert (summary.state, summary.succeeded) == (RunState.SUCCEEDED, 300)
    assert service.seen == Counter({f"n{sequence}": 1 for sequence in range(300)})


async def test_what_is_refused_for_a_while_is_tried_again_and_counted() -> None:
    service = Service({"n3": Reply(503), "n4": Reply(429, headers=(("Retry-After", "0"),)), "n5": Reply(500)})
    summary = await run(service, 20)
    assert (summary.state, summary.succeeded, summary.retried) == (RunState.SUCCEEDED, 20, 3)
    assert summary.maybe_doubled == 2


async def test_a_lost_answer_is_unknown_and_not_sent_again() -> None:
    service = Service({"n3": Reply(cut=True), "n4": Reply(504)})
    summary = await run(service, 20)
    assert (summary.state, summary.succeeded, summary.unknown) == (RunState.PARTIAL, 18, 2)
    assert set(service.seen.values()) == {1}


async def test_a_lost_answer_is_asked_again_under_the_same_key() -> None:
    service = Service({"n3": Reply(cut=True), "n4": Reply(504)})
    summary = await run(service, 20, KEEPING)
    assert (summary.state, summary.succeeded, summary.unknown) == (RunState.SUCCEEDED, 20, 0)
    assert (service.seen["n3"], service.seen["n4"]) == (2, 2)
    assert len(service.keys) == 20


async def test_refused_credentials_end_the_run_fast() -> None:
    service = Service({f"n{sequence}": Reply(401) for sequence in range(500)})
    summary = await run(service, 500)
    assert summary.state is RunState.FAILED
    assert summary.failed + summary.unsent == 500
    assert summary.unsent > 400
