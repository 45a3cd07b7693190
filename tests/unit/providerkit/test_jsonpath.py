import pytest

from postroad.providerkit.jsonpath import ABSENT, parse
from postroad.vocabulary.errors import ConfigInvalid

DOCUMENT = {"a": {"b": [{"c": 1}, {"c": None}]}, "x-y": "z", "d.e": False}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("$", DOCUMENT),
        ("$.a.b[0].c", 1),
        ("$['a'][\"b\"][-1]['c']", None),
        ("$.x-y", "z"),
        ("$['d.e']", False),
        ("$.a.b[2]", ABSENT),
        ("$.a.b.c", ABSENT),
        ("$.nope", ABSENT),
        ("$.a[0]", ABSENT),
    ],
)
def test_a_path_finds_its_value(path: str, value: object) -> None:
    assert parse(path, "jsonPath").find(DOCUMENT) == value


@pytest.mark.parametrize("path", ["", "a.b", "$.", "$..a", "$.a[*]", "$.a[0:2]", "$.a[?(@.b)]", "$ .a", "$[a]"])
def test_what_could_find_many_values_is_refused(path: str) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        parse(path, "successCondition.jsonPath")
    assert caught.value.field == "successCondition.jsonPath"
