"""The mail receiver: enough SMTP to take a message, and to fail at the places that matter (RFC 5321)."""

import asyncio

from postroad.flows.drills.receivers.ledger import Ledger
from postroad.flows.drills.receivers.weather import Fate

MESSAGES_PER_LINE = 250
"""After so many messages the line is dropped without a word, as busy relays do."""


class SmtpReceiver:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def serve(self) -> asyncio.Server:
        return await asyncio.start_server(self._connection, "127.0.0.1", 0, limit=1 << 20)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await _say(writer, "220 drill.invalid ESMTP")
            taken = 0
            while taken < MESSAGES_PER_LINE and await self._envelope(reader, writer):
                taken += 1
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _envelope(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Commands up to the end of one message. False where the line ends here."""
        recipient, fate = "", Fate.ACCEPT
        while True:
            line = (await reader.readuntil(b"\r\n")).decode("utf-8", "replace").strip()
            verb = line[:4].upper()
            if verb == "QUIT":
                await _say(writer, "221 bye")
                return False
            if verb == "RCPT":
                recipient = line[line.index("<") + 1 : line.rindex(">")]
                fate = self._ledger.fate_of(recipient)
                await _say(writer, _rcpt_reply(fate))
            elif verb == "DATA":
                with self._ledger.open_request():
                    return await self._message(reader, writer, recipient, fate)
            else:
                await _say(writer, "250-drill.invalid\r\n250 8BITMIME" if verb == "EHLO" else "250 ok")

    async def _message(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, recipient: str, fate: Fate
    ) -> bool:
        if fate is Fate.CUT_EARLY:
            return False
        await _say(writer, "354 go on")
        await reader.readuntil(b"\r\n.\r\n")
        if fate is Fate.ERROR:
            await _say(writer, "451 4.3.0 could not be kept")
            return True
        if fate is Fate.CUT_BEFORE:
            self._ledger.doubtful += 1
            return False
        if fate is Fate.SLOW:
            await asyncio.sleep(self._ledger.weather.slow_for_s)
        self._ledger.arrived(recipient)
        if fate is Fate.CUT_AFTER:
            self._ledger.doubtful += 1
            return False
        await _say(writer, "250 2.0.0 taken")
        return True


def _rcpt_reply(fate: Fate) -> str:
    if fate in (Fate.THROTTLE, Fate.UNAVAILABLE):
        return "451 4.7.1 try again in a moment"
    if fate is Fate.REJECT:
        return "550 5.1.1 no such mailbox"
    return "250 2.1.5 ok"


async def _say(writer: asyncio.StreamWriter, line: str) -> None:
    writer.write(f"{line}\r\n".encode())
    await writer.drain()
