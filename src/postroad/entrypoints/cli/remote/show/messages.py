"""Messages, their revisions, and what differs between two of them."""

from typing import Any

from rich.text import Text

from postroad.entrypoints.cli.remote.access.service import Wire
from postroad.entrypoints.cli.remote.show import cells, tables
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say

_OUTCOMES = {
    "CREATED": "Kept: {name}, revision {revision}",
    "REVISED": "Kept: {name}, revision {revision}",
    "RENAMED": "Renamed: {name}; the content is the same, revision {revision}",
    "UNCHANGED": "Nothing differs: {name}, revision {revision}",
}


def columns() -> list[tables.Column]:
    return [
        tables.name_column(),
        tables.Column(say("channel"), lambda one: one["providerId"]),
        tables.Column(say("status"), lambda one: cells.state(one["status"])),
        tables.Column(say("revision"), lambda one: one["currentRevision"]),
        tables.Column(say("last change"), lambda one: cells.local(one["updatedAt"]), folds=False),
    ]


def one(message: Wire, *, as_json: bool) -> None:
    if as_json:
        console.print_json(message)
        return
    tables.facts(
        [
            (say("name"), message["name"]),
            (say("channel"), message["providerId"]),
            (say("status"), cells.state(message["status"])),
            (say("revision"), message.get("revision", message["currentRevision"])),
            (say("last change"), cells.local(message["updatedAt"])),
            (say("id"), message["id"]),
        ]
    )
    tables.document(say("message"), message["content"])


def kept(message: Wire, *, as_json: bool) -> None:
    said = _OUTCOMES.get(message["outcome"], _OUTCOMES["REVISED"])
    line = say(said, name=message["name"], revision=message["currentRevision"])
    tables.done(line, message, as_json=as_json)


def difference(found: Wire, *, as_json: bool) -> None:
    if as_json:
        console.print_json(found)
        return
    for mark, revision, style in (("---", found["before"], "red"), ("+++", found["after"], "green")):
        when = cells.local(revision["createdAt"])
        console.results.print(Text(f"{mark} {say('revision')} {revision['revision']}, {when}", style=style))
    if not found["changes"]:
        console.tell(say("Nothing differs."))
    for change in found["changes"]:
        console.results.print(Text(cells.plain(change["path"]), style="bold"))
        for mark, value, style in (("-", change["before"], "red"), ("+", change["after"], "green")):
            if value is not None:
                console.results.print(Text(_marked(mark, value), style=style))


def _marked(mark: str, value: Any) -> str:
    text = value if isinstance(value, str) else str(value)
    return "\n".join(f"{mark} {line}" for line in cells.block(text).splitlines() or [""])
