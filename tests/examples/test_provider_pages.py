"""The pages on templates and providers: what they show works, and no provider is missing."""

import re
from pathlib import Path

import pytest

from postroad.egress import Egress
from postroad.providerkit import templates
from postroad.providers import BUILTIN, load

DOCS = Path(__file__).parents[2] / "docs"
ROW = {"name": "Ann", "vip": "yes", "mobile": "138", "count": "3", "city": "Bern", "active": "no", "html_column": "<b>"}
ROW |= {"First name": "Ann"}


def page(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page(name), re.DOTALL)


def test_every_template_on_the_page_compiles_and_renders() -> None:
    spans = [
        span.replace("\\|", "|") for span in re.findall(r"`([^`\n]*\{[{%][^`\n]*)`", page("reference/templates.md"))
    ]
    assert len(spans) >= 8
    for span in spans:
        if span.startswith('"'):
            templates.json_structure(span, "page").render(ROW)
        elif span.startswith('{"'):
            with pytest.raises(Exception, match="inside a quoted text"):
                templates.json_structure(span, "page")
        else:
            templates.html(span, "page").render(ROW)


def test_the_json_body_on_the_page_gives_the_types_it_promises() -> None:
    (body,) = blocks("reference/templates.md", "json")
    made = templates.json_structure(body, "page").render(ROW)
    assert made == b'{"to":"138","count":3,"tags":["Bern","news"]}'


def test_the_python_of_the_provider_guide_runs() -> None:
    found = blocks("howto/write-a-provider.md", "python")
    assert len(found) == 2
    for block in found:
        exec(compile(block, "write-a-provider.md", "exec"), {})


def test_every_provider_has_a_heading_with_its_title_and_commit_point() -> None:
    text = page("reference/providers.md")
    sections = dict(re.findall(r"^## (\w+)\n\n(.*?)(?=\n## |\Z)", text, re.DOTALL | re.MULTILINE))
    assert sorted(sections) == sorted(BUILTIN)
    for provider_id, section in sections.items():
        descriptor = load(provider_id, Egress()).descriptor
        words = " ".join(section.split())
        assert words.startswith(descriptor.title + ":")
        if descriptor.default_rate is not None:
            assert f"Safe rate: {descriptor.default_rate.count} per second" in words
        for limit in descriptor.limits:
            period = {1.0: "second", 60.0: "minute"}[limit.rate.per_s]
            assert f"{limit.rate.count} per {period}" in words
