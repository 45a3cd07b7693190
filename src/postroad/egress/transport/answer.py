"""What came of one exchange."""

import contextlib
from dataclasses import dataclass
from enum import StrEnum

import httptools

from postroad.egress.faults import Fault


class Sent(StrEnum):
    """How much of the request left, as far as this side can know."""

    NOTHING = "NOTHING"
    """Not one byte was handed to the socket: certainly nothing arrived."""
    SOME = "SOME"
    """Part of it went to the kernel, or we cannot tell how much."""
    ALL = "ALL"
    """All of it went to the kernel."""


@dataclass(slots=True)
class Answer:
    """Either a whole answer (`fault` is None), or a fault.

    A fault after the status line arrived keeps `status` (else 0) and what came of the body. `truncated` says the body
    was cut at the cap; the answer is whole otherwise. `detail` is fit for everybody; `operator_detail` may name
    addresses and belongs in an operator's log only.
    """

    status: int
    head: bytes = b""
    """Bytes that begin with the status line and contain at least the header block."""
    body: bytes = b""
    truncated: bool = False
    sent: Sent = Sent.ALL
    fault: Fault | None = None
    detail: str = ""
    operator_detail: str = ""

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """Names in lower case, in order of arrival. Parsed anew at each call: most answers are never asked."""
        return parse_headers(self.head)

    def header(self, name: str) -> str | None:
        """The first value of `name`, or None."""
        wanted = name.lower().encode("latin-1")
        for key, value in self.headers:
            if key == wanted:
                return value.decode("latin-1")
        return None

    @staticmethod
    def failed(fault: Fault, sent: Sent, detail: str, operator_detail: str = "") -> "Answer":
        return Answer(0, b"", b"", False, sent, fault, detail, operator_detail or detail)


def parse_headers(head: bytes) -> list[tuple[bytes, bytes]]:
    """Headers of the final answer in `head`; interim (1xx) answers before it are skipped."""
    collector = _HeaderCollector()
    parser = httptools.HttpResponseParser(collector)
    collector.parser = parser
    with contextlib.suppress(httptools.HttpParserError):
        parser.feed_data(head)
    return collector.headers


class _HeaderCollector:
    def __init__(self) -> None:
        self.headers: list[tuple[bytes, bytes]] = []
        self.parser: httptools.HttpResponseParser | None = None
        self._is_final = False

    def on_message_begin(self) -> None:
        if not self._is_final:
            self.headers = []

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._is_final:
            self.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        assert self.parser is not None
        self._is_final = self._is_final or self.parser.get_status_code() >= 200
