"""The program answers at once where it has nothing to do."""

import subprocess
import sys

import pytest
from tests.e2e.program import PROGRAM

HEAVY = ("rich", "pydantic", "duckdb", "httpx", "orjson", "minijinja", "cryptography", "yaml", "asyncio", "uvloop")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["--lang", "zh", "-h"]])
def test_a_page_needs_none_of_the_heavy_libraries(arguments: list[str]) -> None:
    script = (
        "import sys\nfrom postroad.app.main import run\nrun(sys.argv[1:])\n"
        f"sys.stdout.write('\\n' + ' '.join(name for name in {HEAVY!r} if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == ""


def test_the_module_is_the_program() -> None:
    said = [
        subprocess.run([*command, "--version"], capture_output=True, text=True, check=True).stdout
        for command in ([str(PROGRAM)], [sys.executable, "-m", "postroad"])
    ]
    assert said[0] == said[1]
    assert said[0].startswith("postroad ")
