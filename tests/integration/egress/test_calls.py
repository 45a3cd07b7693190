"""Calls without an event loop: whole answers, files both ways, answers that go on, and what breaks on the way."""

import io

import pytest
from tests.builders.raw_http_server import OK, Peer, RawServer, Script, answering

from postroad.egress import Egress, Fault, StreamFailed, parse_url
from postroad.egress.calls import Calls
from postroad.vocabulary.errors import EgressDenied

MOVED = b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"
TWO_COOKIES = b"HTTP/1.1 204 No Content\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n"
REFUSED = b"HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nthere"
LIVE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def calls_to(server: RawServer, path: str = "/") -> Calls:
    return Calls(Egress(), parse_url(server.url(path)))


def chunk(text: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(text), text)


def test_the_address_a_person_gave_is_reached_and_its_connection_kept() -> None:
    with RawServer(answering(OK)) as server, calls_to(server, "/below/") as calls:
        first = calls.call("POST", "/api?x=1", headers={"x-mark": "7"}, body=b"{}")
        assert (first.status, first.body) == (200, b"ok")
        assert calls.call("GET", "/api").status == 200
        assert server.connections == 1
        assert server.requests[0].startswith(b"POST /below/api?x=1 HTTP/1.1\r\n")
        assert b"x-mark: 7" in server.requests[0]


def test_no_redirect_is_followed_and_every_header_is_there() -> None:
    with RawServer(answering(MOVED, TWO_COOKIES)) as server, calls_to(server) as calls:
        moved = calls.call("GET", "/")
        assert (moved.status, moved.header("location")) == (302, "/elsewhere")
        assert calls.call("GET", "/").all("set-cookie") == ("a=1", "b=2")
        assert len(server.requests) == 2


def test_a_metadata_service_is_refused_also_where_a_person_wrote_it() -> None:
    with Calls(Egress(), parse_url("http://169.254.169.254")) as calls, pytest.raises(EgressDenied):
        calls.call("GET", "/")


def test_a_service_that_is_not_there_is_a_fault_with_its_reason() -> None:
    with Calls(Egress(), parse_url("http://127.0.0.1:9")) as calls, pytest.raises(StreamFailed) as failed:
        calls.call("GET", "/")
    assert failed.value.fault is Fault.CONNECT
    assert "refused" in failed.value.message


@pytest.mark.parametrize(
    ("script", "fault"),
    [(answering(b"", then_close=True), Fault.RESET), (answering(b"SMTP ready\r\n\r\n"), Fault.PROTOCOL)],
    ids=["hangs up", "speaks another protocol"],
)
def test_what_breaks_an_answer_is_a_fault(script: Script, fault: Fault) -> None:
    with RawServer(script) as server, calls_to(server) as calls, pytest.raises(StreamFailed) as failed:
        calls.call("GET", "/")
    assert failed.value.fault in (fault, Fault.PROTOCOL)


def test_a_file_is_sent_with_its_length_and_told_as_it_passes() -> None:
    content, told = bytes(600_000), list[int]()
    with RawServer(answering(OK)) as server, calls_to(server) as calls:
        reply = calls.send_file(
            "POST", "/f", io.BytesIO(content), headers={}, size=len(content), progressed=told.append
        )
    assert reply.status == 200
    assert b"content-length: 600000" in server.requests[0].lower()
    assert server.requests[0].endswith(content)
    assert told[-1] == 600_000
    assert told == sorted(told)


def test_a_body_is_written_where_it_was_wanted_and_a_refusal_is_not() -> None:
    with RawServer(answering(OK, REFUSED)) as server, calls_to(server) as calls:
        into = io.BytesIO()
        assert calls.fetch("/f", into, headers={}, progressed=lambda _: None).status == 200
        assert into.getvalue() == b"ok"
        refused = calls.fetch("/f", into, headers={}, progressed=lambda _: None)
        assert (refused.status, refused.body, into.getvalue()) == (404, b"there", b"ok")


def live(*texts: bytes, end: bytes = b"") -> Script:
    """Says these texts, then its end, and waits until the client is gone."""

    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(LIVE + b"".join(map(chunk, texts)) + end)
        peer.wait_closed()

    return script


def test_an_answer_that_goes_on_is_heard_with_quiet_between() -> None:
    with RawServer(live(b"one")) as server, calls_to(server) as calls, calls.listen("/e", headers={}) as heard:
        assert heard.next(5) == b"one"
        assert heard.next(0.01) is None
        assert not heard.is_over


def test_the_end_of_an_answer_that_goes_on_is_told_by_an_empty_piece() -> None:
    script = live(b"a", b"b", end=b"0\r\n\r\n")
    with RawServer(script) as server, calls_to(server) as calls, calls.listen("/e", headers={}) as heard:
        assert b"".join(iter(lambda: heard.next(5) or b"", b"")) == b"ab"
        assert heard.is_over


def test_a_stream_that_is_refused_has_its_answer_and_nothing_to_hear() -> None:
    with RawServer(answering(REFUSED)) as server, calls_to(server) as calls, calls.listen("/e", headers={}) as heard:
        assert (heard.reply.status, heard.reply.body, heard.next(1)) == (404, b"there", b"")


def test_a_stream_that_breaks_is_a_fault() -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(LIVE + chunk(b"one"))
        peer.reset()

    with (
        RawServer(script) as server,
        calls_to(server) as calls,
        calls.listen("/e", headers={}) as heard,
        pytest.raises(StreamFailed),
    ):
        list(iter(lambda: heard.next(5), b""))
