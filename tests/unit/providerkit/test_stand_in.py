import pytest

from postroad.providerkit.stand_in import StandIn, stand_in
from postroad.vocabulary.errors import ConfigInvalid


@pytest.mark.parametrize(
    ("text", "expected", "address"),
    [
        ("http://127.0.0.1:8080", StandIn("http", "127.0.0.1", 8080), "127.0.0.1:8080"),
        ("http://localhost:9/", StandIn("http", "localhost", 9), "localhost:9"),
        ("https://[::1]", StandIn("https", "::1", 443), "[::1]:443"),
        ("http://10.1.2.3", StandIn("http", "10.1.2.3", 80), "10.1.2.3:80"),
    ],
)
def test_a_stand_in_is_scheme_address_and_port(text: str, expected: StandIn, address: str) -> None:
    assert stand_in(text, "endpoint") == expected
    assert stand_in(text, "endpoint").address == address


@pytest.mark.parametrize(
    "text",
    [
        "http://8.8.8.8",
        "https://evil.example",
        "http://127.0.0.1.evil.example",
        "http://127.0.0.1:70000",
        "http://127.0.0.1:0",
        "http://127.0.0.1/path",
        "http://user@127.0.0.1",
        "http://2130706433",
        "http://0177.0.0.1",
        "http://0.0.0.0",
        "http://224.0.0.1",
        "http://[2001:4860:4860::8888]",
        "ftp://127.0.0.1",
        "http://127.0.0.1\n",
        "http://１２７.0.0.1",
        "",
    ],
)
def test_a_credential_never_goes_to_an_address_outside(text: str) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        stand_in(text, "endpoint")
    assert caught.value.field == "endpoint"
