"""The HTTP receivers: one message per POST with an `id` in its JSON, or a batch as Aliyun's SendBatchSms takes it."""

import asyncio
import json
from collections.abc import Callable, Sequence
from urllib.parse import parse_qs, urlsplit

from postroad.flows.drills.receivers.ledger import Ledger
from postroad.flows.drills.receivers.weather import Fate

Addressees = Callable[[str, bytes], Sequence[str]]
"""(request target, body) → the recipients this request is for."""

_ANSWERS = {
    Fate.REJECT: (b"422 Unprocessable Content", b""),
    Fate.ERROR: (b"500 Internal Server Error", b""),
    Fate.UNAVAILABLE: (b"503 Service Unavailable", b""),
}


def one_by_id(target: str, body: bytes) -> Sequence[str]:
    del target
    return [str(json.loads(body)["id"])]


def batch_of_phones(target: str, body: bytes) -> Sequence[str]:
    """The numbers of an Aliyun batch (or of one message), wherever the parameters stand."""
    given = parse_qs(urlsplit(target).query) | parse_qs(body.decode())
    if "PhoneNumberJson" in given:
        return [str(number) for number in json.loads(given["PhoneNumberJson"][0])]
    return given["PhoneNumbers"][0].split(",")


class HttpReceiver:
    """Keeps connections open, reads one request at a time, and does to it what the weather says."""

    def __init__(self, ledger: Ledger, addressees: Addressees, accepted_body: bytes) -> None:
        self._ledger = ledger
        self._addressees = addressees
        self._accepted_body = accepted_body

    async def serve(self) -> asyncio.Server:
        return await asyncio.start_server(self._connection, "127.0.0.1", 0, limit=1 << 20)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._request(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        with self._ledger.open_request():
            length = _content_length(head)
            body = await reader.readexactly(length)
            target = head.split(" ", 2)[1]
            recipients = self._addressees(target, body)
            return await self._answer(recipients, writer)

    async def _answer(self, recipients: Sequence[str], writer: asyncio.StreamWriter) -> bool:
        """One fate for the whole request: that of its first recipient. Returns False where the line was cut."""
        fate = self._ledger.fate_of(recipients[0])
        if fate in (Fate.CUT_EARLY, Fate.CUT_BEFORE):
            self._ledger.doubtful += len(recipients)
            return False
        if fate is Fate.THROTTLE:
            wait = f"Retry-After: {self._ledger.weather.throttle_for_s}\r\n".encode()
            await _write(writer, b"429 Too Many Requests", b"", wait)
            return True
        if fate in _ANSWERS:
            await _write(writer, *_ANSWERS[fate])
            return True
        if fate is Fate.SLOW:
            await asyncio.sleep(self._ledger.weather.slow_for_s)
        for recipient in recipients:
            self._ledger.arrived(recipient)
        if fate is Fate.CUT_AFTER:
            self._ledger.doubtful += len(recipients)
            return False
        await _write(writer, b"200 OK", self._accepted_body)
        return True


async def _write(writer: asyncio.StreamWriter, status: bytes, body: bytes, headers: bytes = b"") -> None:
    writer.write(
        b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n%s"
        % (status, len(body), headers, body)
    )
    await writer.drain()


def _content_length(head: str) -> int:
    for line in head.split("\r\n"):
        name, _, value = line.partition(":")
        if name.lower() == "content-length":
            return int(value)
    return 0
