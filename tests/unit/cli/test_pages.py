"""Help pages: every command has one in both languages, with examples that the program itself understands."""

import re
import shlex

import pytest
import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from postroad.app.composition import LocalComposition
from postroad.app.main import run
from postroad.entrypoints.cli.pages.examples import EXAMPLES
from postroad.entrypoints.cli.pages.wrapping import columns, width_of, wrapped
from postroad.entrypoints.cli.program import build


def _commands(command: TyperCommand | TyperGroup, path: str) -> dict[str, TyperCommand | TyperGroup]:
    found: dict[str, TyperCommand | TyperGroup] = {path: command}
    if isinstance(command, TyperGroup):
        for name, inner in command.commands.items():
            assert isinstance(inner, TyperCommand | TyperGroup)
            found |= _commands(inner, f"{path} {name}")
    return found


def _program() -> TyperGroup:
    made = get_command(build(LocalComposition()))
    assert isinstance(made, TyperGroup)
    return made


def test_every_command_says_what_it_does_and_has_examples() -> None:
    commands = _commands(_program(), "postroad")
    assert {path for path, command in commands.items() if not command.help} == set()
    leaves = {path for path, command in commands.items() if not isinstance(command, TyperGroup)}
    assert leaves - set(EXAMPLES) == set()
    assert set(EXAMPLES) - set(commands) == set()


@pytest.mark.parametrize("line", sorted({line for lines in EXAMPLES.values() for line in lines}))
def test_every_example_is_understood(line: str) -> None:
    words = shlex.split(re.split(" [<>] ", line)[0])[1:]
    command: TyperCommand | TyperGroup = _program()
    while isinstance(command, TyperGroup) and words and not words[0].startswith("-"):
        inner = command.commands[words.pop(0)]
        assert isinstance(inner, TyperCommand | TyperGroup)
        command = inner
    command.make_context(line, words)


def test_every_option_says_what_it_is_for() -> None:
    silent = {
        f"{path} {parameter.name}"
        for path, command in _commands(_program(), "postroad").items()
        for parameter in command.params
        if not getattr(parameter, "help", None) and parameter.name != "help"
    }
    assert silent == set()


def test_a_group_alone_shows_its_page_and_is_a_mistake(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTROAD_LANG", "en")
    assert run(["audience"]) == 2
    assert "Usage: postroad audience COMMAND" in capsys.readouterr().err
    assert run(["--lang", "en"]) == 2
    assert "Usage: postroad COMMAND" in capsys.readouterr().err
    assert run(["send", "--help"]) == 0
    assert "--dry-run" in capsys.readouterr().out


def test_a_chinese_letter_takes_two_places_and_a_mark_never_begins_a_line() -> None:
    assert width_of("中a") == 3
    assert wrapped("向受众发送消息，继续", 14) == ["向受众发送消息，", "继续"]
    assert all(not line.startswith(("，", "。", "）")) for line in wrapped("甲乙（丙），丁戊。" * 5, 11))
    assert wrapped("one two three", 7) == ["one two", "three"]
    assert wrapped("", 10) == [""]
    assert wrapped("averyveryverylongword x", 5) == ["averyveryverylongword", "x"]


def test_a_name_wider_than_its_column_stands_above_its_text() -> None:
    assert columns([("-h", "page"), ("--a-very-long-option NAME", "text")], 40, left_max=10) == [
        "  -h          page",
        "  --a-very-long-option NAME",
        "              text",
    ]


def test_the_program_is_a_typer_program() -> None:
    assert isinstance(build(LocalComposition()), typer.Typer)
