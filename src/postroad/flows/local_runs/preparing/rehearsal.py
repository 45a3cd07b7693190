"""Looking at messages before they leave: the whole audience rendered, single previews, one real test.

A dry run streams the snapshot through the compiled message and keeps sums only: a million recipients need as much
memory as a thousand. What it finds out is what the send would meet, save the remote's word.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

from postroad.engine.pacing import effective_rates
from postroad.flows.local_runs.orders import SendOrder
from postroad.flows.local_runs.ports import Surroundings
from postroad.flows.local_runs.preparing.checking import check_job, factory_for
from postroad.flows.local_runs.preparing.prepare import discard, prepare_send
from postroad.flows.local_runs.preparing.single_send import send_once
from postroad.flows.local_runs.views import DryRunReport, ItemPreview, PreparedSend, RowProblem, TestSendResult
from postroad.recipients import Snapshot, SnapshotSource
from postroad.spi import Rate, Recipient, Rendered, Renderer, RenderError, price_of
from postroad.vocabulary.errors import InvalidInput
from postroad.vocabulary.values import RecipientValue

BATCH = 2_000
SHOWN_PROBLEMS = 20
MAX_DOMAINS = 100_000
MAX_ROWS_LOOKED_THROUGH = 200


def dry_run(
    prepared: PreparedSend, surroundings: Surroundings, progressed: Callable[[int], None] | None = None
) -> DryRunReport:
    """Renders every recipient in flat memory. `progressed` hears how many are done, now and then."""
    plan = prepared.plan
    factory = factory_for(surroundings.provider_loader, plan.provider_id, plan.base)
    sums = _Sums()
    asyncio.run(_render_all(prepared, factory.compile(plan.account, plan.message), sums, progressed))
    descriptor = factory.descriptor
    rates = effective_rates(plan.policies.rates, descriptor.limits, descriptor.default_rate)
    price = price_of(factory, plan.account)
    fields = {name for name, _column in prepared.snapshot.aliases} | set(prepared.snapshot.columns)
    return DryRunReport(
        hash=prepared.hash,
        total=prepared.snapshot.count,
        rendered=sums.rendered,
        failed=sums.by_field.total(),
        problems=tuple(sums.problems),
        by_field=dict(sums.by_field.most_common()),
        missing_fields=tuple(name for name in sums.by_field if name and name not in fields),
        duplicates=prepared.audience.duplicates,
        size_bytes_max=sums.size_max,
        size_bytes_total=sums.size_total,
        parts_total=sums.parts,
        price_total=None if price is None else round(price.per_part * sums.parts, 4),
        currency=descriptor.currency if price is None else price.currency,
        seconds_to_finish=sums.seconds_to_finish(rates),
        rates=prepared.rates,
        default_rate_used=prepared.default_rate_used,
        warnings=(*prepared.warnings, *sums.told_warnings()),
    )


def preview_message(
    prepared: PreparedSend, surroundings: Surroundings, rows: Sequence[int] = (), limit: int = 3
) -> list[ItemPreview]:
    """The message as the recipients of `rows` (spreadsheet numbers) get it, or the first `limit` of the audience.

    Raises InvalidInput for a row that the audience does not have.
    """
    plan = prepared.plan
    factory = factory_for(surroundings.provider_loader, plan.provider_id, plan.base)
    renderer = factory.compile(plan.account, plan.message)
    if len(rows) > MAX_ROWS_LOOKED_THROUGH:
        raise InvalidInput(f"{len(rows)} rows: look at {MAX_ROWS_LOOKED_THROUGH} at most", field="rows")
    found = asyncio.run(_find(prepared, rows, limit))
    missing = sorted(set(rows) - {recipient.row for recipient in found})
    if missing:
        raise InvalidInput(f"the audience has no row {missing[0]}: rejected, a duplicate, or not there", field="rows")
    return [_preview(renderer, recipient) for recipient in found]


def test_send(order: SendOrder, surroundings: Surroundings, fields: Mapping[str, RecipientValue]) -> TestSendResult:
    """Sends one real message, to whom `fields` describe. What they leave out, such as an order number, is taken from
    the first recipient, but only where they say who it goes to: the audience's key and what the channel requires.
    Without either, and without an audience, the message is made of `fields` alone.

    It blocks for at most the send timeout. Nothing is kept. Raises InvalidInput where the message cannot be made, and
    where it might go to the first recipient.
    """
    checked = check_job(order, surroundings, audience_needed=not fields)
    recipient = Recipient(0, dict(fields), 0)
    request = checked.job.audience
    if request.file is not None or request.query is not None or request.count is not None:
        prepared = prepare_send(order, surroundings)
        try:
            given = _under_all_names(fields, prepared.snapshot)
            required = {*checked.factory.descriptor.recipient_schema.get("required", ()), request.key} - {None}
            _must_say_who(given, required, prepared.snapshot)
            first = asyncio.run(_find(prepared, (), 1))[0]
        finally:
            discard(prepared)
        recipient = Recipient(0, {**first.fields, **given} if required else given, first.row)
    return asyncio.run(send_once(checked, recipient, surroundings))


def _under_all_names(fields: Mapping[str, RecipientValue], snapshot: Snapshot) -> dict[str, RecipientValue]:
    """A column has the name of the file and those of the mapping, and the message may use any of them."""
    column_of = dict(snapshot.aliases)
    value_of = {column_of.get(name, name): value for name, value in fields.items()}
    others = {name: value_of[column] for name, column in snapshot.aliases if column in value_of}
    return value_of | others | dict(fields)


def _must_say_who(given: Mapping[str, RecipientValue], required: Collection[str], snapshot: Snapshot) -> None:
    known = {*snapshot.columns, *(name for name, _column in snapshot.aliases)}
    for name in given:
        if name not in known:
            raise InvalidInput(
                f"the audience has no field {name!r}; its columns are {', '.join(snapshot.columns)}", field="to"
            )
    for name in sorted(required):
        if name not in given:
            raise InvalidInput(
                f"give `{name}` of yourself as well: without it the test would go to the first recipient", field="to"
            )


class _Sums:
    """What is kept of a million renderings."""

    def __init__(self) -> None:
        self.rendered = 0
        self.parts = 0
        self.size_max = 0
        self.size_total = 0
        self.by_field: Counter[str] = Counter()
        self.problems: list[RowProblem] = []
        self.domains: Counter[str] = Counter()
        self.warnings: Counter[str] = Counter()

    def add(self, rendered: Rendered) -> None:
        self.rendered += 1
        self.parts += rendered.cost
        size = rendered.size_bytes
        self.size_total += size
        self.size_max = max(self.size_max, size)
        for key in rendered.keys:
            if key.startswith("domain:") and (key in self.domains or len(self.domains) < MAX_DOMAINS):
                self.domains[key] += rendered.cost
        for warning in rendered.warnings:
            if warning in self.warnings or len(self.warnings) < SHOWN_PROBLEMS:
                self.warnings[warning] += 1

    def blame(self, recipient: Recipient, error: RenderError) -> None:
        self.by_field[error.field] += 1
        if len(self.problems) < SHOWN_PROBLEMS:
            self.problems.append(RowProblem(recipient.row, error.field, error.message))

    def told_warnings(self) -> list[str]:
        return [f"{warning} ({number} recipients)" for warning, number in self.warnings.most_common()]

    def seconds_to_finish(self, rates: Mapping[str, Rate]) -> float | None:
        """The longest time that any one budget needs; answers and retries come on top."""
        times = []
        for key, rate in rates.items():
            if rate.count > 0 and key in ("run", "account", "sender"):
                times.append(_seconds(self.parts, rate))
        for domain, parts in self.domains.items():
            found = rates.get(domain) or rates.get("domain")
            if found is not None and found.count > 0:
                times.append(_seconds(parts, found))
        return max(times, default=None)


def _seconds(parts: int, rate: Rate) -> float:
    """The last token of `parts` comes after so many whole windows."""
    return max(0.0, (parts - 1) // rate.count * rate.per_s) if rate.count < parts else 0.0


async def _render_all(
    prepared: PreparedSend, renderer: Renderer, sums: _Sums, progressed: Callable[[int], None] | None
) -> None:
    source = SnapshotSource(prepared.snapshot)
    done = 0
    try:
        while batch := await source.next_batch(BATCH):
            for recipient in batch:
                try:
                    sums.add(renderer.render(recipient))
                except RenderError as error:
                    sums.blame(recipient, error)
            done += len(batch)
            if progressed is not None:
                progressed(done)
    finally:
        await source.aclose()


async def _find(prepared: PreparedSend, rows: Sequence[int], limit: int) -> list[Recipient]:
    source = SnapshotSource(prepared.snapshot)
    wanted = set(rows)
    found: list[Recipient] = []
    try:
        if not rows:
            return list(await source.next_batch(limit))
        while wanted and (batch := await source.next_batch(BATCH)):
            found += [recipient for recipient in batch if recipient.row in wanted]
            wanted -= {recipient.row for recipient in found}
    finally:
        await source.aclose()
    order = {row: place for place, row in enumerate(rows)}
    return sorted(found, key=lambda recipient: order[recipient.row])


def _preview(renderer: Renderer, recipient: Recipient) -> ItemPreview:
    try:
        preview = renderer.preview(renderer.render(recipient))
    except RenderError as error:
        return ItemPreview(recipient.row, recipient.fields, None, RowProblem(recipient.row, error.field, error.message))
    return ItemPreview(recipient.row, recipient.fields, preview)
