"""Where the service listens, and when it refuses to."""

import socket

import pytest

from postroad.app.serving.addresses import base_url, check_exposure, http_settings, listen
from postroad.foundation.service_settings import SecuritySettings, ServerSettings, Settings
from postroad.vocabulary.errors import AlreadyRunning, ConfigInvalid


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost", "LOCALHOST"])
def test_loopback_needs_nothing(host: str) -> None:
    check_exposure(ServerSettings(host=host))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "post.example.com", "localhost.evil.example", ""])
def test_an_open_address_without_tls_is_refused(host: str) -> None:
    with pytest.raises(ConfigInvalid, match=r"publicBaseUrl.*insecureHttp"):
        check_exposure(ServerSettings(host=host))


def test_an_open_address_is_taken_behind_tls_or_by_a_plain_word() -> None:
    check_exposure(ServerSettings(host="0.0.0.0", public_base_url="https://post.example.com"))
    check_exposure(ServerSettings(host="0.0.0.0", insecure_http=True))
    with pytest.raises(ConfigInvalid):
        check_exposure(ServerSettings(host="0.0.0.0", public_base_url="http://post.example.com"))


def test_a_port_that_is_taken_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(AlreadyRunning, match="another port"):
        listen(ServerSettings(port=other.getsockname()[1]))


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises((AlreadyRunning, ConfigInvalid)):
        listen(ServerSettings(host="192.0.2.1", port=0))


def test_a_free_port_is_found() -> None:
    with listen(ServerSettings(port=0)) as door:
        assert door.getsockname()[1] > 0


@pytest.mark.parametrize(
    ("settings", "url"),
    [
        (ServerSettings(), "http://127.0.0.1:4711"),
        (ServerSettings(host="0.0.0.0"), "http://127.0.0.1:4711"),
        (ServerSettings(host="::1"), "http://[::1]:4711"),
        (ServerSettings(public_base_url="https://post.example.com/"), "https://post.example.com"),
    ],
)
def test_people_get_an_address_that_works(settings: ServerSettings, url: str) -> None:
    assert base_url(settings, 4711) == url


def test_requests_are_taken_under_all_our_names() -> None:
    settings = Settings(
        server=ServerSettings(host="post.internal", public_base_url="https://Post.example.com"),
        security=SecuritySettings(allowed_hosts=("post.lan",), cors_origins=("https://app.example.com",)),
    )
    made = http_settings(settings, 4711)
    assert made.host_names == {"post.internal", "post.example.com", "post.lan"}
    assert made.cors_origins == ("https://app.example.com",)
    assert made.is_secure
