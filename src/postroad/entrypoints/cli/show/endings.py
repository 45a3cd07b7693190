"""How a send ended, what it means, and which command comes next."""

import csv
import itertools
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from rich.text import Text

from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say
from postroad.flows.local_runs import SendSummary, summary_json
from postroad.vocabulary.transitions import RunState

_STOPPED = ("Stopped before the end.", "yellow")
_LOOKED_THROUGH, _REASONS_SHOWN = 10_000, 3

_ENDS = {
    RunState.SUCCEEDED: ("Everyone was reached.", "green"),
    RunState.PARTIAL: ("Finished; not everyone was reached.", "yellow"),
    RunState.CANCELLED: ("Cancelled.", "yellow"),
    RunState.FAILED: ("Failed: {reason}", "red"),
}


def tell(summary: SendSummary, *, as_json: bool) -> None:
    text, style = _ENDS.get(summary.state, _STOPPED)
    console.tell(say(text, reason=summary.reason) if "{" in text else say(text), f"bold {style}")
    _counts(summary)
    _why(summary)
    for error in summary.suppressed_errors:
        console.tell(say("while closing: {error}", error=error), "yellow")
    _ways_on(summary)
    if as_json:
        console.print_json(summary_json(summary))


def _counts(summary: SendSummary) -> None:
    counts, has_ended = summary.counts, summary.state in _ENDS
    table = console.plain_table(say("outcome"), say("recipients"), "")
    for name, style in console.OUTCOME_STYLES.items():
        value = getattr(counts, name)
        word = say(name) if has_ended or name != "unsent" else say("still open")
        file = console.place(summary.out / f"{name}.csv") if value and has_ended else ""
        table.add_row(Text(word, style=style if value else "dim"), console.number(value), file)
    table.add_row(say("total"), console.number(counts.total), "")
    console.people.print(table)
    if counts.retried:
        console.tell(say("Attempts that were retries: {n}.", n=console.number(counts.retried)), "dim")
    if counts.maybe_doubled:
        console.tell(
            say(
                "{n} succeeded after the remote had refused an attempt it may have kept; they may have two copies.",
                n=console.number(counts.maybe_doubled),
            ),
            "yellow",
        )


def _why(summary: SendSummary) -> None:
    """The most frequent reasons among the first of those who failed and of those nobody knows about."""
    for name in ("failed", "unknown"):
        for reason, times in _reasons(summary.out / f"{name}.csv"):
            console.tell(f"{say(name)}: {reason} × {console.number(times)}", console.OUTCOME_STYLES[name])


def _reasons(file: Path) -> list[tuple[str, int]]:
    if not file.is_file():
        return []
    with file.open(encoding="utf-8-sig", newline="") as lines:
        rows = itertools.islice(csv.DictReader(lines), _LOOKED_THROUGH)
        found = Counter(_reason(row.get("code") or "", row.get("summary") or "") for row in rows)
    return found.most_common(_REASONS_SHOWN)


def _reason(code: str, summary: str) -> str:
    said = " ".join(summary.split())
    return code if said.replace(" ", "_") == code or not said else f"{code} ({said[:120]})"


def _ways_on(summary: SendSummary) -> None:
    counts, folder = summary.counts, console.place(summary.out)
    if summary.state not in _ENDS:
        console.tell(say("Go on with: postroad send --resume {folder}", folder=folder))
        return
    if counts.unknown:
        console.tell(
            say(
                "UNKNOWN: the message may have left and no answer came. Ask those in unknown.csv, or accept that some"
                " get a second copy: postroad send --only unknown {folder}",
                folder=folder,
            )
        )
    only = " ".join(f"--only {name}" for name in ("failed", "unsent") if getattr(counts, name))
    if only:
        console.tell(say("Send again to these: postroad send {only} {folder}", only=only, folder=folder))
    console.tell(say("Results, summary and receipt: {folder}", folder=folder), "dim")


def iso(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, tz=UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
