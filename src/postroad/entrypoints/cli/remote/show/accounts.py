"""Accounts and what a look at their remote found."""

from collections.abc import Iterator

from postroad.entrypoints.cli.remote.access.service import Wire
from postroad.entrypoints.cli.remote.show import cells, tables
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say
from postroad.foundation.secret_lookup import variable_of


def columns() -> list[tables.Column]:
    return [
        tables.name_column(),
        tables.Column(say("channel"), lambda one: one["providerId"]),
        tables.Column(say("status"), lambda one: cells.state(one["status"])),
        tables.Column(say("secrets not set"), lambda one: list(_missing(one))),
        tables.Column(say("last test"), _last_test),
        tables.Column(say("last change"), lambda one: cells.local(one["updatedAt"]), folds=False),
    ]


def one(account: Wire, *, as_json: bool) -> None:
    if as_json:
        console.print_json(account)
        return
    tables.facts(
        [
            (say("name"), account["name"]),
            (say("channel"), account["providerId"]),
            (say("status"), cells.state(account["status"])),
            (say("last test"), _last_test(account)),
            (say("version"), account["version"]),
            (say("last change"), cells.local(account["updatedAt"])),
            (say("id"), account["id"]),
        ]
    )
    tables.document(say("account"), account["config"])
    _secrets(account)


def kept(account: Wire, *, as_json: bool) -> None:
    """An account after it was made or changed, and what it still lacks."""
    console.tell(say("Kept: {name}, version {version}", name=account["name"], version=account["version"]), "green")
    tell_missing(account)
    if as_json:
        console.print_json(account)


def tell_missing(account: Wire) -> None:
    """The secrets that a run would lack, and how to set them."""
    for name in _missing(account):
        console.tell(
            say(
                "The secret `{name}` is not set; set {variable} and run: postroad accounts edit {account}"
                " --renew-secrets",
                name=name,
                variable=variable_of(name),
                account=console.typed(account["name"]),
            ),
            "yellow",
        )


def tested(account: Wire, *, as_json: bool) -> int:
    """Shows what was proved; the exit code."""
    found = account["lastTest"]
    console.tell(cells.plain(found["summary"]), "green" if found["ok"] else "red")
    for heading, lines in ((say("proved"), found["proved"]), (say("not proved"), found["notProved"])):
        for line in lines:
            console.tell(f"  {heading}: {cells.plain(line)}")
    if as_json:
        console.print_json(account)
    return 0 if found["ok"] else 1


def _secrets(account: Wire) -> None:
    if not account["secrets"]:
        return
    items = [{"name": name, **state} for name, state in account["secrets"].items()]
    console.results.print()
    tables.rows(
        items,
        [
            tables.Column(say("secret"), lambda one: one["name"]),
            tables.Column(say("set"), lambda one: one["configured"]),
            tables.Column(say("last change"), lambda one: cells.local(one["updatedAt"])),
        ],
    )


def _missing(account: Wire) -> Iterator[str]:
    return (name for name, state in account["secrets"].items() if not state["configured"])


def _last_test(account: Wire) -> str:
    found = account["lastTest"]
    if found is None:
        return ""
    said = say("good") if found["ok"] else say("bad")
    stale = say(" (older version)") if found["accountVersion"] != account["version"] else ""
    return f"{said}, {cells.local(found['testedAt'])}{stale}"
