"""Requests as bytes; nothing a caller gives can add a line."""

import pytest

from postroad.egress import Answer, Fault, RequestShape, Sent, Target, WireRequest, encode_headers
from postroad.vocabulary.errors import InvalidInput

TARGET = Target.of("https://api.example.org/ignored")


def test_a_request_is_one_run_of_bytes() -> None:
    shape = RequestShape(TARGET, "post", [("Content-Type", "application/json"), ("X-Name", "Zoë")])
    request = shape.request(b"/v1/send?to=1", b"{}", encode_headers([("X-Id", "7")]))
    assert request.wire == (
        b"POST /v1/send?to=1 HTTP/1.1\r\nHost: api.example.org\r\nContent-Type: application/json\r\n"
        b"X-Name: Zo\xc3\xab\r\nAccept-Encoding: identity\r\nX-Id: 7\r\nContent-Length: 2\r\n\r\n{}"
    )
    assert (request.target, request.is_head) == (TARGET, False)


def test_a_request_without_body_says_so_only_where_one_is_usual() -> None:
    assert b"Content-Length" not in WireRequest.build(TARGET, "GET", "/").wire
    assert b"Content-Length: 0\r\n\r\n" in WireRequest.build(TARGET, "POST", "/").wire
    assert WireRequest.build(TARGET, "DELETE", "/", body=b"x").wire.endswith(b"Content-Length: 1\r\n\r\nx")
    assert WireRequest.build(TARGET, "HEAD", "/").is_head


def test_an_encoding_the_caller_asks_for_stands() -> None:
    wire = WireRequest.build(TARGET, "GET", "/", [("accept-encoding", "gzip")]).wire
    assert wire.count(b"ccept-") == 1


@pytest.mark.parametrize("value", ["a\r\nX: y", "a\nb", "a\rb", "a\0b"])
def test_a_header_value_cannot_end_its_line(value: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        RequestShape(TARGET, "POST", [("Authorization", "Bearer " + value)])
    assert "Bearer" not in caught.value.message


@pytest.mark.parametrize("name", ["", "X Y", "X:Y", "X\r\nY", "Ünder", "Host", "content-length", "Connection"])
def test_a_header_name_is_a_token_and_not_one_of_ours(name: str) -> None:
    with pytest.raises(InvalidInput):
        RequestShape(TARGET, "POST", [(name, "x")])


@pytest.mark.parametrize("path", [b"", b"x", b"/a b", b"/a\r\nX: y", b"/\xc3\xbc", b"/a\0", b"/a\n"])
def test_a_path_is_printable_ascii(path: bytes) -> None:
    shape = RequestShape(TARGET, "POST")
    for _ in range(2):
        with pytest.raises(InvalidInput):
            shape.request(path)


@pytest.mark.parametrize("method", ["", "PO ST", "GET /x HTTP/1.1\r\n", "CONNECT", "GET\n"])
def test_a_method_is_a_token(method: str) -> None:
    with pytest.raises(InvalidInput):
        RequestShape(TARGET, method)


def test_targets_of_one_place_are_equal() -> None:
    assert Target.of("https://API.example.org:443/a") == TARGET
    assert Target.of("http://api.example.org/").is_tls is False
    with pytest.raises(InvalidInput):
        Target.of("ftp://api.example.org/")


def test_a_failed_answer_has_no_headers() -> None:
    answer = Answer.failed(Fault.DNS, Sent.NOTHING, "the name does not resolve")
    assert (answer.status, answer.headers, answer.header("x"), answer.operator_detail) == (0, [], None, answer.detail)
