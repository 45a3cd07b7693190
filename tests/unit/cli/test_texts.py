"""Everything the program says can be said in Chinese, with the same values in it."""

import ast
import re
import string
from pathlib import Path

import pytest

from postroad.app.reference.errors import coded_errors
from postroad.entrypoints.cli import program
from postroad.entrypoints.cli.pages import help_page, usage_errors
from postroad.entrypoints.cli.remote.show import audiences as remote_audiences
from postroad.entrypoints.cli.remote.show import endings as remote_endings
from postroad.entrypoints.cli.remote.show import live
from postroad.entrypoints.cli.remote.show import messages as remote_messages
from postroad.entrypoints.cli.show import console, endings, providers, watching
from postroad.entrypoints.cli.texts import chosen_language, language_first
from postroad.entrypoints.cli.texts.chinese import CHINESE
from postroad.entrypoints.cli.texts.error_names import ERROR_NAMES
from postroad.flows.drills import OUTCOMES
from postroad.flows.local_runs.running import display
from postroad.vocabulary.transitions import RunState

SOURCE = Path(program.__file__).parents[2]
CATALOGUES = SOURCE / "entrypoints/cli/texts/chinese"


def _constants(node: ast.expr) -> list[str]:
    """The texts an argument may be: a constant, or either side of a choice."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return [*_constants(node.body), *_constants(node.orelse)]
    return []


def _said() -> dict[str, str]:
    """Text → the place that says it, for every text handed to `say` directly or by `map(say, …)`."""
    found = {}
    for path in [*(SOURCE / "entrypoints/cli").rglob("*.py"), *(SOURCE / "app").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            arguments: list[ast.expr] = []
            if node.func.id == "say":
                arguments = node.args[:1]
            elif node.func.id == "map" and node.args and ast.unparse(node.args[0]) == "say":
                arguments = [e for given in node.args[1:] if isinstance(given, ast.Tuple) for e in given.elts]
            for text in (text for argument in arguments for text in _constants(argument)):
                found[text] = f"{path.name}:{node.lineno}"
    return found


TABLES = {
    *(text for text, _style in endings._ENDS.values()),
    endings._STOPPED[0],
    *providers.COMMIT_POINTS.values(),
    *providers.AT_ONCE.values(),
    *watching._WAITS.values(),
    *watching._NOTICES,
    *(text for _kind, text in display._TOLD.values()),
    *(text for _pattern, text in usage_errors._PARSER_WORDS),
    *help_page._EPILOGS.values(),
    *console.OUTCOME_STYLES,
    *OUTCOMES,
    *(text for text, _style in (*remote_endings.ENDS.values(), remote_endings.REHEARSED)),
    *remote_audiences.OUTCOMES.values(),
    *remote_messages._OUTCOMES.values(),
    *live.WAITS.values(),
    *live.STATES.values(),
    *(str(state).lower() for state in RunState if state in endings._ENDS),
}
"""Texts that are chosen from a table before they are said."""


def test_every_text_has_its_chinese() -> None:
    said = dict.fromkeys(TABLES, "a table") | _said()
    assert len(said) > 200
    assert {text: place for text, place in said.items() if text not in CHINESE} == {}


def test_no_translation_is_left_of_a_text_that_nobody_says() -> None:
    assert set(CHINESE) - set(_said()) - TABLES == set()


def test_no_text_is_translated_twice() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in CATALOGUES.glob("*.py")]
    dicts = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Dict)]
    keys = [ast.literal_eval(key) for node in dicts for key in node.keys if key]
    assert sorted(keys) == sorted(set(keys))


def _placeholders(text: str) -> set[str]:
    return {name for _literal, name, _format, _conversion in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("text", [text for text in CHINESE if "{" in text or "{" in CHINESE[text]])
def test_a_translation_shows_the_same_values(text: str) -> None:
    assert _placeholders(CHINESE[text]) == _placeholders(text)


def test_chinese_is_chinese() -> None:
    same = {text for text, said in CHINESE.items() if not re.search(r"[\u4e00-\u9fff]", said)}
    assert same == set()


def test_every_error_has_a_chinese_name() -> None:
    assert set(ERROR_NAMES) == {error.code for error in coded_errors()}


def test_the_language_is_the_option_then_our_variable_then_the_locale() -> None:
    assert chosen_language(["--lang", "zh", "runs"], {"POSTROAD_LANG": "en"}) == "zh"
    assert chosen_language(["--lang=en"], {"LANG": "zh_CN.UTF-8"}) == "en"
    assert chosen_language([], {"POSTROAD_LANG": "zh-CN", "LC_ALL": "en_US.UTF-8"}) == "zh"
    assert chosen_language([], {"LC_ALL": "zh_CN.UTF-8", "LANG": "C"}) == "zh"
    assert chosen_language([], {"LANG": "de_DE.UTF-8"}) == "en"
    assert chosen_language([], {}) == "en"


def test_the_language_may_stand_anywhere_before_two_dashes() -> None:
    assert language_first(["send", "--lang", "zh", "job.yaml"]) == ["--lang", "zh", "send", "job.yaml"]
    assert language_first(["runs", "--lang=en"]) == ["--lang=en", "runs"]
    for line in (["runs", "--lang"], ["runs", "--", "--lang", "zh"], []):
        assert language_first(line) == line
