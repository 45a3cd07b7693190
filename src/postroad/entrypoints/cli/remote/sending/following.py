"""A run while it goes on: every change is shown, until its end.

Live events say that something changed, the run itself says what: it is looked at again at most twice a second. A stream
that breaks is opened again behind the last event that was seen, as often as it takes; a lost connection is told as
that, never as a failed run. Whoever stops watching stops nothing else.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Protocol

from postroad.egress import StreamFailed
from postroad.entrypoints.cli.remote.access.refusals import NotOurService, ServiceRefused
from postroad.entrypoints.cli.remote.access.service import Service, Wire, path_of
from postroad.entrypoints.cli.remote.sending.live_events import END, EXPIRED, LiveEvents
from postroad.entrypoints.cli.remote.sending.steering import steer
from postroad.entrypoints.cli.show.keyboard import keys
from postroad.vocabulary.errors import EgressFailed, Kind
from postroad.vocabulary.refusals import RunStateConflict
from postroad.vocabulary.transitions import RUN_FINAL

if TYPE_CHECKING:
    from postroad.egress.calls import Listening

_LOOK_EVERY_S, _TICK_S = 0.5, 0.2
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 10.0
FINAL = frozenset(state.value for state in RUN_FINAL)


class Shown(Protocol):
    """Where a run is shown while it goes on."""

    def looked(self, run: Wire) -> None: ...

    def lost(self, reason: str) -> None:
        """The connection broke; called once for each break."""
        ...

    def found_again(self) -> None: ...

    def refused(self, message: str) -> None:
        """A key was pressed and the run cannot do that now."""
        ...


def follow(service: Service, run: Wire, shown: Shown) -> Wire:
    """The run at its end. Blocks; raises KeyboardInterrupt where somebody stops watching, ServiceRefused where they may
    not watch any more."""
    shown.looked(run)
    if run["state"] in FINAL:
        return run
    pressed: SimpleQueue[str] = SimpleQueue()
    with keys(pressed.put):
        return _Follower(service, run, shown, pressed).follow()


class _Follower:
    def __init__(self, service: Service, run: Wire, shown: Shown, pressed: "SimpleQueue[str]") -> None:
        self._service = service
        self._run = run
        self._shown = shown
        self._pressed = pressed
        self._path = path_of("runs", run["id"])
        self._last_event_id = ""
        self._is_stale = True
        self._looked_at = 0.0
        self._pause_s = _FIRST_PAUSE_S
        self._is_lost = False

    def follow(self) -> Wire:
        while True:
            try:
                with self._service.listen(f"{self._path}/events", self._last_event_id) as heard:
                    self._hear(heard)
                self._look()
            except (StreamFailed, EgressFailed) as error:
                self._lose(error.message)
            except (ServiceRefused, NotOurService) as refused:
                if refused.kind not in (Kind.UNAVAILABLE, Kind.BUSY):
                    raise
                self._lose(refused.message)
            if self._run["state"] in FINAL:
                return self._run
            self._service.wait(self._pause_s)

    def _hear(self, heard: "Listening") -> None:
        """Returns at the end of the stream or of the run."""
        events = LiveEvents()
        while self._run["state"] not in FINAL:
            piece = heard.next(_TICK_S)
            if piece == b"":
                return
            if piece:
                self._be_found()
            for event in events.feed(piece or b""):
                self._is_stale = True
                self._last_event_id = event.id or self._last_event_id
                if event.name == EXPIRED:
                    self._last_event_id = ""
                if event.name in (EXPIRED, END):
                    return
            self._obey()
            if self._is_stale and time.monotonic() - self._looked_at >= _LOOK_EVERY_S:
                self._look()

    def _look(self) -> None:
        self._run = self._service.get(self._path)
        self._is_stale = False
        self._looked_at = time.monotonic()
        self._be_found()
        self._shown.looked(self._run)

    def _lose(self, reason: str) -> None:
        if not self._is_lost:
            self._shown.lost(reason)
        self._is_lost = True
        self._pause_s = min(self._pause_s * 2, _LONGEST_PAUSE_S)

    def _be_found(self) -> None:
        if self._is_lost:
            self._shown.found_again()
        self._is_lost = False
        self._pause_s = _FIRST_PAUSE_S

    def _obey(self) -> None:
        for key in _each(self._pressed):
            command = _COMMANDS.get(key)
            if command is None:
                continue
            kind, body = command(self._run)
            try:
                steer(self._service, str(self._run["id"]), kind, body)
            except (RunStateConflict, ServiceRefused) as refused:
                self._shown.refused(refused.message)
            self._is_stale = True


def _concurrency(step: int) -> Callable[[Wire], tuple[str, object]]:
    def command(run: Wire) -> tuple[str, object]:
        target = min(max(run["concurrency"] + step, run["concurrencyMin"]), run["concurrencyMax"])
        return "concurrency", {"target": target}

    return command


_COMMANDS: dict[str, Callable[[Wire], tuple[str, object]]] = {
    "p": lambda _: ("pause", None),
    "r": lambda _: ("resume", None),
    **dict.fromkeys("+=", _concurrency(1)),
    **dict.fromkeys("-_", _concurrency(-1)),
}


def _each(queue: "SimpleQueue[str]") -> Iterator[str]:
    with contextlib.suppress(Empty):
        while True:
            yield queue.get_nowait()
