"""Looking before sending: every message is made, none is sent.

Reads the whole source once with flat memory. Finds what would fail at dispatch (a missing field, a bad value) with row
and field, and adds up costs and sizes.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from postroad.engine.ports import Gatekeeper, Hold, Skip
from postroad.engine.sources import Recipients, adapt
from postroad.spi import (
    ConfigDocument,
    Preview,
    ProviderFactory,
    Recipient,
    RenderError,
    SendRequest,
    SendResult,
    Verdict,
)

DRY_RUN_CODE = "DRY_RUN"
_PROBLEMS_KEPT = 1000
_WARNINGS_KEPT = 100


@dataclass(frozen=True, slots=True)
class DryRunProblem:
    sequence: int
    row: int
    field: str
    message: str


@dataclass(slots=True)
class DryRunReport:
    """`problems` holds the first 1,000; `by_field` counts them all. `warnings` counts each text, at most 100 texts."""

    total: int = 0
    ready: int = 0
    skipped: int = 0
    held: int = 0
    failed: int = 0
    cost: int = 0
    largest_bytes: int = 0
    problems: list[DryRunProblem] = field(default_factory=list)
    by_field: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)


async def dry_run(
    factory: ProviderFactory,
    account: ConfigDocument,
    message: ConfigDocument,
    recipients: Recipients,
    *,
    gatekeeper: Gatekeeper | None = None,
    now_ms: int = 0,
) -> DryRunReport:
    """Renders for everybody and closes the source. Raises TemplateInvalid or ConfigInvalid for the message itself."""
    renderer = factory.compile(account, message)
    source = adapt(recipients)
    report = DryRunReport()
    try:
        while batch := await source.next_batch(1000):
            for recipient in batch:
                report.total += 1
                verdict = gatekeeper.check(recipient, now_ms) if gatekeeper is not None else None
                if isinstance(verdict, Skip):
                    report.skipped += 1
                    continue
                report.held += isinstance(verdict, Hold)
                try:
                    rendered = renderer.render(recipient)
                except RenderError as error:
                    _note(report, recipient, error.field, error.message)
                    continue
                report.ready += 1
                report.cost += rendered.cost
                report.largest_bytes = max(report.largest_bytes, rendered.size_bytes)
                for warning in rendered.warnings:
                    if warning in report.warnings or len(report.warnings) < _WARNINGS_KEPT:
                        report.warnings[warning] += 1
    finally:
        await source.aclose()
    return report


def _note(report: DryRunReport, recipient: Recipient, name: str, message: str) -> None:
    report.failed += 1
    report.by_field[name] += 1
    if len(report.problems) < _PROBLEMS_KEPT:
        report.problems.append(DryRunProblem(recipient.sequence, recipient.row, name, message))


def preview(
    factory: ProviderFactory, account: ConfigDocument, message: ConfigDocument, recipients: Sequence[Recipient]
) -> list[Preview]:
    """The message as these recipients would get it. Raises RenderError, TemplateInvalid or ConfigInvalid."""
    renderer = factory.compile(account, message)
    return [renderer.preview(renderer.render(recipient)) for recipient in recipients]


class DrySession:
    """The session of a run whose spec says `dry_run`: accepts everything, sends nothing."""

    async def send(self, request: SendRequest) -> SendResult:
        del request
        return SendResult(Verdict.ACCEPTED, code=DRY_RUN_CODE)

    async def send_batch(self, requests: Sequence[SendRequest]) -> Sequence[SendResult]:
        return [SendResult(Verdict.ACCEPTED, code=DRY_RUN_CODE) for _ in requests]

    async def aclose(self) -> None:
        """Nothing is open."""
