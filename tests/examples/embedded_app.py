"""An application that embeds the engine with a provider of its own: pagers on a shelf, and a shift to be told."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from postroad.engine import (
    ChangeConcurrency,
    ConcurrencyPolicy,
    Engine,
    EngineEvent,
    ExecutionPolicies,
    ItemResult,
    PauseRun,
    ResumeRun,
    RunSpec,
    RunSummary,
)
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
    RenderError,
    SendRequest,
    SendResult,
    Verdict,
)
from postroad.vocabulary.outcomes import Category


@dataclass
class Pagers:
    known: set[str]
    shown: dict[str, str] = field(default_factory=dict)


class PagerSession:
    def __init__(self, pagers: Pagers) -> None:
        self._pagers = pagers

    async def send(self, request: SendRequest) -> SendResult:
        number, text = request.rendered.content  # type: ignore[misc]
        if number not in self._pagers.known:
            return SendResult(Verdict.REFUSED, Category.RECIPIENT_INVALID, code="NO_SUCH_PAGER")
        self._pagers.shown[number] = text
        return SendResult(Verdict.ACCEPTED)

    async def send_batch(self, requests: Sequence[SendRequest]) -> Sequence[SendResult]:
        return [await self.send(request) for request in requests]

    async def aclose(self) -> None:
        """Pagers are never hung up."""


class PagerMessage:
    def __init__(self, text: str) -> None:
        self._text = text

    def render(self, recipient: Recipient) -> Rendered:
        number = recipient.fields.get("number")
        if not isinstance(number, str):
            raise RenderError("number", "is missing")
        return Rendered((number, self._text.format(**recipient.fields)))

    def preview(self, rendered: Rendered) -> Preview:
        number, text = rendered.content  # type: ignore[misc]
        return Preview(number, {"text": text})


class PagerProvider:
    def __init__(self, pagers: Pagers) -> None:
        self._pagers = pagers
        self.descriptor = ProviderDescriptor(
            provider_id="pager",
            title="Pager",
            category="example",
            description="Shows a line on a pager",
            icon="pager",
            version="1.0",
            account_schema={},
            message_schema={},
            recipient_schema={},
            commit_point=CommitPoint.SUBMIT_WRITTEN,
            concurrency_mode=ConcurrencyMode.THREAD_SAFE,
        )

    def validate_account(self, account: ConfigDocument) -> list[Problem]:
        return []

    def validate_message(self, account: ConfigDocument, message: ConfigDocument) -> list[Problem]:
        return [] if message.value().get("text") else [Problem("text", "is empty: write what the pagers should show")]

    def endpoints(self, account: ConfigDocument, message: ConfigDocument) -> tuple[str, ...]:
        return ()

    def compile(self, account: ConfigDocument, message: ConfigDocument) -> PagerMessage:
        return PagerMessage(message.value()["text"])

    async def check_connection(self, context: OpenContext) -> ConnectionReport:
        return ConnectionReport(True, f"{len(self._pagers.known)} pagers on the shelf")

    async def open(self, context: OpenContext) -> PagerSession:
        return PagerSession(self._pagers)


class PrintedResults:
    def __init__(self) -> None:
        self.lines: list[str] = []

    async def append(self, batch: Sequence[ItemResult]) -> None:
        self.lines += [f"{result.sequence} {result.outcome} {result.code}".strip() for result in batch]

    async def flush(self) -> None:
        """Nothing is held back."""

    async def aclose(self) -> None:
        """Nothing is open."""


class PrintedEvents:
    def __init__(self) -> None:
        self.kinds: list[str] = []

    async def publish(self, event: EngineEvent) -> None:
        self.kinds.append(event.kind.value)

    async def aclose(self) -> None:
        """Nothing is open."""


async def tell_the_shift(
    pagers: Pagers, numbers: AsyncIterator[str], results: PrintedResults, events: PrintedEvents
) -> RunSummary:
    account = ConfigDocument.of("pager.account", "1", {})
    message = ConfigDocument.of("pager.message", "1", {"text": "Shift starts, {number}"})
    policies = ExecutionPolicies(concurrency=ConcurrencyPolicy(min=1, max=64, target=2))
    async with Engine([PagerProvider(pagers)], result_sink=results, event_sink=events) as engine:
        spec = RunSpec("night-shift", "pager", account, message, policies)
        handle = await engine.start(spec, ({"number": number} async for number in numbers))
        await handle.submit(PauseRun("pause-1"))
        await handle.submit(ChangeConcurrency("faster", 8))
        refused = await handle.submit(ChangeConcurrency("too-fast", 500))
        assert refused.message == "target is 500: allowed are 1 to 64"
        await handle.submit(ResumeRun("resume-1"))
        return await handle.completion()
