"""A mail server on loopback that does what it is told, written from RFC 5321 with raw streams.

`answers` says what it replies: key → one text for always, or a list that is used up before the usual answer returns.
Keys are `greeting`, a verb (`EHLO STARTTLS AUTH MAIL RCPT DATA RSET`), `RCPT ann@example.com`, `body` (in place of
taking it: looked at once the first bytes of the body are here) and `dot`. A text is a reply (lines joined by LF), or
DROP (close at once), SILENCE (never answer), GARBAGE (something that is not SMTP), ECHO (554 with all that was heard).
"""

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage

DROP, SILENCE, GARBAGE, ECHO = "!drop", "!silence", "!garbage", "!echo"
EXTENSIONS = ("PIPELINING", "SIZE 10485760", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES")


@dataclass
class Received:
    """One mail that got a 250 to its dot."""

    sender: str
    recipients: list[str]
    parameters: str
    raw: bytes
    connection: int
    over_tls: bool
    user: str

    @property
    def mail(self) -> EmailMessage:
        return message_from_bytes(self.raw, policy=policy.default)  # type: ignore[return-value]


@dataclass
class SmtpServer:
    """Start it with `running()`. `commands` holds every line heard, `connections` counts those taken."""

    answers: Mapping[str, str | list[str]] = field(default_factory=dict)
    extensions: tuple[str, ...] = EXTENSIONS
    starttls: ssl.SSLContext | None = None
    implicit_tls: ssl.SSLContext | None = None
    users: Mapping[str, str] = field(default_factory=dict)
    mechanisms: str = "PLAIN LOGIN"
    hang_up_after: int = 0
    """Closes a connection without a word after so many mails; 0 never."""
    most_at_once: int = 0
    """Greets a connection past so many with 421, as soon as `doorman` is set; 0 without limit."""
    doorman: asyncio.Event = field(default_factory=lambda: _opened())
    daily_quota: int = 0
    """Answers 451 to every MAIL after so many mails; 0 never."""
    gate: asyncio.Event = field(default_factory=lambda: _opened())
    """While it is not set, no dot is answered."""
    received: list[Received] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    connections: int = 0
    port: int = 0
    heard_dots: int = 0

    def __post_init__(self) -> None:
        self._left = {key: list(value) for key, value in self.answers.items() if isinstance(value, list)}
        self._tasks: set[asyncio.Task[None]] = set()
        self.idle = asyncio.Event()
        """Set whenever a connection was closed by this side."""

    @asynccontextmanager
    async def running(self) -> "AsyncIterator[SmtpServer]":
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self.implicit_tls)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def took(self, received: Received) -> None:
        """For subclasses that keep something of each mail."""

    def answer(self, *keys: str) -> str | None:
        for key in keys:
            if self._left.get(key):
                return self._left[key].pop(0)
            told = self.answers.get(key)
            if isinstance(told, str):
                return told
        return None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self.connections += 1
        talk = _Talk(self, reader, writer, self.connections)
        try:
            if self.most_at_once and len(self._tasks) > self.most_at_once:
                await self.doorman.wait()
                await talk.say("421 4.7.0 test.example Error: too many connections from 127.0.0.1")
            await talk.run()
        except (_HangUp, ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError, ssl.SSLError):
            pass
        finally:
            writer.close()
            self.idle.set()


def _opened() -> asyncio.Event:
    gate = asyncio.Event()
    gate.set()
    return gate


class _HangUp(Exception):
    pass


