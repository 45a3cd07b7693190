"""From a spec to a run that may begin: checks in a fixed order, each with a stable error. Source: spec wepush §8.2.

What a step opened is closed again, in reverse order, when a later step refuses.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from postroad.engine.dryrun import DrySession
from postroad.engine.items.ledger import DEFAULT_WINDOW
from postroad.engine.pacing.pacer import LocalPacer, Pacer, effective_rates
from postroad.engine.ports import EventSink, Gatekeeper, RecipientSource, ResultSink, ResumableSource
from postroad.engine.run.closing import Errors, ResourceScope
from postroad.engine.sources import Recipients, adapt
from postroad.engine.spec import RunSpec
from postroad.journal import Journal
from postroad.spi import (
    SPI_VERSION,
    ConcurrencyMode,
    ConfigDocument,
    OpenContext,
    Problem,
    ProviderDescriptor,
    ProviderFactory,
    ProviderSession,
    Renderer,
    SecretResolver,
)
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.errors import (
    ConfigInvalid,
    InvalidInput,
    PostroadError,
    ProviderUnknown,
    SendConflict,
    StartRefused,
)


class Token:
    """Tells sends in flight that the run is being cancelled."""

    def __init__(self) -> None:
        self.is_cancelled = False


@dataclass(slots=True)
class Start:
    """What `Engine.start` was given."""

    spec: RunSpec
    providers: Mapping[str, ProviderFactory]
    secrets: SecretResolver
    clock: Clock
    journal: Journal | None = None
    pacer: Pacer | None = None
    gatekeeper: Gatekeeper | None = None
    capacity: int | None = None
    window: int | None = None
    result_sink: ResultSink | None = None
    event_sink: EventSink | None = None
    result_sink_factory: Callable[[RunSpec], ResultSink] | None = None
    event_sink_factory: Callable[[RunSpec], EventSink] | None = None


@dataclass(slots=True)
class Prepared:
    """A run whose resources are open. Closers are named: session, source, journal, result sink, event sink."""

    spec: RunSpec
    clock: Clock
    descriptor: ProviderDescriptor
    renderer: Renderer
    source: RecipientSource
    open_session: Callable[[], Awaitable[ProviderSession]]
    first_session: ProviderSession
    token: Token
    journal: Journal | None
    pacer: Pacer
    gatekeeper: Gatekeeper | None
    result_sink: ResultSink | None
    event_sink: EventSink | None
    window: int
    """First attempts that may run ahead of the journal's sync."""
    most: int
    """The highest concurrency that provider, policy and worker allow together."""
    scope: ResourceScope
    errors: Errors


async def prepare(start: Start, recipients: Recipients) -> Prepared:
    """Raises what `Engine.start` raises."""
    errors = Errors()
    scope = ResourceScope(errors)
    if start.journal is not None:
        scope.add("journal", _closing_journal(start.journal))
    try:
        return await _prepare(start, recipients, scope, errors)
    except PostroadError:
        await _close_refused(scope, recipients)
        raise
    except Exception as error:
        await _close_refused(scope, recipients)
        raise StartRefused(f"run {start.spec.run_id}: {type(error).__name__}: {error}") from error
    except BaseException:
        await _close_refused(scope, recipients)
        raise


async def _close_refused(scope: ResourceScope, recipients: Recipients) -> None:
    """The source is taken over even by a start that refuses before it looks at it."""
    if isinstance(recipients, RecipientSource) and not scope.holds("recipient source"):
        scope.add("recipient source", recipients.aclose)
    await scope.close()


async def _prepare(start: Start, recipients: Recipients, scope: ResourceScope, errors: Errors) -> Prepared:
    spec = start.spec
    _check_spec(spec)
    spec.policies.check()
    factory = _find(start.providers, spec.provider)
    descriptor = factory.descriptor
    _check_versions(descriptor, spec.account, spec.message)
    _refuse_problems("account", factory.validate_account(spec.account))
    _refuse_problems("message", factory.validate_message(spec.account, spec.message))
    renderer = factory.compile(spec.account, spec.message)
    source = await _open_source(start, recipients, scope)
    result_sink, event_sink = _open_sinks(start, scope)
    most = _most(start, descriptor)
    token = Token()
    at_once = 1 if descriptor.concurrency_mode is ConcurrencyMode.SESSION_PER_WORKER else most
    context = OpenContext(spec.account, spec.message, start.secrets, start.clock, token, at_once)

    async def open_session() -> ProviderSession:
        return DrySession() if spec.dry_run else await factory.open(context)

    session = await open_session()
    scope.add("provider session", session.aclose)
    limits = () if spec.dry_run else descriptor.limits
    default = None if spec.dry_run else descriptor.default_rate
    rates = effective_rates({} if spec.dry_run else spec.policies.rates, limits, default)
    descriptor = _for_message(factory, descriptor, spec)
    capabilities = descriptor.capabilities
    return Prepared(
        spec=spec,
        clock=start.clock,
        descriptor=descriptor,
        renderer=renderer,
        source=source,
        open_session=open_session,
        first_session=session,
        token=token,
        journal=start.journal,
        pacer=start.pacer or LocalPacer(rates),
        gatekeeper=start.gatekeeper,
        result_sink=result_sink,
        event_sink=event_sink,
        window=max(start.window or DEFAULT_WINDOW, 2 * most * max(1, capabilities.batch_size)),
        most=most,
        scope=scope,
        errors=errors,
    )


