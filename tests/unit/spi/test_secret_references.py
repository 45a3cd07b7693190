"""Naming secrets in configurations."""

import pytest

from postroad.spi.secret_references import (
    SecretReference,
    account_namespace,
    is_open_namespace,
    references_in,
)


def test_a_plain_name_is_looked_for_at_the_account_first_and_then_in_the_workspace() -> None:
    reference = SecretReference.parse("smtp-password")
    assert reference.places("a1") == (("account:a1", "smtp-password"), ("default", "smtp-password"))
    assert reference.places() == (("default", "smtp-password"),)


def test_a_namespace_is_the_only_place() -> None:
    assert SecretReference.parse("mail/smtp.password").places("a1") == (("mail", "smtp.password"),)


@pytest.mark.parametrize(
    "text", ["", "/", "a/", "/a", "a/b/c", "account:1/x", "Mail/x", "a b", ".x", "-x", "x" * 129, "a\n"]
)
def test_anything_else_is_no_reference(text: str) -> None:
    with pytest.raises(ValueError, match="a secret is named NAME or NAMESPACE/NAME"):
        SecretReference.parse(text)


def test_letters_of_any_script_may_name_a_secret() -> None:
    assert SecretReference.parse("短信密钥").name == "短信密钥"


def test_the_namespace_of_an_account_cannot_be_named() -> None:
    assert not is_open_namespace(account_namespace("a1"))
    assert is_open_namespace("default")


def test_references_are_found_wherever_they_stand_and_once() -> None:
    config = {
        "auth": {"type": "BEARER", "token": {"$secret": "b"}},
        "headers": [{"value": {"$secret": "a"}}, {"value": {"$secret": "b"}}, {"$secret": 5}],
        "$secret": "not alone",
    }
    assert references_in(config) == ("b", "a")
