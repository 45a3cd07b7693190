"""What became of a pushed job file."""

from postroad.entrypoints.cli.remote.access.service import Wire
from postroad.entrypoints.cli.remote.pushing.job_file import Pushed
from postroad.entrypoints.cli.remote.pushing.people import PeopleKept
from postroad.entrypoints.cli.remote.show import accounts, audiences, tables
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say

_PARTS = ("account", "message", "job")


def tell_people(people: PeopleKept) -> None:
    audiences.kept(people.audience, people.outcome, people.report)


def tell_pushed(done: Pushed, *, as_json: bool) -> None:
    """What became of the other parts, and what to do next."""
    items = [{"part": say(name), **done.parts[name]} for name in _PARTS]
    tables.to_people(
        items,
        [
            tables.Column("", lambda one: one["part"]),
            tables.Column(say("name"), lambda one: one["name"]),
            tables.Column("", lambda one: say(audiences.OUTCOMES.get(one["outcome"], str(one["outcome"])))),
            tables.Column("", lambda one: say("revision {n}", n=one["revision"]) if "revision" in one else ""),
        ],
    )
    if done.secrets:
        console.tell(say("Secrets that were set: {names}", names=", ".join(done.secrets)))
    accounts.tell_missing(done.account)
    if as_json:
        console.print_json(_document(done))
    else:
        name = console.typed(done.parts["job"]["name"])
        console.tell(say("Look at it and start it: postroad jobs run {name}", name=name), "dim")


def _document(done: Pushed) -> Wire:
    audience = done.people.audience
    kept = {name: audience[name] for name in ("id", "name", "version", "snapshotRevision", "recordCount")}
    return {
        "audience": kept | {"outcome": done.people.outcome, "report": done.people.report},
        **done.parts,
        "secrets": list(done.secrets),
    }
