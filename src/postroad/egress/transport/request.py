"""A request as the bytes that will be written.

A run sends one kind of request a million times. `RequestShape` is checked and encoded once: method, Host and every
header that does not change. Making a request from it costs one bytes format. Header injection is impossible by
construction: names are tokens, values refuse CR, LF and NUL, paths are printable ASCII.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from postroad.egress.url import Url, parse_url
from postroad.vocabulary.errors import InvalidInput

Headers = Iterable[tuple[str, str]]

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
_PATH = re.compile(rb"[/*][\x21-\x7e]*\Z")
_BREAKS = re.compile(r"[\r\n\0]")
_OURS = frozenset({"host", "content-length", "transfer-encoding", "connection", "te", "trailer", "upgrade", "expect"})
_BODILESS = frozenset({"GET", "HEAD", "OPTIONS", "DELETE"})


@dataclass(frozen=True, slots=True)
class Target:
    """Where requests go: prepared once per run and (scheme, host, port). Equal targets share connections."""

    scheme: str
    host: str
    port: int
    authority: str
    """The Host header."""

    @staticmethod
    def of(url: Url | str, *, field: str = "url") -> "Target":
        """Raises InvalidInput for a URL that is not http or https, or not plain. The path is not part of a target."""
        parsed = parse_url(url, field=field) if isinstance(url, str) else url
        return Target(parsed.scheme, parsed.host.text, parsed.port, parsed.authority)

    @property
    def is_tls(self) -> bool:
        return self.scheme == "https"


class WireRequest:
    """One request: its target and every byte of it. `wire` is written as it stands."""

    __slots__ = ("is_head", "target", "wire")

    def __init__(self, target: Target, wire: bytes, is_head: bool = False) -> None:
        self.target = target
        self.wire = wire
        self.is_head = is_head

    @staticmethod
    def build(target: Target, method: str, path: str, headers: Headers = (), body: bytes = b"") -> "WireRequest":
        """For single requests; a run makes a `RequestShape` once instead."""
        return RequestShape(target, method, headers).request(path.encode(), body)


class RequestShape:
    """The part of a run's requests that stays the same.

    Adds Host and `Accept-Encoding: identity` (unless given). Raises InvalidInput for a method or header that cannot be
    sent, and for headers that are the transport's own (Host, Content-Length, Connection …).
    """

    __slots__ = ("_begin", "_end", "_has_length", "_is_head", "_last_path", "target")

    def __init__(self, target: Target, method: str, headers: Headers = ()) -> None:
        if not _TOKEN.match(method) or method.upper() == "CONNECT":
            raise InvalidInput("method: not an HTTP method; write GET, POST, PUT, PATCH or DELETE", field="method")
        method = method.upper()
        block = encode_headers(headers)
        if b"\r\naccept-encoding:" not in b"\r\n" + block.lower():
            block += b"Accept-Encoding: identity\r\n"
        self.target = target
        self._begin = method.encode() + b" "
        self._end = b" HTTP/1.1\r\nHost: " + target.authority.encode() + b"\r\n" + block
        self._has_length = method not in _BODILESS
        self._is_head = method == "HEAD"
        self._last_path: bytes | None = None

    def request(self, path: bytes, body: bytes = b"", extra: bytes = b"") -> WireRequest:
        """`path` begins with a slash, carries the query and is percent-encoded; `extra` comes from `encode_headers`.

        A path object used twice in a row is checked once.
        """
        if path is not self._last_path:
            if not _PATH.match(path):
                raise InvalidInput("path: must begin with '/' and be percent-encoded ASCII", field="path")
            self._last_path = path
        if body or self._has_length:
            wire = b"%b%b%b%bContent-Length: %d\r\n\r\n%b" % (self._begin, path, self._end, extra, len(body), body)
        else:
            wire = b"%b%b%b%b\r\n" % (self._begin, path, self._end, extra)
        return WireRequest(self.target, wire, self._is_head)


def encode_headers(headers: Headers) -> bytes:
    """A checked header block. Text outside ASCII goes as UTF-8. Messages name the header and never its value."""
    lines = []
    for name, value in headers:
        if not _TOKEN.match(name):
            raise InvalidInput(f"header {name[:60]!r}: not a header name", field="headers")
        if name.lower() in _OURS:
            raise InvalidInput(f"header {name}: set by the transport; remove it", field="headers")
        if _BREAKS.search(value):
            raise InvalidInput(f"header {name}: the value holds CR, LF or NUL", field="headers")
        lines.append(name + ": " + value.strip(" \t") + "\r\n")
    return "".join(lines).encode()
