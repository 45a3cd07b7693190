"""The project speaks of itself alone, and names no place that only one machine has."""

import re
import subprocess

import pytest

from tests.architecture.tree import ROOT

FORBIDDEN = {
    "a path of one machine": re.compile(r"(^|[\s\"'(=:])/(root|home/[a-z]+|work|Users/[A-Za-z]+)/", re.MULTILINE),
    "the host of a package registry": re.compile(
        r"https?://([a-z0-9-]+\.)*(pypi|pythonhosted|npmjs|debian)\.(org|com|net)"
    ),
    "work put off without a date": re.compile(r"\b(TODO|FIXME|XXX)\b(?!\(\d{4}-\d\d-\d\d\))"),
}
OWN_TEXT = "tests/architecture/test_project_text.py"


def _tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if name != OWN_TEXT and (ROOT / name).is_file()]


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_holds(what: str) -> None:
    wrong = []
    for name in _tracked():
        try:
            text = (ROOT / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        wrong += [f"{name}: {found.group(0).strip()}" for found in [FORBIDDEN[what].search(text)] if found]
    assert wrong == []
