"""A table is written by one store, an event is published by one room, and nobody but the kernel commits."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import PurePath

from postroad.vocabulary.events import EventName
from tests.architecture.tree import dotted, modules

COMMITTERS = ("kernel/database.py", "drivers/sqlite/dialect.py", "drivers/postgres/dialect.py", "app/migrations/")
SERVICE = ("kernel/", "drivers/", "modules/", "reads/", "flows/", "entrypoints/", "app/")
WRITING = {"insert", "update", "delete"}


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(module, name) of every `from … import …`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                yield node.module, alias.name


def _room(name: str) -> str:
    """`modules/runs/store.py` → `modules/runs`; a file of the kernel is its own room."""
    parts = PurePath(name).parts
    return name if parts[0] == "kernel" else "/".join(parts[:2])


def test_the_tables_of_a_module_are_imported_by_its_store_only() -> None:
    wrong = []
    for name, tree in modules().items():
        for module, imported in _imported(tree):
            if not module.startswith("postroad.modules.") or "._tables" not in module:
                continue
            owner = "modules/" + module.split(".")[2]
            own = name.startswith((f"{owner}/store.py", f"{owner}/store/", f"{owner}/_tables"))
            if not own and not name.startswith("reads/"):
                wrong.append(f"{name} imports {imported} of {owner}")
    assert wrong == []


def test_no_table_is_defined_twice_and_each_names_itself_in_the_plural() -> None:
    places = defaultdict(list)
    for name, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and dotted(node.func) == "Table" and len(node.args) > 1:
                first, second = node.args[:2]
                if isinstance(first, ast.Constant) and dotted(second) == "metadata":
                    places[first.value].append(name)
    assert {table: where for table, where in places.items() if len(where) > 1} == {}
    assert places.keys() >= {"outbox_events", "idempotency_records"}


def test_reads_never_write() -> None:
    wrong = []
    for name, tree in modules().items():
        if name.startswith("reads/"):
            wrong += [f"{name}: {imported}" for module, imported in _imported(tree) if imported in WRITING]
    assert wrong == []


def test_nobody_commits_but_the_kernel() -> None:
    wrong = [
        f"{name}:{node.lineno}"
        for name, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "commit"
        and name.startswith(SERVICE)
        and not name.startswith(COMMITTERS)
    ]
    assert wrong == []


def publishers() -> dict[str, set[str]]:
    """Event → the rooms that hand its name to `emit`."""
    found = defaultdict(set)
    for name, tree in modules().items():
        if not name.startswith(("modules/", "flows/", "kernel/", "worker/")) or name.endswith("reactions.py"):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and dotted(node.value).split(".")[-1] == "EventName":
                found[node.attr].add(_room(name))
    return found


def test_an_event_is_published_by_one_room() -> None:
    assert {event: rooms for event, rooms in publishers().items() if len(rooms) > 1} == {}


def test_the_catalogue_is_what_is_published() -> None:
    assert set(publishers()) == set(EventName.__members__)
