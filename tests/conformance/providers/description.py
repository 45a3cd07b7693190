"""Part of the suite: what a provider says about itself, and what it says about a configuration. No network."""

import copy
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import jsonschema_rs
import pytest

from postroad.providerkit import marks, schemas
from postroad.providerkit.schema_problems import dotted
from postroad.providers import BUILTIN
from postroad.spi import Problem
from postroad.vocabulary.errors import ConfigInvalid, TemplateInvalid
from tests.conformance.providers.harness import CANARY, Bad, ProviderHarness

_SECRET_LIKE = re.compile(r"(password|passwd|secret|token|apikey|privatekey|credential)$", re.IGNORECASE)
IN_THE_CLEAR = f"{CANARY}-in-the-clear"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_nodes(node: object, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object inside a schema with its path."""
    if isinstance(node, dict):
        yield path, node
        for key, value in node.items():
            yield from schema_nodes(value, f"{path}/{key}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from schema_nodes(value, f"{path}/{index}")


class DescriptionSuite:
    def test_the_id_is_legal_and_listed(self, harness: ProviderHarness) -> None:
        descriptor = harness.factory.descriptor
        assert re.fullmatch(r"[a-z][a-z0-9_]{1,31}", descriptor.provider_id)
        assert descriptor.provider_id == harness.provider_id
        assert BUILTIN[descriptor.provider_id] == f"{harness.package}:{harness.provider_type.__name__}"

    def test_the_descriptor_can_be_shown_to_a_person(self, harness: ProviderHarness) -> None:
        descriptor = harness.factory.descriptor
        for text in (descriptor.title, descriptor.category, descriptor.description, descriptor.icon):
            assert text.strip() == text != ""
        assert re.fullmatch(r"\d+\.\d+\.\d+", descriptor.version)
        assert descriptor.max_concurrency >= 1
        assert descriptor.capabilities.batch_size >= 1
        assert descriptor.timeouts.connect_s > 0 < descriptor.timeouts.send_s

    def test_the_folder_holds_a_readme(self, harness: ProviderHarness) -> None:
        assert (files(harness.package) / "README.md").read_text("utf-8").startswith("# ")

    def test_the_schemas_load_and_compile(self, harness: ProviderHarness) -> None:
        descriptor = harness.factory.descriptor
        for schema in (descriptor.account_schema, descriptor.message_schema, descriptor.recipient_schema):
            assert schema["$schema"] == _DIALECT
            assert schema["type"] == "object"
            jsonschema_rs.Draft202012Validator(dict(schema))

    def test_the_schemas_use_known_hints_only(self, harness: ProviderHarness) -> None:
        descriptor = harness.factory.descriptor
        for schema in (descriptor.account_schema, descriptor.message_schema, descriptor.recipient_schema):
            for path, node in schema_nodes(schema):
                unknown = {key for key in node if key.startswith("x-") and key not in schemas.HINTS}
                assert not unknown, path

    def test_secret_fields_are_marked(self, harness: ProviderHarness) -> None:
        for schema in (harness.factory.descriptor.account_schema, harness.factory.descriptor.message_schema):
            for path, node in schema_nodes(schema):
                if path.rsplit("/", 2)[-2:-1] == ["properties"] and _SECRET_LIKE.search(path):
                    assert node.get(schemas.MARK) is True, path

    def test_the_good_example_has_no_problems(self, harness: ProviderHarness) -> None:
        account, message = harness.account_document(harness.account), harness.message_document(harness.message)
        assert harness.factory.validate_account(account) == []
        assert harness.factory.validate_message(account, message) == []
        recipient = schemas.ConfigSchema(dict(harness.factory.descriptor.recipient_schema))
        assert recipient.problems(dict(harness.recipient)) == []

    def test_the_schema_of_the_account_shows_a_good_example(self, harness: ProviderHarness) -> None:
        """A message is checked against it where no account was named."""
        example = harness.factory.descriptor.account_schema["examples"][0]
        document = harness.account_document(example)
        assert harness.factory.validate_account(document) == []
        assert harness.factory.validate_message(document, harness.message_document(harness.message)) == []

    def test_files_of_this_machine_are_marked_as_such(self, harness: ProviderHarness) -> None:
        for path, node in schema_nodes(harness.factory.descriptor.account_schema):
            if "file" in node.get("description", node.get("title", "")).lower() and node.get("type") == "string":
                assert node.get(marks.LOCAL_FILE) is True, path

    def test_an_empty_account_is_explained_not_raised(self, harness: ProviderHarness) -> None:
        problems = harness.factory.validate_account(harness.account_document({}))
        assert problems
        assert all(problem.field and problem.message and problem.code for problem in problems)

    def test_a_field_nobody_knows_is_a_problem(self, harness: ProviderHarness) -> None:
        account = harness.account_document(harness.account)
        found = harness.factory.validate_account(harness.account_document({**harness.account, "zzUnknown": 1}))
        assert ("zzUnknown", "UNKNOWN_FIELD") in {(problem.field, problem.code) for problem in found}
        message = harness.message_document({**harness.message, "zzUnknown": 1})
        found = harness.factory.validate_message(account, message)
        assert ("zzUnknown", "UNKNOWN_FIELD") in {(problem.field, problem.code) for problem in found}

    @pytest.mark.parametrize("wrong", [None, 7, [], {}, "", True, "x\r\ny"], ids=repr)
    def test_a_wrong_value_anywhere_never_raises(self, harness: ProviderHarness, wrong: object) -> None:
        account = harness.account_document(harness.account)
        for field in harness.account:
            _listed(harness.factory.validate_account(harness.account_document({**harness.account, field: wrong})))
        for field in harness.message:
            changed = harness.message_document({**harness.message, field: wrong})
            _listed(harness.factory.validate_message(account, changed))

    def test_a_bad_account_names_its_field(self, harness: ProviderHarness) -> None:
        for bad in harness.bad_accounts:
            problems = harness.factory.validate_account(harness.account_document(bad.config))
            _assert_names(problems, bad)

    def test_a_bad_message_names_its_field(self, harness: ProviderHarness) -> None:
        account = harness.account_document(harness.account)
        for bad in harness.bad_messages:
            _assert_names(harness.factory.validate_message(account, harness.message_document(bad.config)), bad)

    def test_a_broken_template_is_found_before_the_run(self, harness: ProviderHarness) -> None:
        account = harness.account_document(harness.account)
        for bad in harness.broken_templates:
            message = harness.message_document(bad.config)
            _assert_names(harness.factory.validate_message(account, message), bad)
            with pytest.raises((TemplateInvalid, ConfigInvalid)) as caught:
                harness.factory.compile(account, message)
            assert caught.value.field == bad.field

    @pytest.mark.parametrize(
        "clear", [IN_THE_CLEAR, {"value": IN_THE_CLEAR}, {"$secret": ""}], ids=["text", "value", "empty"]
    )
    def test_a_secret_in_the_clear_is_refused_and_not_repeated(self, harness: ProviderHarness, clear: object) -> None:
        for path in secret_places(harness.account):
            account = copy.deepcopy(dict(harness.account))
            *parents, last = path
            place: Any = account
            for step in parents:
                place = place[step]
            place[last] = clear
            problems = harness.factory.validate_account(harness.account_document(account))
            assert dotted([*path]) in {problem.field for problem in problems}
            assert CANARY not in repr(problems)


def secret_places(node: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if schemas.is_secret_reference(node):
        yield path
    elif isinstance(node, dict):
        for key, value in node.items():
            yield from secret_places(value, (*path, key))


def _listed(problems: list[Problem]) -> None:
    assert all(isinstance(problem, Problem) for problem in problems)


def _assert_names(problems: list[Problem], bad: Bad) -> None:
    assert bad.field in {problem.field for problem in problems}, (bad, problems)
    assert all(problem.message and "Traceback" not in problem.message for problem in problems)
