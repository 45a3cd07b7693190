"""Text templates of every kind: what a value becomes, and what is refused."""

import html
import re
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from postroad.providerkit import templates
from postroad.providerkit.templates import Template
from postroad.spi import RenderError
from postroad.vocabulary.errors import TemplateInvalid
from postroad.vocabulary.values import FileRef, RecipientValue

NASTY = "O'Brien <b>&\"\n"
ROW: dict[str, RecipientValue] = {
    "name": NASTY,
    "姓名": "张三",
    "First name": "Ann",
    "whole": 12345678901.0,
    "part": 1.5,
    "count": 3,
    "yes": True,
    "no": False,
    "nothing": None,
    "file": FileRef("letters/a.pdf"),
    "percent": "100%s",
}


def text(source: str) -> str:
    return templates.text(source, "text").render(ROW)


@pytest.mark.parametrize(
    ("source", "made"),
    [
        ("plain", "plain"),
        ("{{ 姓名 }}", "张三"),
        ("{{whole}}/{{ part }}/{{ count }}", "12345678901/1.5/3"),
        ("{{ yes }} {{ no }} [{{ nothing }}]", "true false []"),
        ("{{ file }}", "letters/a.pdf"),
        ("100% {{ percent }} %d", "100% 100%s %d"),
        ('{{ fields["First name"] }}', "Ann"),
        ("{{ nope | default('friend') }}", "friend"),
        ("{% if nope is defined %}a{% else %}b{% endif %}", "b"),
        ("{{ whole | string }}", "12345678901.0"),
        ("{{ yes and no }}|{{ nothing or 'x' }}", "false|x"),
        ("{% for n in [1, 2] %}{{ n }}{% endfor %}\n", "12\n"),
        ("{# remark #}a", "a"),
    ],
)
def test_a_text_shows_values_one_way(source: str, made: str) -> None:
    assert text(source) == made


def test_regression_plain_text_is_never_html_escaped() -> None:
    """Fault report 41: a subject showed `&lt;` and `&#39;`."""
    assert text("{{ name }}") == NASTY
    assert text("{{ name | trim }}!") == NASTY.strip() + "!"


def test_regression_html_is_always_escaped() -> None:
    """Fault report 41: by both ways of rendering, in the same form."""
    escaped = "O&#x27;Brien &lt;b&gt;&amp;&quot;\n"
    assert templates.html("<p>{{ name }}</p>", "html").render(ROW) == f"<p>{escaped}</p>"
    assert templates.html("<p>{{ name | default('') }}</p>", "html").render(ROW) == f"<p>{escaped}</p>"
    assert templates.html("{{ name | safe }}", "html").render(ROW) == NASTY


def test_a_value_is_never_read_as_a_template() -> None:
    for kind in (templates.text, templates.html):
        assert kind("{{ a }}", "x").render({"a": "{{ 7 * 7 }}"}) == "{{ 7 * 7 }}"
        assert kind("{{ a | default('') }}", "x").render({"a": "{{ 7 * 7 }}"}) == "{{ 7 * 7 }}"


@given(
    st.text() | st.integers() | st.floats() | st.booleans() | st.none() | st.text(st.characters(categories=["Cs", "L"]))
)
@example("\ud83d half")
@example(2**200)
@example(1e18)
@example(1e19)
def test_both_ways_of_rendering_agree(value: RecipientValue) -> None:
    for kind in (templates.text, templates.html, templates.url_query):
        try:
            quick = kind("a{{ v }}b", "x").render({"v": value})
        except RenderError:
            with pytest.raises(RenderError):
                kind("a{{ v | default('') }}b", "x").render({"v": value})
            continue
        assert kind("a{{ v | default('') }}b", "x").render({"v": value}) == quick


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_html_and_url_values_come_back_whole(value: str) -> None:
    assert html.unescape(templates.html("{{ v }}", "x").render({"v": value})) == html.unescape(html.escape(value))
    if value not in (".", ".."):
        made = templates.url_path("/a/{{ v }}/b", "x").render({"v": value})
        assert made.count("/") == 3
        assert unquote(made) == f"/a/{value}/b"


@pytest.mark.parametrize("source", ["/{{ d }}/x", "/x/{{ d }}", "/{{ d | default('') }}", "/{{ a }}{{ a }}/x"])
def test_a_value_cannot_climb_out_of_its_path(source: str) -> None:
    with pytest.raises(RenderError):
        templates.url_path(source, "path").render({"d": "..", "a": "."})


@pytest.mark.parametrize("marked", ["v | safe", "v | tojson", "v | escape", "v | urlencode"])
def test_no_filter_lets_a_value_out_of_its_url_segment(marked: str) -> None:
    made = templates.url_path(f"/a/{{{{ {marked} }}}}/b", "path").render({"v": "x/../y?z#\r\n é"})
    assert made.count("/") == 3
    assert re.fullmatch(r"[!-~]+", made)
    assert not {"?", "#"} & set(made)


