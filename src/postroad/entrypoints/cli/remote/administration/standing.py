"""Who one is, and where."""

from postroad.entrypoints.cli.remote.access.service import Service, Wire
from postroad.entrypoints.cli.remote.show import tables
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say


def tell_standing(service: Service, *, as_json: bool) -> None:
    me = service.get("/me")
    workspaces = list(service.each("/workspaces", {})) if me["scopes"] is None else []
    if as_json:
        console.print_json({"url": service.url, "workspaceId": service.chosen, **me})
        return
    user = me["user"]
    names = {one["id"]: one["name"] for one in workspaces}
    tables.facts(
        [
            (say("service"), service.url),
            (say("username"), user["username"]),
            (say("name"), user["displayName"]),
            (say("system administrator"), user["systemAdmin"] or None),
            (say("token for"), me["scopes"]),
            (say("workspace"), names.get(service.chosen, service.chosen)),
        ]
    )
    if me["roles"]:
        tables.rows(me["roles"], _columns(names))


def _columns(names: dict[str, str]) -> list[tables.Column]:
    def name_of(one: Wire) -> str:
        workspace_id = str(one["workspaceId"])
        return names.get(workspace_id, workspace_id)

    return [tables.Column(say("workspace"), name_of), tables.Column(say("role"), lambda one: one["role"])]
