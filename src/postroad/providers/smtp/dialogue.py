"""The client's side of one SMTP connection: greeting, EHLO, STARTTLS, and one mail after another.

The connection knows how far it came. `stage` names the step that is under way; `committed` turns true when the final
dot of DATA is handed over, and that is the commit point: whatever fails while it is false has certainly delivered
nothing, and a failure while it is true leaves doubt (RFC 5321 §4.2.5, RFC 1047). Three rules keep that exact. The whole
body has left our buffers before the dot is written. While the body goes out we listen: an early reply or an end of the
connection stops us before the dot. A body that cannot be finished is never ended by a dot; the connection is dropped.

Whoever calls sets `deadline`. A step ends at it, and each step but the last after `step_s` too, as Lost by TIMEOUT; the
answer to the dot is given all the time there is (RFC 5321 §4.5.3.2.6).
Sources: RFC 5321, RFC 1870 (SIZE), RFC 2920 (PIPELINING), RFC 3207 (STARTTLS), RFC 6531 (SMTPUTF8).
"""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterable
from dataclasses import dataclass, field

from postroad.egress import Fault, Stream, StreamFailed
from postroad.providers.smtp.codes import Stage
from postroad.providers.smtp.replies import Reply
from postroad.spi import CancellationToken
from postroad.vocabulary.outcomes import Category

_KEYWORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,31}")
_REPLY_LINE = re.compile(rb"([2-5]\d\d)(?:([ -])(.*))?")
_TURNS_TO_NOTICE = 2
"""Turns of the loop after which bytes that the kernel already holds have reached us."""
_EHLO_UNKNOWN = frozenset({500, 502})
"""The server speaks the SMTP of RFC 821: it gets HELO and offers nothing (RFC 5321 §3.2)."""
_LINE_BYTES, _REPLY_LINES = 4096, 200

LOOK_S = 1.0
"""How often a wait looks whether the run was cancelled."""
CANCELLED_WAIT_S = 5.0
"""How much longer an answer is waited for once the run is cancelled."""


class Refused(Exception):
    """The server said no."""

    def __init__(self, stage: Stage, reply: Reply) -> None:
        super().__init__(f"{stage}: {reply.label}")
        self.stage = stage
        self.reply = reply


class Lost(Exception):
    """The connection ended, or what came over it is not SMTP."""

    def __init__(self, stage: Stage, fault: Fault, detail: str) -> None:
        super().__init__(f"{stage}: {detail}")
        self.stage = stage
        self.fault = fault
        self.detail = detail


class Unusable(Exception):
    """Our own side refuses to go on: the server lacks what the configuration or this mail needs."""

    def __init__(self, category: Category, code: str, summary: str, *, stop_run: bool = False) -> None:
        super().__init__(summary)
        self.category = category
        self.code = code
        self.summary = summary
        self.stop_run = stop_run


@dataclass(frozen=True, slots=True)
class Envelope:
    """`recipients[0]` is the one the item is about; the others are copies."""

    sender: str
    recipients: tuple[str, ...]
    size: int
    needs_utf8: bool = False


@dataclass(slots=True)
class Offers:
    """What EHLO offered: keyword in upper case → its parameters."""

    keywords: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def of(reply: Reply) -> "Offers":
        found: dict[str, str] = {}
        for line in reply.lines[1:]:
            keyword, _, rest = line.strip().replace("AUTH=", "AUTH ", 1).partition(" ")
            if not _KEYWORD.fullmatch(keyword):
                continue
            known = found.get(keyword.upper())
            found[keyword.upper()] = f"{known} {rest}" if known else rest
        return Offers(found)

    def __contains__(self, keyword: str) -> bool:
        return keyword in self.keywords

    @property
    def mechanisms(self) -> frozenset[str]:
        return frozenset(self.keywords.get("AUTH", "").upper().split())

    @property
    def largest(self) -> int:
        """Bytes a mail may have; 0 where the server names no limit."""
        words = self.keywords.get("SIZE", "").split()
        return int(words[0]) if words and words[0].isascii() and words[0].isdigit() else 0


