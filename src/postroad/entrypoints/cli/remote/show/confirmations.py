"""What would be sent: the last look before a run."""

from postroad.entrypoints.cli.remote.access.service import Wire
from postroad.entrypoints.cli.remote.show import cells, previews
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say

_WHOLE_RUN = "run"


def of_job(found: Wire) -> None:
    """What a run of the job would send, and the first message."""
    table = console.plain_table("", "")
    table.add_row(say("job"), cells.plain(found["jobName"]))
    table.add_row(say("channel"), f"{found['providerId']} {found['providerVersion']}")
    table.add_row(say("account"), cells.plain(found["accountName"]))
    revision = say("revision {n}", n=found["messageRevision"])
    table.add_row(say("message"), f"{cells.plain(found['messageName'])}, {revision}")
    snapshot = say("snapshot {n}", n=found["audienceRevision"])
    table.add_row(say("audience"), f"{cells.plain(found['audienceName'])}, {snapshot}")
    table.add_row(say("recipients"), console.number(found["recipients"]))
    rates = ", ".join(_rate(bucket, rate) for bucket, rate in found["rates"].items()) or say("no limit")
    table.add_row(say("rate"), say("{rates} (safe default)", rates=rates) if found["defaultRateUsed"] else rates)
    table.add_row(say("at once"), str(found["concurrency"]))
    seconds = found["estimatedSeconds"]
    if seconds is not None and seconds >= 1:
        table.add_row(say("time"), say("at least {time}", time=console.duration(seconds)))
    if found["estimatedParts"] != found["recipients"]:
        table.add_row(say("parts"), console.number(found["estimatedParts"]))
    if found["estimatedPrice"] is not None:
        table.add_row(say("price"), console.money(found["estimatedPrice"], found["currency"]))
    table.add_row(say("hash"), found["hash"])
    console.people.print(table)
    _warnings(found)
    _first_message(found["samples"])


def of_resend(found: Wire) -> None:
    """Whom a re-send would reach."""
    table = console.plain_table("", "")
    table.add_row(say("run"), found["sourceRunId"])
    table.add_row(say("account"), cells.plain(found["accountName"]))
    revision = say("revision {n}", n=found["messageRevision"])
    table.add_row(say("message"), f"{cells.plain(found['messageName'])}, {revision}")
    for outcome, number in found["counts"].items():
        table.add_row(say(outcome.lower()) if outcome.lower() in console.OUTCOME_STYLES else outcome, str(number))
    table.add_row(say("recipients"), console.number(found["recipients"]))
    console.people.print(table)
    _warnings(found)


def _warnings(found: Wire) -> None:
    for warning in found["warnings"]:
        console.tell(cells.plain(warning), "yellow")


def _first_message(samples: list[Wire]) -> None:
    for sample in samples:
        if sample["problem"]:
            previews.refusal(sample["row"], sample["problem"])
    made = next((sample for sample in samples if not sample["problem"]), None)
    if made is not None:
        console.tell(say("The first message:"), "bold")
        previews.message(made["row"], made)


def _rate(bucket: str, rate: str) -> str:
    return console.rate(rate) if bucket == _WHOLE_RUN else f"{cells.plain(bucket)} {console.rate(rate)}"
