"""What engine tests plug in: a provider that answers by script, sinks that remember, sources of numbers."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from postroad.engine import (
    ConcurrencyPolicy,
    EngineEvent,
    EventKind,
    ExecutionPolicies,
    ItemResult,
    RunSpec,
    RunSummary,
)
from postroad.spi import (
    Capabilities,
    CommitPoint,
    ConcurrencyMode,
    ConfigDocument,
    ConnectionReport,
    OpenContext,
    Preview,
    Problem,
    ProviderDescriptor,
    Rate,
    RateLimit,
    Recipient,
    Rendered,
    RenderError,
    SendRequest,
    SendResult,
    Verdict,
)
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.values import RecipientValue

OK = SendResult(Verdict.ACCEPTED, request_id="r")
Script = Callable[[SendRequest], SendResult | Awaitable[SendResult]]


def refused(category: Category, **more: Any) -> SendResult:
    return SendResult(Verdict.REFUSED, category, **more)


def not_sent(category: Category = Category.NETWORK, **more: Any) -> SendResult:
    return SendResult(Verdict.NOT_SENT, category, **more)


def in_doubt(**more: Any) -> SendResult:
    return SendResult(Verdict.IN_DOUBT, **more)


def always(result: SendResult) -> Script:
    return lambda request: result


def after(seconds: float, result: SendResult = OK) -> Script:
    async def answer() -> SendResult:
        await asyncio.sleep(seconds)
        return result

    return lambda request: answer()


def in_turn(*results: SendResult, then: SendResult = OK) -> Script:
    """The n-th attempt of every item gets the n-th result."""
    return lambda request: results[request.attempt - 1] if request.attempt <= len(results) else then


@dataclass
class Sent:
    sequence: int
    attempt: int
    at_s: float
    key: str
    timeout_s: float
    content: object


class ScriptedProvider:
    """Answers by `script`; `sent` is what reached the remote side, in order. A factory, a renderer and a session."""

    def __init__(self, script: Script | None = None, **descriptor: Any) -> None:
        self.script: Script = script or always(OK)
        self.sent: list[Sent] = []
        self.batches: list[list[int]] = []
        self.in_flight = self.most_in_flight = 0
        self.opened = self.closed = 0
        self.tokens: list[Any] = []
        self.fail_open: Exception | None = None
        self.fail_close: Exception | None = None
        self.problems: list[Problem] = []
        base = ProviderDescriptor(
            "scripted", "Scripted", "test", "", "", "1", {}, {}, {}, CommitPoint.FIRST_REQUEST_BYTE
        )
        descriptor.setdefault("concurrency_mode", ConcurrencyMode.THREAD_SAFE)
        self.descriptor = replace(base, **descriptor)

    def validate_account(self, account: ConfigDocument) -> list[Problem]:
        return self.problems

    def validate_message(self, account: ConfigDocument, message: ConfigDocument) -> list[Problem]:
        return []

    def endpoints(self, account: ConfigDocument, message: ConfigDocument) -> tuple[str, ...]:
        return ()

    def compile(self, account: ConfigDocument, message: ConfigDocument) -> "ScriptedProvider":
        return self

    async def check_connection(self, context: OpenContext) -> ConnectionReport:
        return ConnectionReport(True, "")

    def render(self, recipient: Recipient) -> Rendered:
        fields = recipient.fields
        if "bad" in fields:
            raise RenderError("bad", "cannot be rendered")
        if "broken" in fields:
            raise ZeroDivisionError
        keys = (f"domain:{fields['domain']}",) if "domain" in fields else ()
        if "sender" in fields:
            keys += (f"sender:{fields['sender']}",)
        cost = fields.get("parts", 1)
        assert isinstance(cost, int)
        return Rendered(fields.get("text", ""), keys, cost, batch_key=str(fields.get("batch", "")))

    def preview(self, rendered: Rendered) -> Preview:
        return Preview("to", {"text": str(rendered.content)})

    async def open(self, context: OpenContext) -> "ScriptedSession":
        if self.fail_open is not None:
            raise self.fail_open
        self.opened += 1
        self.tokens.append(context.cancellation)
        return ScriptedSession(self)

    def sequences(self) -> list[int]:
        return [sent.sequence for sent in self.sent]

    def copies(self) -> dict[int, int]:
        """Sequences that arrived more than once."""
        return {sequence: count for sequence, count in Counter(self.sequences()).items() if count > 1}


class ScriptedSession:
    def __init__(self, provider: ScriptedProvider) -> None:
        self._provider = provider

    async def send(self, request: SendRequest) -> SendResult:
        provider = self._provider
        provider.in_flight += 1
        provider.most_in_flight = max(provider.most_in_flight, provider.in_flight)
        try:
            now = asyncio.get_running_loop().time()
            content = request.rendered.content
            provider.sent.append(
                Sent(request.sequence, request.attempt, now, request.idempotency_key, request.timeout_s, content)
            )
            result = provider.script(request)
            return result if isinstance(result, SendResult) else await result
        finally:
            provider.in_flight -= 1

    async def send_batch(self, requests: Sequence[SendRequest]) -> Sequence[SendResult]:
        self._provider.batches.append([request.sequence for request in requests])
        return [await self.send(request) for request in requests]

    async def aclose(self) -> None:
        self._provider.closed += 1
        if self._provider.fail_close is not None:
            raise self._provider.fail_close


class Numbered:
    """A resumable source of `count` recipients whose fields `fields(sequence)` makes."""

    def __init__(
        self, count: int, fields: Callable[[int], dict[str, RecipientValue]] = lambda sequence: {}, start: int = 0
    ) -> None:
        self._end, self._fields, self._at = start + count, fields, start
        self.read_to = start
        self.closed = 0
        self.fail_at: int | None = None
        self.fail_close: Exception | None = None

    async def next_batch(self, limit: int) -> list[Recipient]:
        if self.fail_at is not None and self._at >= self.fail_at:
            raise OSError("the source broke")
        start, self._at = self._at, min(self._at + limit, self._end)
        self.read_to = max(self.read_to, self._at)
        return [self._one(sequence) for sequence in range(start, self._at)]

    def _one(self, sequence: int) -> Recipient:
        return Recipient(sequence, self._fields(sequence), sequence + 2)

    async def skip_to(self, sequence: int) -> None:
        self._at = sequence

    async def read(self, sequences: Sequence[int]) -> list[Recipient]:
        return [self._one(sequence) for sequence in sequences]

    async def aclose(self) -> None:
        self.closed += 1
        if self.fail_close is not None:
            raise self.fail_close


@dataclass
class Results:
    """A result sink in memory; `slow_s` makes every batch take that long."""

    items: list[ItemResult] = field(default_factory=list)
    slow_s: float = 0.0
    fail_append: Exception | None = None
    fail_flush: Exception | None = None
    fail_close: Exception | None = None
    batches: int = 0
    flushed: int = 0
    closed: int = 0

    async def append(self, batch: Sequence[ItemResult]) -> None:
        if self.slow_s:
            await asyncio.sleep(self.slow_s)
        if self.fail_append is not None:
            raise self.fail_append
        self.batches += 1
        self.items.extend(batch)

    async def flush(self) -> None:
        self.flushed += 1
        if self.fail_flush is not None:
            raise self.fail_flush

    async def aclose(self) -> None:
        self.closed += 1
        if self.fail_close is not None:
            raise self.fail_close

    def outcomes(self) -> dict[int, str]:
        return {result.sequence: result.outcome.value for result in self.items}


@dataclass
class Events:
    items: list[EngineEvent] = field(default_factory=list)
    slow_s: float = 0.0
    fail_publish: Exception | None = None
    closed: int = 0

    async def publish(self, event: EngineEvent) -> None:
        if self.slow_s:
            await asyncio.sleep(self.slow_s)
        if self.fail_publish is not None:
            raise self.fail_publish
        self.items.append(event)

    async def aclose(self) -> None:
        self.closed += 1

    def kinds(self, *, progress: bool = False) -> list[EventKind]:
        return [event.kind for event in self.items if progress or event.kind is not EventKind.PROGRESS]


EMPTY = ConfigDocument.of("none", "1", {})


def spec(
    total: int | None = None, *, concurrency: int | ConcurrencyPolicy = 8, run_id: str = "run-1", **policies: Any
) -> RunSpec:
    """A run of the scripted provider. Names of `ExecutionPolicies` are policies, the others belong to the spec."""
    names = ExecutionPolicies.__dataclass_fields__
    chosen = {name: value for name, value in policies.items() if name in names}
    others = {name: value for name, value in policies.items() if name not in names}
    if isinstance(concurrency, int):
        concurrency = ConcurrencyPolicy(1, max(64, concurrency), concurrency)
    chosen["concurrency"] = concurrency
    return RunSpec(run_id, "scripted", EMPTY, EMPTY, ExecutionPolicies(**chosen), total=total, **others)


def counts(summary: RunSummary) -> dict[str, int]:
    """The outcomes that are not zero."""
    names = ("succeeded", "failed", "unknown", "unsent", "skipped")
    return {name: getattr(summary, name) for name in names if getattr(summary, name)}


def limit(scope: Any, count: int, per_s: float) -> RateLimit:
    return RateLimit(scope, Rate(count, per_s))


def keyed(kept_for_s: float) -> Capabilities:
    return Capabilities(idempotency=True, idempotency_kept_for_s=kept_for_s)
