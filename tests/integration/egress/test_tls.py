"""TLS: the right name is asked for and verified, and nothing is said to have left before the handshake was done."""

import ssl
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.builders.authority import Authority
from tests.builders.raw_http_server import OK, Peer, RawServer, answering, request_to

from postroad.egress import Egress, Fault, HttpTransport, RequestShape, Sent, Target, TlsOptions
from postroad.vocabulary.errors import ConfigInvalid

Open = Callable[..., HttpTransport]


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def trusting(authority: Authority, server_name: str = "") -> TlsOptions:
    return TlsOptions(ca_file=str(authority.ca_file), server_name=server_name)


async def test_a_connection_under_tls_is_kept_and_named(egress: Egress, authority: Authority) -> None:
    seen: list[str] = []
    with RawServer(answering(OK), tls=authority.server_context("localhost", seen_names=seen)) as server:
        egress.allow_literal("localhost", server.port)
        transport = egress.transport(connections=1, tls=trusting(authority))
        request = RequestShape(Target.of(server.url(host="LocalHost")), "POST").request(b"/", b"{}")
        for _ in range(3):
            answer = await transport.exchange(request, 5)
            assert (answer.status, answer.body, answer.sent) == (200, b"ok", Sent.ALL)
        await transport.aclose()
        assert (server.connections, seen) == (1, ["localhost"])


async def test_an_address_is_verified_as_an_address(open_transport: Open, authority: Authority) -> None:
    with RawServer(answering(OK), tls=authority.server_context("127.0.0.1")) as server:
        answer = await open_transport(server, tls=trusting(authority)).exchange(request_to(server), 5)
        assert answer.status == 200


async def test_another_name_can_be_verified_than_the_one_dialled(open_transport: Open, authority: Authority) -> None:
    seen: list[str] = []
    context = authority.server_context("inner.example.org", seen_names=seen)
    with RawServer(answering(OK), tls=context) as server:
        transport = open_transport(server, tls=trusting(authority, "inner.example.org"))
        assert (await transport.exchange(request_to(server), 5)).status == 200
        assert seen == ["inner.example.org"]


@pytest.mark.parametrize(
    ("names", "expired", "trusted"),
    [(("other.example.org",), False, True), (("127.0.0.1",), True, True), (("127.0.0.1",), False, False)],
    ids=["wrong name", "expired", "unknown authority"],
)
async def test_a_certificate_that_is_not_right_stops_everything_before_a_byte_left(
    open_transport: Open, authority: Authority, names: tuple[str, ...], expired: bool, trusted: bool
) -> None:
    with RawServer(answering(OK), tls=authority.server_context(*names, expired=expired)) as server:
        transport = open_transport(server, tls=trusting(authority) if trusted else None)
        answer = await transport.exchange(request_to(server), 5)
        assert (answer.fault, answer.sent) == (Fault.TLS, Sent.NOTHING)
        assert answer.detail.startswith("the certificate is not accepted")
        assert server.requests == []


@pytest.mark.parametrize(
    "script",
    [lambda peer: peer.send(b"HTTP/1.1 400 Bad Request\r\n\r\n"), lambda peer: peer.sock.recv(100)],
    ids=["clear text", "closed in the handshake"],
)
async def test_a_server_without_tls_gets_nothing(open_transport: Open, script: Callable[[Peer], None]) -> None:
    with RawServer(script) as server:
        transport = open_transport(server)
        request = RequestShape(Target.of(f"https://127.0.0.1:{server.port}/"), "POST").request(b"/", b"{}")
        answer = await transport.exchange(request, 5)
        assert (answer.fault, answer.sent) == (Fault.TLS, Sent.NOTHING)


async def test_a_handshake_that_never_ends_is_a_timeout_and_nothing_left(open_transport: Open) -> None:
    with RawServer(Peer.wait_closed) as server:
        transport = open_transport(server, connect_timeout_s=0.1)
        request = RequestShape(Target.of(f"https://127.0.0.1:{server.port}/"), "POST").request(b"/", b"{}")
        answer = await transport.exchange(request, 5)
        assert (answer.fault, answer.sent) == (Fault.TIMEOUT, Sent.NOTHING)


async def test_a_cut_under_tls_is_a_reset_after_all_was_sent(open_transport: Open, authority: Authority) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123")

    with RawServer(script, tls=authority.server_context("127.0.0.1")) as server:
        answer = await open_transport(server, tls=trusting(authority)).exchange(request_to(server), 5)
        assert (answer.sent, answer.status, answer.body) == (Sent.ALL, 200, b"123")
        assert answer.fault in {Fault.RESET, Fault.TLS}


async def test_a_remote_that_does_not_read_leaves_some_behind_under_tls_too(
    open_transport: Open, authority: Authority
) -> None:
    context = authority.server_context("127.0.0.1")
    with RawServer(Peer.hold_until_gone, tls=context, receive_buffer=4096) as server:
        transport = open_transport(server, tls=trusting(authority))
        answer = await transport.exchange(request_to(server, b"x" * 30_000_000), 0.4)
        assert (answer.fault, answer.sent) == (Fault.TIMEOUT, Sent.SOME)


async def test_a_connection_closed_after_the_answer_is_seen_before_use_under_tls(
    open_transport: Open, authority: Authority
) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(OK)

    with RawServer(script, tls=authority.server_context("127.0.0.1")) as server:
        transport = open_transport(server, tls=trusting(authority))
        for number in range(5):
            answer = await transport.exchange(request_to(server), 5)
            assert (answer.status, server.connections) == (200, number + 1)
            server.wait_ended()


async def test_a_client_shows_its_certificate_where_it_is_asked(open_transport: Open, authority: Authority) -> None:
    context = authority.server_context("127.0.0.1")
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(authority.ca_file)
    options = TlsOptions(ca_file=str(authority.ca_file), client_certificate=str(authority.issue("client.example.org")))
    with RawServer(answering(OK), tls=context) as server:
        assert (await open_transport(server, tls=options).exchange(request_to(server), 5)).status == 200


def test_files_of_tls_that_do_not_load_are_refused_with_their_field(egress: Egress, tmp_path: Path) -> None:
    empty = tmp_path / "empty.pem"
    empty.write_text("nothing")
    for options, field in [
        (TlsOptions(ca_file=str(tmp_path / "missing.pem")), "tls.caFile"),
        (TlsOptions(ca_file=str(empty)), "tls.caFile"),
        (TlsOptions(client_certificate=str(empty)), "tls.clientCertificate"),
    ]:
        with pytest.raises(ConfigInvalid) as caught:
            egress.transport(connections=1, tls=options)
        assert caught.value.field == field