class _Talk:
    def __init__(
        self, server: SmtpServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int
    ) -> None:
        self.server, self.reader, self.writer, self.number = server, reader, writer, number
        self.over_tls = server.implicit_tls is not None
        self.user, self.heard, self.mails = "", "", 0
        self.reset()

    def reset(self) -> None:
        self.sender: str | None = None
        self.recipients: list[str] = []
        self.parameters = ""

    async def run(self) -> None:
        await self.say(self.server.answer("greeting") or "220 test.example ESMTP")
        while True:
            line = (await self.reader.readuntil(b"\n")).decode().rstrip("\r\n")
            self.server.commands.append(line)
            self.heard += line + " "
            verb, _, rest = line.partition(" ")
            verb = verb.upper()
            if verb == "QUIT":
                await self.say("221 2.0.0 bye")
                return
            told = self.server.answer(f"{verb} {self._address(rest)}", verb)
            if told is not None:
                await self.say(told)
                continue
            handle = getattr(self, f"on_{verb.lower()}", None)
            await (handle(rest) if handle else self.say("502 5.5.1 unknown command"))

    async def on_ehlo(self, rest: str) -> None:
        self.reset()
        offered = [*self.server.extensions]
        if self.server.starttls is not None and not self.over_tls:
            offered.append("STARTTLS")
        elif self.server.users:
            offered.append(f"AUTH {self.server.mechanisms}")
        await self.say("\n".join(["250 test.example greets you", *(f"250 {line}" for line in offered)]))

    async def on_starttls(self, rest: str) -> None:
        await self.say("220 2.0.0 go ahead")
        assert self.server.starttls is not None
        await self.writer.start_tls(self.server.starttls)
        self.over_tls = True
        self.reset()

    async def on_auth(self, rest: str) -> None:
        mechanism, _, initial = rest.partition(" ")
        if mechanism == "PLAIN":
            _, user, password = base64.b64decode(initial).decode().split("\0")
        elif mechanism == "LOGIN":
            user, password = await self._ask("334 VXNlcm5hbWU6"), await self._ask("334 UGFzc3dvcmQ6")
        else:
            pairs = dict(part.partition("=")[::2] for part in base64.b64decode(initial).decode().split("\x01") if part)
            user, password = pairs["user"], pairs["auth"].removeprefix("Bearer ")
        self.heard += f"{user} {password} "
        if self.server.users.get(user) != password:
            await self.say("535 5.7.8 authentication failed")
            return
        self.user = user
        await self.say("235 2.7.0 welcome")

    async def on_mail(self, rest: str) -> None:
        if self.server.users and not self.user:
            await self.say("530 5.7.0 authentication required")
        elif self.server.daily_quota and len(self.server.received) >= self.server.daily_quota:
            await self.say("451 4.7.1 daily limit of messages reached, try again tomorrow")
        elif self.sender is not None:
            await self.say("503 5.5.1 nested MAIL")
        else:
            self.sender, self.parameters = self._address(rest), rest.partition(">")[2].strip()
            await self.say("250 2.1.0 ok")

    async def on_rcpt(self, rest: str) -> None:
        if self.sender is None:
            await self.say("503 5.5.1 MAIL first")
            return
        self.recipients.append(self._address(rest))
        await self.say("250 2.1.5 ok")

    async def on_rset(self, rest: str) -> None:
        self.reset()
        await self.say("250 2.0.0 ok")

    async def on_data(self, rest: str) -> None:
        if not self.recipients:
            await self.say("503 5.5.1 RCPT first")
            return
        await self.say("354 go on")
        told = self.server.answer("body")
        if told is not None:
            await self.reader.read(1)
            await self.say(told)
            raise _HangUp
        raw = bytearray()
        while not (raw.endswith(b"\r\n.\r\n")):
            raw += await self.reader.readuntil(b"\n")
        self.server.heard_dots += 1
        body = bytes(raw[:-3]).replace(b"\r\n..", b"\r\n.")
        await self.server.gate.wait()
        told = self.server.answer("dot")
        if told is not None and not told.startswith("250"):
            self.heard += body.decode("utf-8", errors="replace")
            self.reset()
            await self.say(told)
            return
        assert self.sender is not None
        received = Received(self.sender, self.recipients, self.parameters, body, self.number, self.over_tls, self.user)
        self.server.received.append(received)
        self.server.took(received)
        self.mails += 1
        self.reset()
        await self.say(told or f"250 2.0.0 Ok: queued as Q{len(self.server.received)}")
        if self.mails == self.server.hang_up_after:
            raise _HangUp

    async def _ask(self, prompt: str) -> str:
        await self.say(prompt)
        return base64.b64decode(await self.reader.readuntil(b"\n")).decode()

    async def say(self, text: str) -> None:
        if text == DROP:
            raise _HangUp
        if text == SILENCE:
            await asyncio.Event().wait()
        if text == GARBAGE:
            text = "<html>this is no mail server</html>"
        elif text == ECHO:
            text = "554 5.7.1 I heard " + self.heard.replace("\r", " ").replace("\n", " ")[:3000]
        lines = text.split("\n")
        shown = [f"{line[:3]}-{line[4:]}" for line in lines[:-1]] + lines[-1:]
        self.writer.write("".join(f"{line}\r\n" for line in shown).encode())
        await self.writer.drain()
        if text.startswith("421"):
            raise _HangUp

    @staticmethod
    def _address(rest: str) -> str:
        return rest.partition("<")[2].partition(">")[0]
