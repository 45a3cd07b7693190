"""The two READMEs: their examples run, their tables are those of the program, and both say the same."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.builders.http_receiver import HttpReceiver
from tests.builders.pages import ROOT, blocks, text_of

from postroad.egress import Egress
from postroad.flows.local_runs import EXIT_CODES, INTERRUPTED_EXIT_CODE
from postroad.providers import BUILTIN, load

ENGLISH, CHINESE = ROOT / "README.md", ROOT / "README.zh-CN.md"
BOTH = pytest.mark.parametrize("page", [ENGLISH, CHINESE], ids=["en", "zh"])


def table(page: Path, first_cell: str) -> list[list[str]]:
    """Cells of the rows whose first cell matches."""
    lines = [line.strip("| ").split(" | ") for line in text_of(page).splitlines() if line.startswith("| ")]
    return [cells for cells in lines if re.fullmatch(first_cell, cells[0])]


@BOTH
def test_the_library_example_runs(page: Path, tmp_path: Path) -> None:
    (source,) = blocks(page, "python")
    with HttpReceiver() as receiver:
        script = tmp_path / "example.py"
        script.write_text(source.replace("8025", str(receiver.port)), encoding="utf-8")
        done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert "succeeded=2" in done.stdout
    assert receiver.copies.total() == 2


@BOTH
def test_the_channels_are_those_of_the_program(page: Path) -> None:
    listed = [cells for cells in table(page, "`[a-z_]+`") if len(cells) == 5]
    assert sorted(cells[0].strip("`") for cells in listed) == sorted(BUILTIN)
    for cells in listed:
        descriptor = load(cells[0].strip("`"), Egress()).descriptor
        rates = [limit.rate for limit in descriptor.limits] + [r for r in [descriptor.default_rate] if r]
        assert sorted(int(number) for number in re.findall(r"\d+", cells[3])) == sorted(rate.count for rate in rates)


@BOTH
def test_the_exit_codes_are_those_of_the_program(page: Path) -> None:
    usage = 2
    listed = {int(cells[0]) for cells in table(page, r"\d+")}
    assert listed == {*EXIT_CODES.values(), INTERRUPTED_EXIT_CODE, usage}


@BOTH
def test_the_tree_has_every_room(page: Path) -> None:
    rooms = {path.parent.name for path in (ROOT / "src" / "postroad").glob("*/__init__.py")}
    listed = {cells[0].strip("`").rpartition("/")[2] for cells in table(page, r"`src/postroad/\w+`")}
    assert listed == rooms


def test_both_readmes_have_the_same_parts() -> None:
    shapes = []
    for page in (ENGLISH, CHINESE):
        text = text_of(page).replace(".zh.svg", ".svg")
        shapes.append(
            {
                "headings": [line.split()[0] for line in text.splitlines() if line.startswith("#")],
                "shell": blocks(page, "sh"),
                "pictures": re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text),
                "links": sorted(set(re.findall(r"\]\(([^)]+)\)", text)) - {"README.md", "README.zh-CN.md"}),
                "codes": [cells[0] for cells in table(page, r"\d+|`[^`]+`")],
            }
        )
    assert shapes[0] == shapes[1]
