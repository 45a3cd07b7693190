"""One look at a sample names all that is missing."""

from tests.builders.configuration import RealProviders

from postroad.modules.messages import Sample, message_document, sample, stand_in
from postroad.spi import Recipient

FACTORY = RealProviders().factory("http")


def _sample(content: dict[str, object], fields: dict[str, str]) -> Sample:
    renderer = FACTORY.compile(stand_in(FACTORY), message_document("http", "1", content))
    return sample(renderer, Recipient(0, dict(fields), 7))


def test_a_sample_is_the_message_as_it_would_leave() -> None:
    found = _sample({"path": "/u/{{ id }}", "bodyTemplate": {"to": "{{ name }}"}}, {"id": "1", "name": "Ann"})
    assert found.preview is not None
    assert found.preview.headline == "POST https://api.example.com/v1/u/1"
    assert found.preview.parts["body"] == '{"to":"Ann"}'
    assert (found.row, found.missing_fields) == (7, ())


def test_all_missing_fields_are_named_at_once() -> None:
    content = {"path": "/u/{{ id }}", "bodyTemplate": {"to": "{{ name }}", "age": "{{ age | number }}"}}
    found = _sample(content, {"city": "Ulm"})
    assert found.preview is None
    assert sorted(found.missing_fields) == ["age", "id", "name"]
    assert found.problem


def test_a_field_that_is_there_and_unfit_is_a_problem_and_not_missing() -> None:
    found = _sample({"path": "/x", "bodyTemplate": {"age": "{{ age | number }}"}}, {"age": "old"})
    assert (found.preview, found.problem_field, found.missing_fields) == (None, "age", ())
