"""Addresses of services and one-time links."""

import pytest

from postroad.entrypoints.cli.remote.access.addresses import one_time_link, service_url
from postroad.vocabulary.errors import InvalidInput


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("http://127.0.0.1:18990", "http://127.0.0.1:18990"),
        ("http://localhost:18990/", "http://localhost:18990"),
        ("http://[::1]:18990/", "http://[::1]:18990"),
        ("HTTPS://Post.Example.com/", "https://post.example.com"),
        ("https://example.com/postroad/", "https://example.com/postroad"),
    ],
)
def test_an_address_is_kept_in_its_normal_form(given: str, kept: str) -> None:
    assert service_url(given) == kept


@pytest.mark.parametrize("url", ["http://10.0.0.5:18990", "http://post.example.com", "http://127.0.0.2.example.com"])
def test_a_password_crosses_no_network_readably_unless_that_is_accepted(url: str) -> None:
    with pytest.raises(InvalidInput, match="--insecure-http"):
        service_url(url)
    assert service_url(url, insecure_http=True) == url


@pytest.mark.parametrize("url", ["", "post.example.com", "ftp://example.com", "https://me:secret@example.com"])
def test_what_is_no_address_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        service_url(url)
    assert "secret" not in refused.value.message


def test_a_link_has_its_address_its_page_and_its_code() -> None:
    link = one_time_link(" https://example.com/postroad/setup#code=abc-_1 ")
    assert (link.url, link.page, link.code.reveal()) == ("https://example.com/postroad", "setup", "abc-_1")
    assert one_time_link("http://127.0.0.1:1/password#code=x").page == "password"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "setup#code=x",
        "http://127.0.0.1/setup",
        "http://h/setup?code=x",
        "http://h/x#code=x",
        "http://h/setup#code=",
    ],
)
def test_what_no_service_printed_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="--link"):
        one_time_link(text)
