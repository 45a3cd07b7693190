from pathlib import Path

import pytest

from postroad.jobfile import JobInvalid
from postroad.jobfile.yaml_text import parse_document, read_document
from postroad.vocabulary.errors import ConfigInvalid


def test_only_true_and_false_are_booleans() -> None:
    value = parse_document("a: no\nb: off\nc: true\nd: False\ne: y").value
    assert value == {"a": "no", "b": "off", "c": True, "d": False, "e": "y"}


def test_leading_zeros_dates_and_clock_times_stay_text() -> None:
    value = parse_document("phone: 0138001\nday: 2026-11-30\nat: 12:30:45\nhex: 0x1F\nplain: 12\nhalf: 0.5").value
    assert value == {
        "phone": "0138001",
        "day": "2026-11-30",
        "at": "12:30:45",
        "hex": "0x1F",
        "plain": 12,
        "half": 0.5,
    }


def test_quoted_values_are_text() -> None:
    assert parse_document("a: '12'\nb: \"true\"\nc: |\n  12\n").value == {"a": "12", "b": "true", "c": "12\n"}


def test_a_key_given_twice_names_both_lines() -> None:
    with pytest.raises(JobInvalid, match=r"policies\.rate \(line 2\): is given twice, in lines 2 and 3") as caught:
        parse_document("policies:\n  rate: 1/s\n  rate: 2/s\n")
    assert caught.value.field == "policies.rate"


@pytest.mark.parametrize("text", ["a: &x [1]\nb: *x", "a: &x 1", "base: &b {c: 1}\nd:\n  <<: *b"])
def test_anchors_and_aliases_are_refused(text: str) -> None:
    with pytest.raises(ConfigInvalid, match="anchors and aliases"):
        parse_document(text)


def test_a_tag_cannot_make_an_object() -> None:
    assert parse_document("a: !!python/object/apply:os.system ['true']").value == {"a": ["true"]}


@pytest.mark.parametrize("text", ["", "- a", "just text", "a: [1", "a: b: c", "\x00", "? [a]\n: b"])
def test_what_is_no_mapping_is_refused_in_words(text: str) -> None:
    with pytest.raises(ConfigInvalid):
        parse_document(text)


@pytest.mark.parametrize("text", ["a: " + "[" * 2000 + "]" * 2000, "a: " + "{b: " * 1000 + "1" + "}" * 1000])
def test_regression_deep_nesting_ended_in_a_traceback(text: str) -> None:
    with pytest.raises(ConfigInvalid, match="too deep"):
        parse_document(text)


def test_regression_numbers_that_python_cannot_hold_ended_in_a_traceback() -> None:
    value = parse_document(f"a: {'9' * 5000}\nb: 1.0e+999\nc: {'9' * 30}").value

    assert value == {"a": "9" * 5000, "b": "1.0e+999", "c": int("9" * 30)}


@pytest.mark.parametrize("text", ['a: "\\ud800"', '"\\udfff": 1', 'a: ["x", "\\ud83d"]'])
def test_regression_half_a_character_ended_in_a_traceback(text: str) -> None:
    with pytest.raises(JobInvalid, match="half a character"):
        parse_document(text)


@pytest.mark.parametrize("name", ["people.csv", "客户.XLSX", "gone.jsonl"])
def test_a_spreadsheet_in_the_place_of_the_job_is_told_its_own_place(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigInvalid, match="is a spreadsheet, not a job file; give it with --audience"):
        read_document(tmp_path / name)


def test_a_folder_in_the_place_of_the_job_is_told_its_own_place(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match="--resume"):
        read_document(tmp_path)