def _check_spec(spec: RunSpec) -> None:
    for name in ("run_id", "provider"):
        if not getattr(spec, name):
            raise InvalidInput(f"{name} is empty: a run needs one", field=name)
    if spec.total is not None and spec.total < 0:
        raise InvalidInput(f"total is {spec.total}: it must be 0 or more, or None where nobody knows", field="total")
    if spec.shard is not None and not 0 <= spec.shard.first <= spec.shard.end:
        raise InvalidInput(f"shard is {spec.shard.first}..{spec.shard.end}: give first <= end", field="shard")


def _find(providers: Mapping[str, ProviderFactory], provider: str) -> ProviderFactory:
    factory = providers.get(provider)
    if factory is None:
        known = ", ".join(sorted(providers)) or "none"
        raise ProviderUnknown(f"provider {provider!r} is not known here; known: {known}", field="provider")
    spi = factory.descriptor.spi_version
    if spi.partition(".")[0] != SPI_VERSION.partition(".")[0]:
        raise ConfigInvalid(
            f"provider {provider} was made for SPI {spi}, this engine speaks {SPI_VERSION}: update one of them",
            field="provider",
        )
    return factory


def _check_versions(descriptor: ProviderDescriptor, account: ConfigDocument, message: ConfigDocument) -> None:
    supported = descriptor.schema_version.partition(".")[0]
    for name, document in (("account", account), ("message", message)):
        if document.schema_version.partition(".")[0] != supported:
            raise ConfigInvalid(
                f"{name} has schema version {document.schema_version!r}; provider {descriptor.provider_id} reads "
                f"version {descriptor.schema_version}",
                field=name,
            )


def _refuse_problems(name: str, problems: list[Problem]) -> None:
    if problems:
        first = problems[0]
        place = f"{name}.{first.field}" if first.field else name
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise ConfigInvalid(f"{place}: {first.message}{more}", field=place)


async def _open_source(start: Start, recipients: Recipients, scope: ResourceScope) -> RecipientSource:
    spec = start.spec
    source = adapt(recipients)
    scope.add("recipient source", source.aclose)
    if start.journal is None:
        if spec.shard is not None and isinstance(source, ResumableSource):
            await source.skip_to(spec.shard.first)
        return source
    if start.journal.header.run_id != spec.run_id:
        raise SendConflict(f"run_id: the journal belongs to run {start.journal.header.run_id}, not to {spec.run_id}")
    if not isinstance(source, ResumableSource):
        raise InvalidInput(
            "recipients: a run with a journal needs a source that can be entered anywhere; write the iterator to disk "
            "with `spool` first, or start without a journal and accept that the run cannot be resumed",
            field="recipients",
        )
    return source


def _open_sinks(start: Start, scope: ResourceScope) -> tuple[ResultSink | None, EventSink | None]:
    result_sink, event_sink = start.result_sink, start.event_sink
    if start.result_sink_factory is not None:
        result_sink = start.result_sink_factory(start.spec)
        scope.add("result sink", result_sink.aclose)
    if start.event_sink_factory is not None:
        event_sink = start.event_sink_factory(start.spec)
        scope.add("event sink", event_sink.aclose)
    return result_sink, event_sink


def _most(start: Start, descriptor: ProviderDescriptor) -> int:
    """`min(job max, provider max, worker capacity)`. Source: spec wepush §9.1."""
    if descriptor.concurrency_mode is ConcurrencyMode.SERIALIZED:
        return 1
    most = min(start.spec.policies.concurrency.max, descriptor.max_concurrency)
    return max(1, most if start.capacity is None else min(most, start.capacity))


def _for_message(factory: ProviderFactory, descriptor: ProviderDescriptor, spec: RunSpec) -> ProviderDescriptor:
    """Capabilities may depend on the message: a provider that says so is asked."""
    ask = getattr(factory, "capabilities_for", None)
    return descriptor if ask is None else replace(descriptor, capabilities=ask(spec.account, spec.message))


def _closing_journal(journal: Journal) -> Callable[[], Awaitable[None]]:
    async def close() -> None:
        journal.close()

    return close
