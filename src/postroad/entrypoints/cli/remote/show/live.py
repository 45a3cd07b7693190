"""A run of the service while it goes on: a live picture in a terminal, a line now and then elsewhere."""

import time

from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from postroad.entrypoints.cli.remote.access.service import Wire
from postroad.entrypoints.cli.remote.show import cells
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say

_LINE_EVERY_S = 10.0
WAITS = {
    "WAITING_WINDOW": "waits for its time window",
    "WAITING_RATE": "waits for the rate limit",
    "WAITING_RETRY": "waits to try again",
}
STATES = {
    "PENDING": "waits for a worker",
    "LEASED": "a worker takes it",
    "RUNNING": "sending",
    "PAUSED": "paused",
    "CANCELLING": "cancelling: waits for what is in flight",
    "LOST": "its worker is gone; another one will go on",
    "RECOVERING": "finds out what became of what was in flight",
}


class LiveRun:
    """Shows what it is told. Fulfils `following.Shown`."""

    def __init__(self, *, as_json: bool) -> None:
        self._shows_bar = console.people.is_terminal and not as_json
        self._live: Live | None = None
        self._state = ""
        self._told_at = 0.0

    def looked(self, run: Wire) -> None:
        if self._shows_bar:
            self._draw(run)
            return
        now = time.monotonic()
        if run["endedAt"]:
            return
        if run["state"] != self._state or now - self._told_at >= _LINE_EVERY_S:
            self._state, self._told_at = run["state"], now
            console.tell(line(run))

    def lost(self, reason: str) -> None:
        console.tell(
            say("The connection to the service is lost ({reason}); the run goes on, trying again.", reason=reason),
            "yellow",
        )

    def found_again(self) -> None:
        console.tell(say("Connected again."), "dim")

    def refused(self, message: str) -> None:
        console.tell(cells.plain(message), "yellow")

    def close(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _draw(self, run: Wire) -> None:
        if self._live is None:
            self._live = Live(console=console.people, refresh_per_second=8, transient=True)
            self._live.start()
        self._live.update(picture(run))


def picture(run: Wire) -> RenderableType:
    counts = run["counts"]
    settled = counts["total"] - counts["open"]
    bar = Table.grid(padding=(0, 1))
    bar.add_row(
        ProgressBar(total=max(counts["total"], 1), completed=settled, width=36, complete_style="green"),
        f"{settled * 100 // max(counts['total'], 1)} %",
        pace(run),
    )
    hints = say("p pause  r resume  + - concurrency ({n})  Ctrl-C stops watching", n=run["concurrency"])
    return Group(bar, _tally(counts), Text(doing(run), style="blue"), Text(hints, style="dim"))


def line(run: Wire) -> str:
    return " | ".join(part for part in (_tally(run["counts"]).plain.strip(), pace(run), doing(run)) if part)


def pace(run: Wire) -> str:
    """How quick it is, and how long it takes at that; empty while nothing leaves."""
    rate, left = run["perSecond"], run["counts"]["open"]
    if not left:
        return say("writing the results")
    if not rate:
        return ""
    said = say("{rate}/s", rate=f"{rate:,.0f}" if rate >= 1 else f"{rate:.1f}")
    return say("{pace}, {left} left", pace=said, left=console.duration(left / rate))


def doing(run: Wire) -> str:
    """What it does or waits for just now."""
    if run["isEnding"]:
        return say(STATES["CANCELLING"])
    waiting = run["waiting"]
    if waiting["reason"]:
        reason = say(WAITS[waiting["reason"]]) if waiting["reason"] in WAITS else cells.plain(waiting["reason"])
        until = cells.clock(waiting["until"])
        return say("{reason} until {at}", reason=reason, at=until) if until else reason
    state = say(STATES[run["state"]]) if run["state"] in STATES else cells.plain(run["state"])
    return f"{state}, {say('in flight {n}', n=run['inFlight'])}" if run["inFlight"] else state


def _tally(counts: Wire) -> Text:
    text = Text()
    for name, style in console.OUTCOME_STYLES.items():
        value = counts[name]
        text.append(f"{say(name)} {console.number(value)}  ", style=style if value else "dim")
    text.append(say("open {n}", n=console.number(counts["open"])), style="dim")
    return text
