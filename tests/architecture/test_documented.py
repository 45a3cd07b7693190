"""The generated pages are what the program would write now, and nothing of the program lacks its heading."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from postroad.app.reference import PAGES
from postroad.app.reference.errors import coded_errors
from postroad.entrypoints.cli.pages.examples import EXAMPLES
from postroad.foundation.metrics import METRICS
from postroad.foundation.service_settings import SERVICE_SETTINGS
from postroad.foundation.settings import SETTINGS
from postroad.providers import BUILTIN
from postroad.vocabulary.events import EventName
from postroad.vocabulary.outcomes import Category, Outcome
from postroad.vocabulary.transitions import RunState
from tests.architecture.tree import ROOT, modules, text_of

REFERENCE = ROOT / "docs" / "reference"


def _headings(page: str) -> set[str]:
    return set(re.findall(r"^##+ (.+)$", (REFERENCE / page).read_text(encoding="utf-8"), re.MULTILINE))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages as a process of its own writes them, in no language but the default."""
    folder = tmp_path_factory.mktemp("reference")
    environment = {name: value for name, value in os.environ.items() if name != "POSTROAD_LANG"}
    command = [sys.executable, "-m", "postroad.app.reference", str(folder)]
    subprocess.run(command, env=environment, check=True, timeout=60)
    return folder


@pytest.mark.parametrize("page", PAGES)
def test_a_generated_page_is_up_to_date(written: Path, page: str) -> None:
    kept = (REFERENCE / page).read_text(encoding="utf-8")
    assert kept == (written / page).read_text(encoding="utf-8"), "run `make docs`"


def test_every_command_has_a_heading() -> None:
    assert set(EXAMPLES) - _headings("cli.md") == set()


def test_every_error_has_a_heading_and_every_code_is_its_own() -> None:
    codes = [error.code for error in coded_errors()]
    assert len(codes) == len(set(codes))
    assert set(codes) == _headings("errors.md")


def test_every_provider_setting_and_outcome_has_a_heading() -> None:
    assert set(BUILTIN) - _headings("providers.md") == set()
    assert {setting.name for setting in SETTINGS} == _headings("settings.md")
    assert {setting.path for setting in SERVICE_SETTINGS} == _headings("service-settings.md")
    assert {outcome.value for outcome in Outcome} - _headings("outcomes.md") == set()


def test_every_event_has_a_heading() -> None:
    assert {name.value for name in EventName} == _headings("events.md")


def test_every_metric_has_a_heading_and_no_other_is_named() -> None:
    assert {metric.name for metric in METRICS} == _headings("metrics.md")
    named = {
        found
        for name in modules()
        for found in re.findall(r'"(postroad_[a-z_]+(?:_total|_seconds|_bytes|_size|_runs|_inflight))"', text_of(name))
    }
    assert named <= {metric.name for metric in METRICS}


def test_every_reason_and_state_has_a_row() -> None:
    page = (REFERENCE / "outcomes.md").read_text(encoding="utf-8")
    assert [word.value for word in (*Category, *RunState) if f"| `{word.value}` |" not in page] == []


def test_every_variable_that_is_read_is_a_setting() -> None:
    known = [setting.name.partition("<")[0] for setting in SETTINGS]
    known += [setting.variable for setting in SERVICE_SETTINGS]
    read = {
        found
        for name in modules()
        for found in re.findall(r'"(POSTROAD_[A-Z_]+)"', text_of(name))
        if name != "foundation/settings.py"
    }
    families = tuple(name for name in known if name.endswith("_"))
    assert {name for name in read if name not in known and not name.startswith(families)} == set()
