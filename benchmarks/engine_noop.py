"""The engine alone: a provider that sends nothing, rendering and the journal on.

`measure()` gives items per second and CPU microseconds per item, with the journal and without it.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import minijinja

from postroad.engine import ConcurrencyPolicy, Engine, ExecutionPolicies, RunSpec, RunSummary
from postroad.journal import Journal, open_journal
from postroad.spi import (
    CommitPoint,
    ConcurrencyMode,
    ConfigDocument,
    ConnectionReport,
    OpenContext,
    Preview,
    Problem,
    ProviderDescriptor,
    Recipient,
    Rendered,
    SendRequest,
    SendResult,
    Verdict,
)

IN_FLIGHT = 64
TEMPLATE = "您好 {{ name }},您的订单 {{ order }} 已于 {{ date }} 发出,金额 {{ amount }} 元。"


class NoopSession:
    async def send(self, request: SendRequest) -> SendResult:
        return SendResult(Verdict.ACCEPTED)

    async def send_batch(self, requests: Sequence[SendRequest]) -> Sequence[SendResult]:
        return [SendResult(Verdict.ACCEPTED) for _ in requests]

    async def aclose(self) -> None:
        """Nothing is open."""


class SuspendingSession(NoopSession):
    """Waits for one turn of the loop, as a transport does."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()

    async def send(self, request: SendRequest) -> SendResult:
        answer = self._loop.create_future()
        self._loop.call_soon(answer.set_result, None)
        await answer
        return SendResult(Verdict.ACCEPTED)


class NoopRenderer:
    def __init__(self) -> None:
        environment = minijinja.Environment(templates={"text": TEMPLATE}, fuel=50_000)
        self._render: Callable[..., str] = environment.render_template

    def render(self, recipient: Recipient) -> Rendered:
        return Rendered(self._render("text", **recipient.fields))

    def preview(self, rendered: Rendered) -> Preview:
        return Preview("nobody", {"text": str(rendered.content)})


class NoopProvider:
    def __init__(self, session: type[NoopSession] = NoopSession) -> None:
        self._session = session
        self.descriptor = ProviderDescriptor(
            "noop", "Noop", "test", "", "", "1", {}, {}, {}, CommitPoint.FIRST_REQUEST_BYTE,
            concurrency_mode=ConcurrencyMode.THREAD_SAFE,
        )  # fmt: skip

    def validate_account(self, account: ConfigDocument) -> list[Problem]:
        return []

    def validate_message(self, account: ConfigDocument, message: ConfigDocument) -> list[Problem]:
        return []

    def endpoints(self, account: ConfigDocument, message: ConfigDocument) -> tuple[str, ...]:
        return ()

    def compile(self, account: ConfigDocument, message: ConfigDocument) -> NoopRenderer:
        return NoopRenderer()

    async def check_connection(self, context: OpenContext) -> ConnectionReport:
        return ConnectionReport(True, "nothing to reach")

    async def open(self, context: OpenContext) -> NoopSession:
        return self._session()


class Numbers:
    """A source that makes its recipients when asked."""

    def __init__(self, count: int) -> None:
        self._count, self._at = count, 0

    async def next_batch(self, limit: int) -> list[Recipient]:
        start, self._at = self._at, min(self._at + limit, self._count)
        return [self._one(sequence) for sequence in range(start, self._at)]

    def _one(self, sequence: int) -> Recipient:
        fields = {"name": "李雷", "order": f"A{sequence}", "date": "2026-11-30", "amount": "12.50"}
        return Recipient(sequence, dict(fields), sequence + 2)

    async def skip_to(self, sequence: int) -> None:
        self._at = sequence

    async def read(self, sequences: Sequence[int]) -> list[Recipient]:
        return [self._one(sequence) for sequence in sequences]

    async def aclose(self) -> None:
        """Nothing is open."""


@asynccontextmanager
async def _journal(kept: bool) -> AsyncIterator[Journal | None]:
    if not kept:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        yield open_journal(
            Path(folder), run_id="bench", shard=0, fencing_token="1", config_sha256="0" * 64, started_at_ms=0
        )


async def run_once(count: int, *, journal: bool, session: type[NoopSession] = NoopSession) -> RunSummary:
    empty = ConfigDocument.of("none", "1", {})
    concurrency = ConcurrencyPolicy(1, IN_FLIGHT, IN_FLIGHT)
    spec = RunSpec("bench", "noop", empty, empty, ExecutionPolicies(concurrency), total=count)
    async with Engine([NoopProvider(session)]) as engine, _journal(journal) as kept:
        handle = await engine.start(spec, Numbers(count), journal=kept)
        return await handle.completion()


def measure(count: int = 100_000) -> dict[str, float]:
    """Items per second and CPU microseconds per item (all threads), by variant."""
    import uvloop

    figures: dict[str, float] = {}
    variants: list[tuple[str, dict[str, Any]]] = [
        ("journal", {"journal": True}),
        ("no_journal", {"journal": False}),
        ("journal_suspending", {"journal": True, "session": SuspendingSession}),
    ]
    for name, options in variants:
        uvloop.run(run_once(count // 10, **options))
        wall, cpu = time.perf_counter(), time.process_time()
        summary = uvloop.run(run_once(count, **options))
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        if summary.succeeded != count:
            raise RuntimeError(f"{name}: {summary}")
        figures[f"engine_{name}_items_per_s"] = round(count / wall)
        figures[f"engine_{name}_cpu_us_per_item"] = round(cpu / count * 1e6, 2)
    return figures


if __name__ == "__main__":
    for figure, value in measure().items():
        print(f"{figure}: {value:,}")
