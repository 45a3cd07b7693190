"""The door: an engine holds what runs share, `start` makes a run of its own out of a spec."""

from collections.abc import Callable, Iterable
from types import TracebackType

from postroad.engine.clock import SystemClock
from postroad.engine.commands import CommandResult, RunCommand
from postroad.engine.pacing import Pacer
from postroad.engine.ports import EventSink, Gatekeeper, ResultSink
from postroad.engine.reporting.events import Progress
from postroad.engine.run.coordinator import Run
from postroad.engine.run.startup import Start, prepare
from postroad.engine.sources import Recipients
from postroad.engine.spec import RunSpec
from postroad.engine.summary import RunSummary
from postroad.journal import Journal
from postroad.spi import ProviderFactory, SecretResolver
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.errors import InvalidInput, SecretMissing
from postroad.vocabulary.secret import Secret
from postroad.vocabulary.transitions import RunState


class _NoSecrets:
    def resolve(self, name: str) -> Secret:
        raise SecretMissing(f"secret {name!r}: the engine was made without secrets; pass Engine(secrets=…)", field=name)


class RunHandle:
    """One run that goes on. Use it from the loop that started it."""

    def __init__(self, run: Run) -> None:
        self._run = run

    @property
    def run_id(self) -> str:
        return self._run.spec.run_id

    @property
    def state(self) -> RunState:
        return self._run.state

    @property
    def is_resumable(self) -> bool:
        """Whether a new process can go on where this one dies: only with a journal."""
        return self._run.is_resumable

    def progress(self) -> Progress:
        """The counts of this moment, and what the run waits for if it waits."""
        return self._run.progress()

    async def submit(self, command: RunCommand) -> CommandResult:
        """Takes effect before it returns. The same command id again gives the first answer again."""
        return self._run.submit(command)

    async def completion(self) -> RunSummary:
        """Waits for the end. Any number may wait. Raises AccountingBroken instead of a wrong sum."""
        return await self._run.completion()

    async def abort(self, reason: str = "ABORTED") -> RunSummary:
        """Stops hard: nobody waits for sends in flight, and their INTENTs stay open in the journal for a resume."""
        self._run.abort(reason)
        return await self._run.completion()


class Engine:
    """Sinks given directly are shared by all runs and closed with the engine; factory-made ones belong to one run."""

    def __init__(
        self,
        providers: Iterable[ProviderFactory],
        *,
        secrets: SecretResolver | None = None,
        result_sink: ResultSink | None = None,
        event_sink: EventSink | None = None,
        result_sink_factory: Callable[[RunSpec], ResultSink] | None = None,
        event_sink_factory: Callable[[RunSpec], EventSink] | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._providers = {factory.descriptor.provider_id: factory for factory in providers}
        self._secrets: SecretResolver = secrets or _NoSecrets()
        self._result_sink, self._result_sink_factory = result_sink, result_sink_factory
        self._event_sink, self._event_sink_factory = event_sink, event_sink_factory
        self._clock: Clock = clock or SystemClock()
        self._runs: dict[str, Run] = {}
        if result_sink is not None and result_sink_factory is not None:
            raise InvalidInput("result_sink and result_sink_factory: give one of them", field="result_sink")
        if event_sink is not None and event_sink_factory is not None:
            raise InvalidInput("event_sink and event_sink_factory: give one of them", field="event_sink")

    async def start(
        self,
        spec: RunSpec,
        recipients: Recipients,
        *,
        journal: Journal | None = None,
        pacer: Pacer | None = None,
        gatekeeper: Gatekeeper | None = None,
        capacity: int | None = None,
        window: int | None = None,
    ) -> RunHandle:
        """Checks, reserves and starts; returns when the run is RUNNING. Source: spec wepush §8.2.

        Takes over `recipients` and `journal`: both are closed at the end, and when the start is refused. Without a
        journal the run cannot be resumed; with one, the source must be resumable and what the journal says is settled
        is not sent again. `capacity` is what this worker may use at most, `window` how many first attempts may run
        ahead of the sync (2,000): so many may be left UNKNOWN by a power loss, and too few make the run wait for the
        disk. Raises the errors of `vocabulary.errors`, and StartRefused where a port fails for a reason of its own.
        """
        running = self._runs.get(spec.run_id)
        if running is not None and not running.is_over:
            raise InvalidInput(f"run_id {spec.run_id!r} is already running in this engine", field="run_id")
        start = Start(
            spec=spec,
            providers=self._providers,
            secrets=self._secrets,
            clock=self._clock,
            journal=journal,
            pacer=pacer,
            gatekeeper=gatekeeper,
            capacity=capacity,
            window=window,
            result_sink=self._result_sink,
            event_sink=self._event_sink,
            result_sink_factory=self._result_sink_factory,
            event_sink_factory=self._event_sink_factory,
        )
        run = Run(await prepare(start, recipients))
        self._runs = {run_id: known for run_id, known in self._runs.items() if not known.is_over}
        self._runs[spec.run_id] = run
        run.begin()
        return RunHandle(run)

    async def aclose(self) -> None:
        """Aborts what still runs, then closes the shared sinks. Idempotent."""
        for run in list(self._runs.values()):
            if not run.is_over:
                run.abort("ENGINE_CLOSED")
                await run.completion()
        self._runs.clear()
        sinks: list[ResultSink | EventSink] = [s for s in (self._result_sink, self._event_sink) if s is not None]
        self._result_sink = self._event_sink = None
        for sink in sinks:
            await sink.aclose()

    async def __aenter__(self) -> "Engine":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
