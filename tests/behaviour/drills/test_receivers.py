"""Receivers are honest: what they refuse is not counted, what they count they count once."""

import asyncio
import json
from collections.abc import Mapping

import pytest

from postroad.flows.drills.receiver import LedgerReport, Receiver
from postroad.flows.drills.receivers.weather import Fate

Odds = Mapping[Fate, float]


async def _post(port: int, who: str) -> bytes:
    """The answer's head, or nothing where the line was cut."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps({"id": who}).encode()
    writer.write(b"POST /messages HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as cut:
        return cut.partial
    finally:
        writer.close()


async def _mail(port: int, who: str) -> list[bytes]:
    """The replies of the server, until the line ends or the mail is taken."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    said = [await reader.readline()]
    for line in ("HELO x", "MAIL FROM:<a@example.org>", f"RCPT TO:<{who}>", "DATA", "hello\r\n."):
        if said[-1][:1] not in (b"2", b"3"):
            break
        writer.write(f"{line}\r\n".encode())
        said.append(await reader.readline())
    writer.close()
    return said


def _seen(kind: str, odds: Odds) -> tuple[bytes, LedgerReport]:
    with Receiver(kind, 1, odds, slow_for_s=0.0) as receiver:
        if kind == "http":
            said = asyncio.run(_post(receiver.port, "p1"))
        else:
            said = asyncio.run(_mail(receiver.port, "p1@example.com"))[-1]
        return said, receiver.report()


@pytest.mark.parametrize(
    ("fate", "answer", "copies", "doubtful"),
    [
        (Fate.ACCEPT, b"HTTP/1.1 200", 1, 0),
        (Fate.SLOW, b"HTTP/1.1 200", 1, 0),
        (Fate.THROTTLE, b"HTTP/1.1 429", 0, 0),
        (Fate.UNAVAILABLE, b"HTTP/1.1 503", 0, 0),
        (Fate.ERROR, b"HTTP/1.1 500", 0, 0),
        (Fate.REJECT, b"HTTP/1.1 422", 0, 0),
        (Fate.CUT_EARLY, b"", 0, 1),
        (Fate.CUT_BEFORE, b"", 0, 1),
        (Fate.CUT_AFTER, b"", 1, 1),
    ],
)
def test_a_message_by_http_is_counted_when_it_is_kept_and_only_then(
    fate: Fate, answer: bytes, copies: int, doubtful: int
) -> None:
    said, report = _seen("http", {fate: 1.0})
    assert said.startswith(answer)
    assert bool(said) == bool(answer)
    assert (report.copies.get("p1", 0), report.doubtful, report.fates) == (copies, doubtful, {str(fate): 1})
    assert b"Retry-After: 1" in said or fate is not Fate.THROTTLE


@pytest.mark.parametrize(
    ("fate", "answer", "copies", "doubtful"),
    [
        (Fate.ACCEPT, b"250 ", 1, 0),
        (Fate.THROTTLE, b"451 ", 0, 0),
        (Fate.ERROR, b"451 ", 0, 0),
        (Fate.REJECT, b"550 ", 0, 0),
        (Fate.CUT_EARLY, b"", 0, 0),
        (Fate.CUT_BEFORE, b"", 0, 1),
        (Fate.CUT_AFTER, b"", 1, 1),
    ],
)
def test_a_mail_is_counted_when_it_is_kept_and_in_doubt_only_after_its_dot(
    fate: Fate, answer: bytes, copies: int, doubtful: int
) -> None:
    said, report = _seen("smtp", {fate: 1.0})
    assert said.startswith(answer)
    assert bool(said) == bool(answer)
    assert (report.copies.get("p1@example.com", 0), report.doubtful) == (copies, doubtful)


def test_a_receiver_ends_with_its_block() -> None:
    with Receiver("http", 1, {}) as receiver:
        port = receiver.port
    with pytest.raises(ConnectionRefusedError):
        asyncio.run(_post(port, "p1"))
    with pytest.raises(RuntimeError, match="not running"):
        receiver.report()
