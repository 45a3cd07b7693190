"""Hosts and URLs: one reading only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroad.egress import Url, parse_url
from postroad.egress.names import parse_host
from postroad.vocabulary.errors import InvalidInput

DISGUISED = [
    "2130706433", "0x7f000001", "0x7f.1", "0x7f.0x0.0x0.0x1", "017700000001", "0177.0.0.1", "127.1", "127.0.1", "0",
    "169.254.43518", "1.2.3.4.5", "256.1.1.1", "127.0.0.01", "foo.1", "foo.0x", "foo.0xff", "①②⑦.⓪.⓪.①",
    "127。0。0。1", "１２７.0.0.1", "ｌｏｃａｌｈｏｓｔ", "local\xadhost", "localhost.", "127.0.0.1.", "..", ".", "",
    "a..b", "-a.example", "a-.example", "a b.example", "a\tb.example", "a\n.example", "a%00b", "a@b", "a/b", "a\\b",
    "a:80", "[::1", "::1]", "[1.2.3.4]", "[fe80::1%25eth0]", "fe80::1%eth0", "x" * 64 + ".example",
    ".".join(["a" * 60] * 5), "xn--a.example", "xn--.example", "\u212a.example", "ℂ.example", "exa\u200dmple.com",
    "例え.。テスト",
]  # fmt: skip


@pytest.mark.parametrize("text", DISGUISED)
def test_a_host_that_could_mean_two_things_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_host(text, field="host")
    assert caught.value.field == "host"


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("API.Example.ORG", "api.example.org"),
        ("localhost", "localhost"),
        ("my_host-1.internal", "my_host-1.internal"),
        ("1and1.example", "1and1.example"),
        ("93.184.216.34", "93.184.216.34"),
        ("[2001:DB8::0:1]", "2001:db8::1"),
        ("::1", "::1"),
        ("[::ffff:127.0.0.1]", "::ffff:7f00:1"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("BÜCHER.example", "xn--bcher-kva.example"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
        ("straße.example", "xn--strae-oqa.example"),
    ],
)
def test_a_host_has_one_normal_form(text: str, normal: str) -> None:
    assert parse_host(text).text == normal


@pytest.mark.parametrize(
    ("text", "rebuilt"),
    [
        ("https://Example.org", "https://example.org/"),
        ("HTTPS://example.org:443/a/b?c=d&e", "https://example.org/a/b?c=d&e"),
        ("http://example.org:8080?x", "http://example.org:8080/?x"),
        ("https://[2606:4700::1111]:8443/", "https://[2606:4700::1111]:8443/"),
        ("https://example.org/ü/%7Bx%7D?q=名", "https://example.org/%C3%BC/%7Bx%7D?q=%E5%90%8D"),
        ('https://example.org/"<>', "https://example.org/%22%3C%3E"),
    ],
)
def test_a_url_is_rebuilt_from_its_parts(text: str, rebuilt: str) -> None:
    assert str(parse_url(text)) == rebuilt


@pytest.mark.parametrize(
    "text",
    [
        "example.org", "//example.org/", "ftp://example.org/", "file:///etc/passwd", "https:///path", "https://",
        "https://user@example.org/", "https://user:pass@example.org/", "https://example.org@evil.example/",
        "https://example.org\\@evil.example/", "https://example.org\\.evil.example/", "https://exam\tple.org/",
        "https://example.org/a b", "https://example.org/\r\nX: y", "https://example.org/#frag", "https://example.org:0/",
        "https://example.org:99999/", "https://example.org:65536/", "https://example.org:-1/", "https://example.org:x/",
        "https://example.org:44:3/", "https://[::1/", "https://::1/", "https://127.1/", "https://0x7f.1/", " https://a.b/",
        "https://example.org./", "https://example.org/" + "a" * 9000,
    ],
)  # fmt: skip
def test_a_url_that_could_mean_two_things_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_url(text, field="account.baseUrl")
    assert caught.value.field == "account.baseUrl"


def test_a_refusal_does_not_repeat_the_secret_in_a_url() -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_url("https://example.org/hook/s3cr3t token")
    assert "s3cr3t" not in caught.value.message


@given(st.text(max_size=60))
def test_what_passes_once_passes_again_unchanged(text: str) -> None:
    try:
        parsed = parse_url("https://" + text)
    except InvalidInput:
        return
    assert isinstance(parsed, Url)
    assert parse_url(str(parsed)) == parsed
    assert str(parsed).isascii()
