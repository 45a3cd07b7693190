"""Jobs."""

from postroad.entrypoints.cli.remote.access.service import Wire
from postroad.entrypoints.cli.remote.show import cells, tables
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say


def columns() -> list[tables.Column]:
    return [
        tables.name_column(),
        tables.Column(say("status"), lambda one: cells.state(one["status"])),
        tables.Column(say("version"), lambda one: one["version"]),
        tables.Column(say("last change"), lambda one: cells.local(one["updatedAt"]), folds=False),
        tables.Column(say("id"), lambda one: one["id"], folds=False),
    ]


def one(job: Wire, names: dict[str, str], *, as_json: bool) -> None:
    """`names` are those of account, message and audience."""
    if as_json:
        console.print_json(job)
        return
    pinned = job["messageRevision"]
    revision = say("latest revision") if pinned is None else say("revision {n}", n=pinned)
    cap = job["openApi"]["recipientCap"]
    tables.facts(
        [
            (say("name"), job["name"]),
            (say("status"), cells.state(job["status"])),
            (say("account"), names["account"]),
            (say("message"), f"{names['message']}, {revision}"),
            (say("audience"), names["audience"]),
            (say("open API"), say("up to {n} recipients", n=cap) if job["openApi"]["enabled"] else None),
            (say("version"), job["version"]),
            (say("last change"), cells.local(job["updatedAt"])),
            (say("id"), job["id"]),
        ]
    )
    tables.document(say("policies"), job["policies"])
