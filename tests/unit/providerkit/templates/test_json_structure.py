"""JSON bodies by structure: no value can change the shape, and types change only where the author says so."""

import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroad.providerkit.templates import json_structure
from postroad.spi import RenderError
from postroad.vocabulary.errors import TemplateInvalid
from postroad.vocabulary.values import FileRef, RecipientValue


def made(value: object, row: dict[str, RecipientValue]) -> object:
    return json.loads(json_structure(value, "body").render(row))


def test_a_quote_in_a_name_neither_breaks_nor_injects() -> None:
    body = '{"to": "{{ name }}", "text": "Dear {{ name }}"}'
    nasty = '","admin":true,"x":"\\'
    assert made(body, {"name": nasty}) == {"to": nasty, "text": f"Dear {nasty}"}


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), st.text(st.characters(exclude_categories=["Cs"])), min_size=3))
def test_the_bytes_equal_a_dump_of_the_filled_tree(row: dict[str, RecipientValue]) -> None:
    source = {"k%": "{{ a }}", "list": [1, None, "fixed\n%s", {"in": "x{{ b }}y{{ a }}"}], "é": "{{ c | default('') }}"}
    filled = {"k%": row["a"], "list": [1, None, "fixed\n%s", {"in": f"x{row['b']}y{row['a']}"}], "é": row["c"]}
    assert json_structure(source, "body").render(row) == orjson.dumps(filled)
    simple = {"k%": "{{ a }}", "l": ["%d {{ b }}"]}
    assert json_structure(simple, "body").render(row) == orjson.dumps({"k%": row["a"], "l": [f"%d {row['b']}"]})


def test_a_leaf_is_text_unless_it_is_marked() -> None:
    row: dict[str, RecipientValue] = {"n": 3, "f": 2.0, "b": True, "z": None, "file": FileRef("a.pdf")}
    plain = {"n": "{{ n }}", "f": "{{ f }}", "b": "{{ b }}", "z": "{{ z }}", "file": "{{ file }}"}
    assert made(plain, row) == {"n": "3", "f": "2", "b": "true", "z": "", "file": "a.pdf"}
    native = {key: f"{{{{ {key} | native }}}}" for key in row}
    assert made(native, row) == {"n": 3, "f": 2.0, "b": True, "z": None, "file": "a.pdf"}


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("3", 3),
        (" -1.50 ", -1.5),
        ("1e3", 1000.0),
        (7, 7),
        (2.5, 2.5),
        ("12345678901234567890123", 12345678901234567890123),
    ],
)
def test_a_number_mark_reads_text(value: RecipientValue, number: float) -> None:
    assert made({"n": "{{ v | number }}"}, {"v": value}) == {"n": number}


@pytest.mark.parametrize("value", ["", "three", "1,5", "0x10", "1_000", "NaN", "Infinity", True, None, "01", "1e999"])
def test_what_is_no_number_is_that_recipients_error(value: RecipientValue) -> None:
    with pytest.raises(RenderError) as caught:
        made({"n": "{{ v | number }}"}, {"v": value})
    assert caught.value.field == "v"


@pytest.mark.parametrize(("value", "truth"), [("TRUE", True), ("no", False), ("1", True), (0, False), (True, True)])
def test_a_boolean_mark_reads_text(value: RecipientValue, truth: bool) -> None:
    assert made({"b": '{{ fields["v w"] | boolean }}'}, {"v w": value}) == {"b": truth}


def test_what_is_no_boolean_is_that_recipients_error() -> None:
    with pytest.raises(RenderError) as caught:
        made(["{{ v | boolean }}"], {"v": "maybe"})
    assert caught.value.field == "v"


def test_a_missing_field_is_named_with_its_place() -> None:
    for leaf in ("{{ nope }}", "{{ nope | native }}", "x {{ nope }}", "{{ nope | upper }}"):
        with pytest.raises(RenderError) as caught:
            made({"a": [leaf]}, {"other": "x"})
        assert caught.value.field == "nope"
        assert "body.a[0]" in caught.value.message


def test_half_a_character_is_that_recipients_error() -> None:
    for leaf in ("{{ v }}", "{{ v | native }}"):
        with pytest.raises(RenderError) as caught:
            json_structure({"a": leaf}, "body").render({"v": "\ud83d"})
        assert caught.value.field == "v"


def test_text_that_is_not_json_is_refused_with_the_way_out() -> None:
    with pytest.raises(TemplateInvalid, match=r"inside a quoted text"):
        json_structure('{"count": {{ count }}}', "bodyTemplate")


def test_a_long_number_in_the_body_keeps_every_digit() -> None:
    assert json_structure('{"id": 12345678901234567890123}', "body").render({}) == b'{"id":12345678901234567890123}'


@pytest.mark.parametrize("body", ['{"a": 1, "a": 2}', '{"a": NaN}', '{"a": 1e999}', "[Infinity]"])
def test_a_body_that_says_two_things_or_nothing_is_refused(body: str) -> None:
    with pytest.raises(TemplateInvalid):
        json_structure(body, "body")


def test_a_key_is_never_a_template() -> None:
    with pytest.raises(TemplateInvalid, match="keys are fixed"):
        json_structure({"{{ a }}": 1}, "body")


def test_a_broken_leaf_is_found_with_its_place() -> None:
    with pytest.raises(TemplateInvalid) as caught:
        json_structure({"a": [{"b": "{{ x"}]}, "body")
    assert caught.value.field == "body.a[0].b"


def test_a_mark_inside_a_longer_text_is_explained() -> None:
    with pytest.raises(TemplateInvalid, match="whole text to be one field"):
        json_structure({"a": "x {{ v | number }}"}, "body")


def test_no_character_is_written_as_an_escape() -> None:
    assert json_structure({"a": "{{ v }}"}, "body").render({"v": "张三😀"}) == '{"a":"张三😀"}'.encode()


def test_a_body_without_fields_is_made_once() -> None:
    body = json_structure({"a": [1, 2.5, True, None, "x"]}, "body")
    assert body.is_static
    assert body.render({}) is body.render({})


@pytest.mark.parametrize("value", ["[" * 100_000 + "]" * 100_000, '{"a":' + "9" * 5000 + "}", {"\ud800": "a"}])
def test_regression_json_that_python_cannot_hold_ended_in_a_traceback(value: object) -> None:
    with pytest.raises(TemplateInvalid):
        json_structure(value, "body")


def test_regression_lists_that_lie_too_deep_ended_in_a_traceback() -> None:
    value: object = "{{ x }}"
    for _ in range(5000):
        value = [value]

    with pytest.raises(TemplateInvalid, match="too deep"):
        json_structure(value, "body")