@pytest.mark.parametrize("breaking", ["a\r\nb", "a\nb", "a\rb", "a\0b"])
def test_a_header_refuses_what_could_end_it_and_names_the_field(breaking: str) -> None:
    for source in ("{{ ok }}, {{ bad }}", "{{ ok }}, {{ bad | default('') }}"):
        with pytest.raises(RenderError) as caught:
            templates.header(source, "headers.X").render({"ok": "fine", "bad": breaking})
        assert caught.value.field == "bad"
        assert breaking not in caught.value.message


@pytest.mark.parametrize(
    ("source", "field"),
    [
        ("{{ nope }}", "nope"),
        ("{{ nope | upper }}", "nope"),
        ("a {{ count }} {{ nope }}", "nope"),
        ("{{ fields['No such'] }}", "No such"),
        ("{{ fields.nope }}", "nope"),
    ],
)
def test_a_missing_field_is_named(source: str, field: str) -> None:
    with pytest.raises(RenderError) as caught:
        templates.text(source, "text").render(ROW)
    assert caught.value.field == field


def test_an_error_never_shows_what_is_in_the_row() -> None:
    for source in ("{{ a.b.c }}", "{{ a | round }}", "{{ a + [] }}", "{{ nope ~ a }}"):
        with pytest.raises(RenderError) as caught:
            templates.text(source, "text").render({"a": "private-value"})
        assert "private-value" not in caught.value.message


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_is_none_is_refused(value: float) -> None:
    for source in ("{{ v }}", "{{ v | default(0) }}"):
        with pytest.raises(RenderError):
            templates.text(source, "text").render({"v": value})


@pytest.mark.parametrize(
    "source",
    ["{{ a", "{{ }}", "{% if a %}", "{{ a | nosuch }}", "{{ nosuch() }}", "{% include 'x' %}", "{{ a b }}"],
)
def test_what_its_author_must_mend_is_found_at_compile_time(source: str) -> None:
    with pytest.raises(TemplateInvalid) as caught:
        templates.text(source, "message.text")
    assert caught.value.field == "message.text"


@pytest.mark.parametrize(
    "source",
    [
        "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}",
        "{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}",
    ],
)
def test_a_template_that_never_ends_is_stopped(source: str) -> None:
    with pytest.raises((TemplateInvalid, RenderError)):
        templates.text(source, "text").render({})


def test_a_template_says_what_it_needs() -> None:
    assert templates.text("no fields", "t").is_static
    assert templates.text("{{ a }} {{ b | upper }} {% if c %}{% endif %}", "t").names == {"a", "b", "c"}
    assert templates.text("{{ a }}{{ a }}{{ b }}", "t").names == {"a", "b"}


def test_a_static_template_gives_back_one_object() -> None:
    found: Template = templates.text("the same", "t")
    assert found.render({}) is found.render({"a": "1"})


def test_a_template_cannot_reach_python() -> None:
    for source in ("{{ a.__class__ }}", "{{ ''.__class__.__mro__ }}", "{{ fields.__class__ }}"):
        with pytest.raises((RenderError, TemplateInvalid)):
            templates.text(source, "t").render({"a": "x"})


def test_half_a_character_is_that_fields_error() -> None:
    for source in ("{{ ok }}{{ v }}", "{{ ok }}{{ v | default('') }}"):
        for kind in (templates.text, templates.html, templates.header, templates.url_path, templates.url_query):
            with pytest.raises(RenderError) as caught:
                kind(source, "x").render({"ok": "张", "v": "\ud83d"})
            assert caught.value.field == "v"


def test_a_long_number_keeps_every_digit() -> None:
    for source in ("{{ v }}", "{{ v | default('') }}"):
        assert templates.text(source, "x").render({"v": 2**200}) == str(2**200)


def test_a_form_encodes_names_and_values() -> None:
    made = templates.form({"to": "{{ a }}", "a b": "x&y"}, "body").render({"a": "1 +&=\n中"})
    assert made == b"to=1+%2B%26%3D%0A%E4%B8%AD&a+b=x%26y"


def test_regression_a_dot_segment_put_together_from_percent_signs_passed() -> None:
    with pytest.raises(RenderError, match="could leave the configured path"):
        templates.url_path("/a/%2{{ x }}%2{{ x }}/b", "path").render({"x": "e"})


@pytest.mark.parametrize("operator", ["not ", "-", "x and ", "x ~ "])
def test_regression_an_endless_expression_ended_the_process(operator: str) -> None:
    with pytest.raises(TemplateInvalid, match="more than 4000 characters"):
        templates.text("{{ " + operator * 50_000 + "x }}", "text")
