"""Every page of the documentation: links lead somewhere, commands exist, named jobs can be read."""

import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import typer
from tests.builders.pages import DOCS, ROOT, blocks, named_files, text_of

from postroad.app.composition import LocalComposition
from postroad.entrypoints.cli.program import build
from postroad.jobfile import read_job

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/postroad/providers/*/README.md")])
EVERY_PAGE = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
PROGRAM = typer.main.get_command(build(LocalComposition()))


def commands_shown(page: Path) -> Iterator[str]:
    """Command lines in shell blocks, and those in running text that name a command."""
    for block in blocks(page, "sh"):
        yield from (line for line in block.replace("\\\n", " ").splitlines() if line.startswith("postroad "))
    prose = re.sub(r"^```.*?^```$", "", text_of(page), flags=re.DOTALL | re.MULTILINE)
    for span in re.findall(r"`(postroad [a-z][^`]*)`", prose):
        yield " ".join(span.split())


def missing_in(words: list[str]) -> str:
    """The first word of a command line that the program does not know; empty where all is known."""
    command = PROGRAM
    known: set[str] = set()
    valued: set[str] = set()
    for before, word in pairwise(["", *words]):
        known |= {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
        valued |= {name for option in command.params if not getattr(option, "is_flag", True) for name in option.opts}
        if before in valued:
            continue
        if word.startswith("-"):
            if word.partition("=")[0] not in known | {"--help", "-h"}:
                return word
        elif groups := getattr(command, "commands", None):
            if word not in groups:
                return word
            command = groups[word]
    return ""


@EVERY_PAGE
def test_links_lead_to_a_file(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", text_of(page), flags=re.DOTALL | re.MULTILINE)
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_map_of_the_documentation_names_every_page() -> None:
    shown = set(re.findall(r"\]\(([^)#]+\.md)\)", text_of(DOCS / "README.md")))
    there = {str(page.relative_to(DOCS)) for page in DOCS.glob("*/*.md")}
    assert there - shown == set()


@EVERY_PAGE
def test_commands_exist_with_their_options(page: Path) -> None:
    wrong = {}
    for line in commands_shown(page):
        if missing := missing_in(shlex.split(line.partition(" > ")[0])[1:]):
            wrong[line] = missing
    assert wrong == {}


@EVERY_PAGE
def test_named_jobs_can_be_read(page: Path, tmp_path: Path) -> None:
    for name, content in named_files(page).items():
        if name.endswith(".yaml") and "provider:" in content:
            path = tmp_path / name
            path.write_text(content, encoding="utf-8")
            read_job(path)


@EVERY_PAGE
def test_python_on_a_page_compiles(page: Path) -> None:
    for source in blocks(page, "python"):
        compile(source, str(page), "exec")
