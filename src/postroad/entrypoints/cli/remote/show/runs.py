"""Runs in a list and in full, their items and files."""

from rich.text import Text

from postroad.entrypoints.cli.remote.access.service import Wire
from postroad.entrypoints.cli.remote.show import cells, endings, live, tables
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say


def columns() -> list[tables.Column]:
    return [
        tables.Column(say("begun"), lambda one: cells.local(one["createdAt"]), folds=False),
        tables.Column(say("job"), lambda one: one["jobName"]),
        tables.Column(say("state"), lambda one: cells.state(one["state"])),
        tables.Column(say("total"), lambda one: one["counts"]["total"]),
        tables.Column(say("what became of them"), lambda one: cells.became(one["counts"])),
        tables.Column("", _kind),
        tables.Column(say("id"), lambda one: one["id"], folds=False),
    ]


def one(run: Wire, *, as_json: bool) -> None:
    if as_json:
        console.print_json(run)
        return
    frozen = run["snapshot"]
    revision = say("revision {n}", n=frozen["messageRevision"])
    snapshot = say("snapshot {n}", n=frozen["audienceRevision"])
    tables.facts(
        [
            (say("job"), run["jobName"]),
            (say("state"), cells.state(run["state"])),
            (say("why"), run["stateReason"] or None),
            (say("now"), None if run["endedAt"] else live.doing(run)),
            (say("kind"), _kind(run)),
            (say("channel"), f"{run['providerId']} {frozen['providerVersion']}"),
            (say("account"), frozen["accountName"]),
            (say("message"), f"{frozen['messageName']}, {revision}"),
            (say("audience"), snapshot),
            (say("at once"), f"{run['concurrency']} ({run['concurrencyMin']}–{run['concurrencyMax']})"),
            (say("reason"), run["reason"] or None),
            (say("begun"), cells.local(run["createdAt"])),
            (say("ended"), cells.local(run["endedAt"])),
            (say("hash"), frozen["hash"]),
            (say("may be told"), run["allowedCommands"] or None),
            (say("id"), run["id"]),
        ]
    )
    endings.counts(run["counts"])


def item_columns(fields: list[str]) -> list[tables.Column]:
    """`fields` are those of the recipients that people know them by."""
    return [
        tables.Column(say("row"), lambda one: one["row"]),
        *(_field(name) for name in fields),
        tables.Column(say("outcome"), lambda one: _outcome(one["outcome"])),
        tables.Column(say("code"), lambda one: one["code"]),
        tables.Column(say("attempts"), lambda one: one["attempts"]),
        tables.Column(say("details"), lambda one: one["summary"]),
    ]


def files(found: list[Wire], *, as_json: bool) -> None:
    if as_json:
        console.print_json(found)
        return
    if not found:
        console.tell(say("There are no results yet."), "dim")
        return
    tables.rows(
        found,
        [
            tables.name_column(),
            tables.Column(say("size"), lambda one: cells.size(one["sizeBytes"]), folds=False),
            tables.Column("SHA-256", lambda one: one["sha256"]),
            tables.Column(say("id"), lambda one: one["id"], folds=False),
        ],
    )


def _field(name: str) -> tables.Column:
    return tables.Column(cells.plain(name), lambda one: one["fields"].get(name))


def _outcome(value: str) -> object:
    name = value.lower()
    return Text(say(name), style=console.OUTCOME_STYLES[name]) if name in console.OUTCOME_STYLES else value


def _kind(run: Wire) -> str:
    if run["dryRun"]:
        return say("dry run")
    if run["sourceRunId"]:
        return say("sent again")
    return say("by schedule") if run["scheduleId"] else ""
