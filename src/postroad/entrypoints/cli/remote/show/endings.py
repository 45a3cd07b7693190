"""How a run of the service ended, what it means, and which command comes next."""

from rich.text import Text

from postroad.entrypoints.cli.remote.access.service import Wire
from postroad.entrypoints.cli.remote.show import cells
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say

ENDS = {
    "SUCCEEDED": ("Everyone was reached.", "green"),
    "PARTIAL": ("Finished; not everyone was reached.", "yellow"),
    "CANCELLED": ("Cancelled.", "yellow"),
    "FAILED": ("Failed: {reason}", "red"),
}
REHEARSED = ("Rehearsed; nothing was sent.", "green")


def ended(run: Wire, *, as_json: bool) -> None:
    text, style = ENDS[run["state"]]
    if run["dryRun"] and run["state"] == "SUCCEEDED":
        text, style = REHEARSED
    reason = cells.plain(run["stateReason"])
    console.tell(say(text, reason=reason) if "{" in text else say(text), f"bold {style}")
    counts(run["counts"])
    for error in run["suppressedErrors"]:
        console.tell(say("while closing: {error}", error=cells.plain(error)), "yellow")
    _ways_on(run)
    if as_json:
        console.print_json(run)


def counts(found: Wire) -> None:
    table = console.plain_table(say("outcome"), say("recipients"))
    for name, style in console.OUTCOME_STYLES.items():
        table.add_row(Text(say(name), style=style if found[name] else "dim"), console.number(found[name]))
    if found["open"]:
        table.add_row(say("still open"), console.number(found["open"]))
    table.add_row(say("total"), console.number(found["total"]))
    console.people.print(table)
    if found["retried"]:
        console.tell(say("Attempts that were retries: {n}.", n=console.number(found["retried"])), "dim")
    if found["maybeDoubled"]:
        console.tell(
            say(
                "{n} succeeded after the remote had refused an attempt it may have kept; they may have two copies.",
                n=console.number(found["maybeDoubled"]),
            ),
            "yellow",
        )


def _ways_on(run: Wire) -> None:
    found, run_id = run["counts"], run["id"]
    if found["unknown"]:
        console.tell(
            say(
                "UNKNOWN: the message may have left and no answer came. See who they are: postroad runs items {run}"
                " --only unknown",
                run=run_id,
            )
        )
    again = " ".join(f"--only {name}" for name in ("failed", "unsent") if found[name])
    if again and not run["dryRun"]:
        console.tell(say("Send again to these: postroad runs resend {run} {only}", run=run_id, only=again))
    if run["hasResults"]:
        console.tell(say("Results and receipt: postroad runs results {run} --out FOLDER", run=run_id), "dim")
