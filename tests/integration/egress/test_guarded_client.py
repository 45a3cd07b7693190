"""The guarded httpx client: same policy, no redirects, no proxies, bounded time and bytes."""

import gzip
from pathlib import Path

import httpx
import pytest
from tests.builders.authority import Authority
from tests.builders.raw_http_server import OK, Peer, RawServer, answering

from postroad.egress import AddressPolicy, Egress, TlsOptions
from postroad.vocabulary.errors import EgressDenied, InvalidInput


@pytest.fixture
def egress() -> Egress:
    return Egress(AddressPolicy(["127.0.0.1/32"]))


async def test_it_speaks_to_what_the_policy_allows_and_keeps_the_connection(egress: Egress) -> None:
    with RawServer(answering(OK)) as server:
        async with egress.client(timeout_s=5, max_bytes=100) as client:
            for _ in range(2):
                answer = await client.post(server.url("/a?b=c"), json={"x": 1})
                assert (answer.status_code, answer.text) == (200, "ok")
        assert server.connections == 1
        assert server.requests[0].startswith(b"POST /a?b=c HTTP/1.1\r\n")
        assert server.requests[0].endswith(b'{"x":1}')


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.2:1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://localhost/",
    ],
)
async def test_it_refuses_what_the_policy_refuses(url: str) -> None:
    async with Egress().client(timeout_s=5, max_bytes=100) as client:
        with pytest.raises(EgressDenied, match=r"^blocked by egress policy$"):
            await client.get(url)


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "127.1", "0177.0.0.1"])
async def test_it_refuses_numbers_in_disguise(egress: Egress, host: str) -> None:
    async with egress.client(timeout_s=5, max_bytes=100) as client:
        with pytest.raises((InvalidInput, httpx.InvalidURL)):
            await client.get(f"http://{host}/")


async def test_it_follows_no_redirect(egress: Egress) -> None:
    moved = b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"
    with RawServer(answering(moved)) as server:
        async with egress.client(timeout_s=5, max_bytes=100) as client:
            assert (await client.get(server.url())).status_code == 302
        assert len(server.requests) == 1


async def test_a_redirect_that_is_asked_for_is_judged_again(egress: Egress) -> None:
    moved = b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n"
    with RawServer(answering(moved)) as server:
        async with egress.client(timeout_s=5, max_bytes=100) as client:
            with pytest.raises(EgressDenied):
                await client.get(server.url(), follow_redirects=True)


async def test_proxies_of_the_environment_are_ignored(egress: Egress, monkeypatch: pytest.MonkeyPatch) -> None:
    with RawServer(answering(OK)) as proxy, RawServer(answering(OK)) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, proxy.url())
        async with egress.client(timeout_s=5, max_bytes=100) as client:
            await client.get(server.url())
        assert (proxy.connections, server.connections) == (0, 1)


async def test_a_body_longer_than_the_cap_is_an_error(egress: Egress) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            peer.send(b"x" * 10_000)

    with RawServer(script) as server:
        async with egress.client(timeout_s=5, max_bytes=100) as client:
            with pytest.raises(httpx.ReadError, match="longer than 100 bytes"):
                await client.get(server.url())


async def test_a_body_that_drips_does_not_outlive_the_deadline(egress: Egress) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(b"HTTP/1.1 200 OK\r\n\r\n")
        peer.drip(b"x")

    with RawServer(script) as server:
        async with egress.client(timeout_s=0.15, max_bytes=10_000) as client:
            with pytest.raises(httpx.TimeoutException):
                await client.get(server.url())


async def test_a_compressed_answer_is_refused(egress: Egress) -> None:
    bomb = gzip.compress(b"\0" * 10_000_000)
    raw = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b" % (len(bomb), bomb)
    with RawServer(answering(raw)) as server:
        async with egress.client(timeout_s=5, max_bytes=100_000) as client:
            with pytest.raises(httpx.DecodingError):
                await client.get(server.url())
        assert b"accept-encoding: identity" in server.requests[0].lower()


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        (b"garbage\r\n\r\n", httpx.RemoteProtocolError),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", httpx.RemoteProtocolError),
        (b"", httpx.RemoteProtocolError),
    ],
)
async def test_faults_are_httpx_errors(egress: Egress, raw: bytes, error: type[Exception]) -> None:
    with RawServer(answering(raw, then_close=True)) as server:
        async with egress.client(timeout_s=5, max_bytes=100) as client:
            with pytest.raises(error):
                await client.get(server.url())


async def test_nobody_listening_is_a_connect_error(egress: Egress) -> None:
    with RawServer(answering(OK)) as server:
        pass
    async with egress.client(timeout_s=5, max_bytes=100) as client:
        with pytest.raises(httpx.ConnectError):
            await client.get(server.url())


async def test_tls_verifies_the_name(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    options = TlsOptions(ca_file=str(authority.ca_file))
    with RawServer(answering(OK), tls=authority.server_context("localhost")) as server:
        egress = Egress()
        egress.allow_literal("localhost", server.port)
        egress.allow_literal("127.0.0.1", server.port)
        async with egress.client(timeout_s=5, max_bytes=100, tls=options) as client:
            assert (await client.get(server.url(host="localhost"))).text == "ok"
            with pytest.raises(httpx.ConnectError, match="certificate"):
                await client.get(server.url())
