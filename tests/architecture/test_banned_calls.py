"""Time, chance and the network have one owner each; everyone else is handed them."""

import ast

import pytest

from tests.architecture.tree import dotted, modules

OWNERS = {
    "datetime.now": ("foundation/clock.py",),
    "datetime.utcnow": (),
    "datetime.datetime.now": ("foundation/clock.py",),
    "date.today": ("foundation/clock.py",),
    "time.time": ("foundation/clock.py",),
    "time.time_ns": ("foundation/clock.py", "engine/clock.py"),
    "time.sleep": (),
    "uuid.uuid4": ("foundation/ids.py",),
    "uuid4": ("foundation/ids.py",),
    "socket.create_connection": ("egress/",),
    "asyncio.open_connection": ("egress/",),
    "urllib.request.urlopen": (),
    "os.system": (),
    "eval": (),
    "exec": (),
    "pickle.loads": (),
    "yaml.load": (),
}
"""Call → the files (or folders, ending in /) that may make it."""


def _calls() -> list[tuple[str, int, str]]:
    return [
        (name, node.lineno, dotted(node.func))
        for name, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    ]


@pytest.mark.parametrize("banned", OWNERS)
def test_a_banned_call_is_made_by_its_owner_only(banned: str) -> None:
    wrong = [
        f"{name}:{line}" for name, line, call in _calls() if call == banned and not name.startswith(OWNERS[banned])
    ]
    assert wrong == []


def test_random_is_imported_by_its_owners_only() -> None:
    allowed = ("foundation/", "flows/drills/")
    wrong = [
        name
        for name, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        and any(alias.name == "random" for alias in node.names)
        and not name.startswith(allowed)
    ]
    assert wrong == []


def test_nothing_prints_outside_the_entrypoints() -> None:
    allowed = ("entrypoints/", "app/")
    assert [f"{n}:{line}" for n, line, call in _calls() if call == "print" and not n.startswith(allowed)] == []
