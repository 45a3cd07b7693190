import pytest

from postroad.spi import ConfigDocument


def test_two_documents_that_say_the_same_are_the_same_bytes() -> None:
    one = ConfigDocument.of("http/account", "1", {"b": 1, "a": "名"})
    two = ConfigDocument.of("http/account", "1", {"a": "名", "b": 1})
    assert one == two
    assert one.canonical == '{"a":"名","b":1}'.encode()


def test_changing_what_a_document_gave_changes_no_document() -> None:
    document = ConfigDocument.of("http/account", "1", {"a": {"b": 1}})
    document.value()["a"]["b"] = 2
    assert document.value() == {"a": {"b": 1}}


def test_a_number_json_cannot_say_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        ConfigDocument.of("http/account", "1", {"a": float("nan")})
