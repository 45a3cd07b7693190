"""A marked field is found wherever it stands, and only where there is a value."""

from postroad.providerkit.marks import LOCAL_FILE, marked_values

SCHEMA = {
    "properties": {
        "name": {"type": "string"},
        "tls": {"properties": {"caFile": {"type": "string", LOCAL_FILE: True}, "serverName": {"type": "string"}}},
        "auth": {
            "oneOf": [
                {"properties": {"type": {"const": "KEY"}, "keyFile": {LOCAL_FILE: True}}},
                {"properties": {"type": {"const": "NONE"}}},
            ]
        },
        "more": {"items": {"properties": {"file": {LOCAL_FILE: True}}}},
    }
}


def test_a_configuration_without_files_has_none() -> None:
    assert marked_values(SCHEMA, {"name": "x", "tls": {"serverName": "y"}, "auth": {"type": "NONE"}}, LOCAL_FILE) == ()


def test_files_are_found_in_objects_shapes_and_lists() -> None:
    value = {"tls": {"caFile": "a"}, "auth": {"type": "KEY", "keyFile": "b"}, "more": [{}, {"file": "c"}]}
    assert marked_values(SCHEMA, value, LOCAL_FILE) == ("tls.caFile", "auth.keyFile", "more[1].file")
