"""The engine can be embedded, and a worker started, without the packages of a server or a terminal."""

import subprocess
import sys

import pytest

HEAVY = [
    "fastapi",
    "starlette",
    "sqlalchemy",
    "typer",
    "rich",
    "duckdb",
    "httpx",
    "cryptography",
    "minijinja",
    "orjson",
]


def _loaded_after(statement: str) -> list[str]:
    script = f"{statement}\nimport sys\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize("room", ["vocabulary", "spi", "journal", "engine"])
def test_the_embeddable_rooms_load_nothing_that_has_to_be_installed(room: str) -> None:
    assert _loaded_after(f"import postroad.{room}") == []


def test_the_worker_loads_no_terminal_and_no_server() -> None:
    loaded = _loaded_after("import postroad.worker")
    assert not {"fastapi", "starlette", "sqlalchemy", "typer", "rich"} & set(loaded)