class Connection:
    """Serial: one step at a time. `mails` counts those it was used for, taken or not."""

    def __init__(self, stream: Stream, cancellation: CancellationToken, step_s: float) -> None:
        self.stage = Stage.GREETING
        self.committed = False
        self.mails = 0
        self.offers = Offers()
        self.deadline = 0.0
        self._stream = stream
        self._cancellation = cancellation
        self._step_s = step_s
        self._hurried = False
        self._in_mail = False
        self._closed = False

    async def greet(self, client_name: str) -> None:
        """Takes the greeting and says EHLO, or HELO to a server that does not know it. Raises Refused or Lost."""
        self.stage = Stage.GREETING
        self._expect(await self._reply(), 2)
        await self._ehlo(client_name)

    async def secure(self, client_name: str, server_name: str = "") -> None:
        """STARTTLS, then EHLO again: what was offered in clear counts for nothing. Never goes on in clear."""
        if "STARTTLS" not in self.offers:
            summary = "the server does not offer STARTTLS, and without it the mail would go in clear: nothing was sent"
            raise Unusable(Category.INVALID_REQUEST, "STARTTLS_NOT_OFFERED", summary, stop_run=True)
        self._expect(await self.ask(Stage.STARTTLS, b"STARTTLS"), 2)
        try:
            await self._stream.start_tls(timeout_s=self._time_left(), server_name=server_name)
        except StreamFailed as failure:
            raise Lost(Stage.STARTTLS, failure.fault, failure.message) from None
        await self._ehlo(client_name)

    def begin(self, deadline: float) -> None:
        """A new mail: nothing of it is committed. `deadline` is loop time."""
        self.deadline = deadline
        self.committed = False

    async def ask(self, stage: Stage, command: bytes) -> Reply:
        """One command, one reply."""
        self.stage = stage
        await self._send(command + b"\r\n")
        return await self._reply()

    async def offer(self, envelope: Envelope, body: AsyncIterable[bytes]) -> list[tuple[str, Reply]]:
        """Everything up to and with the final dot; returns the copies that were refused. The verdict is still to come.

        `body` is dot-stuffed and ends in CRLF. Refused and Unusable leave the connection usable except after a 421 or
        inside the body: ask `is_usable`. A run that is cancelled by now gets no dot, and the mail is dropped.
        """
        refused = await self._open_mail(envelope)
        self._expect(await self.ask(Stage.DATA, b"DATA"), 3)
        self.stage, self._in_mail = Stage.BODY, True
        async for piece in body:
            await self._send(piece)
            await self._stop_if_answered()
        for _ in range(_TURNS_TO_NOTICE):
            await asyncio.sleep(0)
        await self._stop_if_answered()
        if self._cancellation.is_cancelled:
            raise Unusable(Category.CANCELLED, "CANCELLED", "the run was cancelled before the mail left")
        self.stage = Stage.DOT
        self._write(b".\r\n")
        self.committed = True
        return refused

    async def verdict(self) -> Reply:
        """The answer to the final dot. Raises Refused or Lost; Lost is doubt."""
        reply = await self._reply()
        self._in_mail = False
        self._expect(reply, 2)
        return reply

    @property
    def is_usable(self) -> bool:
        """False once closed, inside a body, or where the server has spoken or hung up unasked."""
        return not self._closed and not self._in_mail and self._stream.is_quiet()

    async def close(self) -> None:
        """Idempotent. A usable connection says QUIT; nobody waits for the answer."""
        if self._closed:
            return
        if not self.is_usable:
            self.drop()
            return
        with contextlib.suppress(Lost):
            self._write(b"QUIT\r\n")
        self._closed = True
        await self._stream.aclose()

    def drop(self) -> None:
        """Closes at once, and what was not written is lost. Idempotent."""
        self._closed = True
        self._stream.abort()

    async def _ehlo(self, client_name: str) -> None:
        reply = await self.ask(Stage.EHLO, b"EHLO " + client_name.encode())
        if reply.code in _EHLO_UNKNOWN:
            self._expect(await self.ask(Stage.EHLO, b"HELO " + client_name.encode()), 2)
            self.offers = Offers()
            return
        self._expect(reply, 2)
        self.offers = Offers.of(reply)

    async def _open_mail(self, envelope: Envelope) -> list[tuple[str, Reply]]:
        """RSET (on a used connection), MAIL and RCPT: in one write where the server takes PIPELINING."""
        steps = [(Stage.RSET, b"RSET")] if self.mails else []
        steps.append((Stage.MAIL, self._mail_command(envelope)))
        steps += [(Stage.RCPT, f"RCPT TO:<{address}>".encode()) for address in envelope.recipients]
        self.mails += 1
        replies = await self._ask_all(steps)
        for (stage, _), reply in zip(steps, replies, strict=False):
            if stage is not Stage.RCPT:
                self._expect(reply, 2, stage)
        answers = replies[len(steps) - len(envelope.recipients) :]
        self._expect(answers[0], 2, Stage.RCPT)
        return [
            (address, reply) for address, reply in zip(envelope.recipients, answers, strict=True) if reply.code >= 400
        ]

    async def _ask_all(self, steps: list[tuple[Stage, bytes]]) -> list[Reply]:
        pipelined = "PIPELINING" in self.offers
        if pipelined:
            self.stage = steps[0][0]
            await self._send(b"".join(command + b"\r\n" for _, command in steps))
        replies: list[Reply] = []
        refused_first = False
        for stage, command in steps:
            self.stage = stage
            reply = await (self._reply() if pipelined else self.ask(stage, command))
            replies.append(reply)
            if reply.code == 421:
                self._expect(reply, 2)
            first_rcpt = stage is Stage.RCPT and steps[len(replies) - 2][0] is Stage.MAIL
            refused_first = refused_first or (reply.code >= 400 and (stage is not Stage.RCPT or first_rcpt))
            if refused_first and not pipelined:
                break
        if len(replies) < len(steps):
            self._expect(replies[-1], 2)
        return replies

    def _mail_command(self, envelope: Envelope) -> bytes:
        """Raises Unusable where the server said beforehand that it will not take this mail."""
        largest = self.offers.largest
        if largest and envelope.size > largest:
            summary = f"the mail has {envelope.size} bytes and the server takes {largest}; make the attachments smaller"
            raise Unusable(Category.INVALID_REQUEST, "TOO_LARGE", summary)
        parameters = f" SIZE={envelope.size}" if "SIZE" in self.offers else ""
        if envelope.needs_utf8:
            if "SMTPUTF8" not in self.offers:
                summary = "the address has letters outside ASCII before the @, and the server does not offer SMTPUTF8"
                raise Unusable(Category.RECIPIENT_INVALID, "SMTPUTF8_NOT_OFFERED", summary)
            parameters += " BODY=8BITMIME SMTPUTF8" if "8BITMIME" in self.offers else " SMTPUTF8"
        return f"MAIL FROM:<{envelope.sender}>{parameters}".encode()

    def _expect(self, reply: Reply, first_digit: int, stage: Stage | None = None) -> None:
        stage = stage or self.stage
        if reply.code == 421:
            self.drop()
        if reply.code >= 400:
            raise Refused(stage, reply)
        if reply.code // 100 != first_digit:
            self.drop()
            raise Lost(stage, Fault.PROTOCOL, f"the server answered {reply.code}, which has no meaning here")

    async def _send(self, data: bytes) -> None:
        """Returns when `data` has left for the kernel."""
        self._write(data)
        try:
            await self._stream.flush(timeout_s=self._time_left())
        except StreamFailed as failure:
            self.drop()
            raise Lost(self.stage, failure.fault, failure.message) from None

    def _write(self, data: bytes) -> None:
        try:
            self._stream.write(data)
        except StreamFailed as failure:
            self.drop()
            raise Lost(self.stage, failure.fault, failure.message) from None

    def _time_left(self) -> float:
        """For the step that begins now. The dot has no limit but the deadline."""
        left = max(0.0, self.deadline - asyncio.get_running_loop().time())
        return left if self.stage is Stage.DOT else min(left, self._step_s)

    async def _stop_if_answered(self) -> None:
        """Before the dot: takes an early reply as the refusal it is. The server is out of step with us afterwards."""
        if self._stream.is_quiet():
            return
        reply = await self._reply()
        self.drop()
        if reply.code >= 400:
            raise Refused(Stage.BODY, reply)
        raise Lost(Stage.BODY, Fault.PROTOCOL, "the server answered before the mail was complete")

    async def _reply(self) -> Reply:
        lines: list[str] = []
        code = 0
        while len(lines) < _REPLY_LINES:
            found = _REPLY_LINE.fullmatch(await self._line())
            if found is None or (lines and int(found[1]) != code):
                break
            code = int(found[1])
            lines.append((found[3] or b"").decode("utf-8", errors="replace").strip())
            if found[2] != b"-":
                return Reply(code, tuple(lines))
        self.drop()
        raise Lost(self.stage, Fault.PROTOCOL, "the answer is not SMTP")

    async def _line(self) -> bytes:
        loop = asyncio.get_running_loop()
        until = loop.time() + self._time_left()
        while True:
            try:
                line = await self._stream.read_line(limit=_LINE_BYTES, timeout_s=min(LOOK_S, until - loop.time()))
                return line.rstrip(b"\r\n")
            except StreamFailed as failure:
                if failure.fault is not Fault.TIMEOUT or loop.time() >= until:
                    self.drop()
                    raise Lost(self.stage, failure.fault, failure.message) from None
            if self._cancellation.is_cancelled and not self._hurried:
                self._hurried = True
                until = min(until, loop.time() + CANCELLED_WAIT_S)
