"""Schedules and the times at which they fire."""

from postroad.entrypoints.cli.remote.access.service import Wire
from postroad.entrypoints.cli.remote.show import cells, tables
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say


def columns() -> list[tables.Column]:
    return [
        tables.name_column(),
        tables.Column(say("when"), _when),
        tables.Column(say("time zone"), lambda one: one["timezone"]),
        tables.Column(say("status"), lambda one: cells.state(one["status"])),
        tables.Column(say("next"), lambda one: cells.local(one["nextFireAt"]), folds=False),
        tables.Column(say("last"), lambda one: cells.local(one["lastFireAt"]), folds=False),
    ]


def one(schedule: Wire, job_name: str, firings: list[Wire], *, as_json: bool) -> None:
    if as_json:
        console.print_json(schedule | {"firings": firings})
        return
    limit = schedule["catchUpLimit"]
    tables.facts(
        [
            (say("name"), schedule["name"]),
            (say("job"), job_name),
            (say("when"), _when(schedule)),
            (say("time zone"), schedule["timezone"]),
            (say("from"), cells.local(schedule["startAt"])),
            (say("until"), cells.local(schedule["endAt"])),
            (say("missed times"), f"{schedule['misfirePolicy']} {limit}" if limit else schedule["misfirePolicy"]),
            (say("asks the query again"), schedule["refreshAudience"] or None),
            (say("status"), cells.state(schedule["status"])),
            (say("next"), cells.local(schedule["nextFireAt"])),
            (say("id"), schedule["id"]),
        ]
    )
    if firings:
        console.results.print()
        tables.rows(firings, _firings())


def times(found: list[Wire], *, as_json: bool) -> None:
    """As the clocks of the zone show them."""
    if as_json:
        console.print_json({"items": found})
        return
    if not found:
        console.tell(say("It never fires."), "yellow")
        return
    for item in found:
        console.results.print(cells.plain(item["local"]))


def _firings() -> list[tables.Column]:
    return [
        tables.Column(say("fired at"), lambda one: cells.local(one["fireAt"]), folds=False),
        tables.Column(say("state"), lambda one: cells.state(one["state"])),
        tables.Column(say("why"), lambda one: one["reason"]),
        tables.Column(say("run"), lambda one: one["runId"], folds=False),
    ]


def _when(schedule: Wire) -> str:
    return str(schedule["cron"]) if schedule["cron"] else cells.local(schedule["at"])
