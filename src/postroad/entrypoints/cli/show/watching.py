"""Watches a send: a live bar in a terminal, a line now and then elsewhere. Implements the flow's `Observer`."""

import contextlib
import time
from collections import deque
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.show.keyboard import keys
from postroad.entrypoints.cli.show.signals import interruptions
from postroad.entrypoints.cli.texts import say
from postroad.flows.local_runs import Controls, Notice, NoticeKind, SendProgress, SendStarted
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.transitions import RunState, WaitReason

_PLAIN_LINE_EVERY_S = 10.0

_CANCELLING = "cancelling: waits for what is in flight"
_NOTICES = (
    "paused",
    "resumed",
    _CANCELLING,
    "concurrency changed",
    "rate changed",
    "no answer has come for a long time",
    "error",
)
_NOTICE_STYLES = {NoticeKind.WARNING: "yellow", NoticeKind.WORKER: "yellow"}


class Watcher:
    """Shows what it is told; hands keys and signals to the controls once the send has started."""

    def __init__(self, *, as_json: bool) -> None:
        self._live: Live | None = None
        self._controls: Controls | None = None
        self._folder = ""
        self._was_interrupted = False
        self._last_line_at = 0.0
        self._shows_bar = console.people.is_terminal and not as_json
        self.has_started = False
        self._unsaid: deque[str] = deque()
        """Lines of signal handlers. They wait: a handler may interrupt the very code that prints."""

    def started(self, send: SendStarted, controls: Controls, /) -> None:
        self.has_started = True
        self._controls = controls
        self._folder = console.place(send.folder)
        line = say("Going on with {name}", name=send.name) if send.resumed else say("Sending {name}", name=send.name)
        console.tell(
            say(
                "{line}: recipients {total}, folder {folder}",
                line=line,
                total=console.number(send.counts.total),
                folder=self._folder,
            )
        )
        self._last_line_at = time.monotonic()
        if self._shows_bar:
            self._live = Live(console=console.people, refresh_per_second=8, transient=True)
            self._live.start()
            self._live.update(Text(say("connecting"), style="dim"))

    def progressed(self, progress: SendProgress, /) -> None:
        self._say_what_signals_said()
        if self._live is not None:
            self._live.update(_picture(progress))
            return
        now = time.monotonic()
        if now - self._last_line_at >= _PLAIN_LINE_EVERY_S:
            self._last_line_at = now
            console.tell(_line(progress))

    def noted(self, notice: Notice, /) -> None:
        self._say_what_signals_said()
        said_already = self._was_interrupted and notice.text.startswith(_CANCELLING)
        if notice.kind is not NoticeKind.WAITING and not said_already:
            console.tell(_told(notice.text), _NOTICE_STYLES.get(notice.kind, "dim"))

    def pressed(self, key: str) -> None:
        if self._controls is None:
            return
        if key == "p":
            self._controls.pause()
        elif key == "r":
            self._controls.resume()
        elif key in "+=":
            self._controls.change_concurrency(1)
        elif key in "-_":
            self._controls.change_concurrency(-1)

    def cancel(self) -> None:
        if self._controls is None:
            raise KeyboardInterrupt
        self._was_interrupted = True
        self._controls.cancel("cancelled at the terminal")
        self._unsaid.append(say("Cancelling: waiting for what is in flight. Ctrl-C again stops at once."))

    def abort(self) -> None:
        if self._controls is not None:
            self._controls.abort()
        self._unsaid.append(say("Stopping at once. Go on with: postroad send --resume {folder}", folder=self._folder))

    def _say_what_signals_said(self) -> None:
        while self._unsaid:
            console.tell(self._unsaid.popleft(), "yellow")

    def close(self) -> None:
        self._say_what_signals_said()
        if self._live is not None:
            self._live.stop()


@contextlib.contextmanager
def watched(*, as_json: bool) -> Iterator[Watcher]:
    watcher = Watcher(as_json=as_json)
    with interruptions(watcher.cancel, watcher.abort), keys(watcher.pressed):
        try:
            yield watcher
        finally:
            watcher.close()


def _told(notice: str) -> str:
    """In the language of this process, as far as the words are ours; what a remote said stays as it is."""
    words = max((known for known in _NOTICES if notice.startswith(known)), key=len, default="")
    return say(words) + notice.removeprefix(words) if words else notice


def _picture(progress: SendProgress) -> RenderableType:
    counts = progress.counts
    bar = Table.grid(padding=(0, 1))
    bar.add_row(
        ProgressBar(total=max(counts.total, 1), completed=counts.settled, width=36, complete_style="green"),
        f"{counts.settled * 100 // max(counts.total, 1)} %",
        _pace(progress) if counts.open else say("writing the results"),
    )
    if not counts.open:
        return Group(bar, _tally(counts))
    hints = Text(say("p pause  r resume  + - concurrency ({n})  Ctrl-C cancel", n=progress.concurrency), style="dim")
    return Group(bar, _tally(counts), _waiting(progress), hints)


def _pace(progress: SendProgress) -> str:
    if progress.state is RunState.PAUSED:
        return say("paused")
    pace = say("{rate}/s", rate=f"{progress.per_second:,.0f}")
    return (
        pace if progress.eta_s is None else say("{pace}, {left} left", pace=pace, left=console.duration(progress.eta_s))
    )


def _tally(counts: Counts) -> Text:
    text = Text()
    for name, style in console.OUTCOME_STYLES.items():
        value = getattr(counts, name)
        text.append(f"{say(name)} {console.number(value)}  ", style=style if value else "dim")
    text.append(say("open {n}", n=console.number(counts.open)), style="dim")
    return text


_WAITS = {
    WaitReason.WINDOW: "waits for its time window",
    WaitReason.RATE: "waits for the rate limit",
    WaitReason.RETRY: "waits to try again",
}


def _waiting(progress: SendProgress) -> Text:
    if not progress.waits_for:
        return Text(say("in flight {n}, waiting {m}", n=progress.in_flight, m=progress.waiting_items), style="dim")
    reason = say(_WAITS[WaitReason(progress.waits_for)])
    if progress.waits_until_ms is None:
        return Text(reason, style="blue")
    return Text(say("{reason} until {at}", reason=reason, at=clock_time(progress.waits_until_ms)), style="blue")


def clock_time(at_ms: int) -> str:
    """Local time of day, as the person at the terminal reads it."""
    return time.strftime("%H:%M:%S", time.localtime(at_ms / 1000))


def _line(progress: SendProgress) -> str:
    parts = [_tally(progress.counts).plain, _pace(progress)]
    if progress.waits_for:
        parts.append(_waiting(progress).plain)
    return " | ".join(parts)
