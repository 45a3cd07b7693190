"""What a local run needs from outside, and how it talks to whoever watches it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from postroad.flows.local_runs.views import Notice, SendProgress, SendStarted
from postroad.foundation.home import Home
from postroad.journal import REAL, FileSystem
from postroad.spi import ProviderFactory, SecretResolver
from postroad.vocabulary.clock import Clock

ProviderLoader = Callable[[str], ProviderFactory]
"""The factory of a provider id; raises ProviderUnknown, which lists the ids there are."""


class EndpointGate(Protocol):
    def allow_literal(self, host: str, port: int) -> None:
        """Lets sends reach a host that the operator wrote literally. Raises EgressDenied for metadata addresses."""
        ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Made once by the composition root."""

    provider_loader: ProviderLoader
    gate: EndpointGate
    secrets: SecretResolver
    clock: Clock
    home: Home
    new_id: Callable[[], str]
    """A fresh, time-ordered id for a run."""
    resolve_checked: Callable[[str, int], str] | None = None
    """The one address that an audience query may connect to; raises EgressDenied. None refuses queries by network."""
    file_system: FileSystem = REAL
    """Under the journal of a send with one process."""


class Controls(Protocol):
    """Commands to a send that runs. Each may be called from any thread or from a signal handler, returns at once and
    is answered by a Notice."""

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def change_concurrency(self, by: int) -> None:
        """Moves the target by `by`, inside the range of the policies."""
        ...

    def change_rate(self, key: str, rate: str) -> None:
        """Sets the rate of a budget (`run`, `account`, `domain:gmail.com`) as a job file does: `50/s`."""
        ...

    def cancel(self, reason: str = "") -> None:
        """Sends nothing more, waits for what is in flight and ends the run CANCELLED, the rest UNSENT."""
        ...

    def abort(self) -> None:
        """Stops at once and leaves the run unfinished: a resume goes on, what was in flight becomes UNKNOWN."""
        ...


class Observer(Protocol):
    """Called from the thread that called `start_send`; a slow observer slows only the display."""

    def started(self, send: SendStarted, controls: Controls, /) -> None: ...

    def progressed(self, progress: SendProgress, /) -> None:
        """About twice a second, and once more with the last counters."""
        ...

    def noted(self, notice: Notice, /) -> None:
        """A state change, a wait, an answer to a command, a worker that was started again. None is dropped."""
        ...


class SilentObserver:
    """Watches nothing."""

    def started(self, _send: SendStarted, _controls: Controls, /) -> None:
        return None

    def progressed(self, _progress: SendProgress, /) -> None:
        return None

    def noted(self, _notice: Notice, /) -> None:
        return None
