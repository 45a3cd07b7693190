"""One sender: one connection at most, one mail at a time, kept between mails and replaced when it is old.

A server may hang up between two mails. That costs nothing: a line known to be dead is replaced before it is used, and a
line that dies or says 421 while a mail is only being announced is replaced once within the same attempt, because
nothing of the mail was ever ended by a dot.
"""

import asyncio
import hashlib
import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import NamedTuple

from postroad.egress import Egress, Fault
from postroad.providerkit.masking import masked
from postroad.providers.smtp import results
from postroad.providers.smtp.codes import Stage, classify
from postroad.providers.smtp.config import Account
from postroad.providers.smtp.connecting import connect
from postroad.providers.smtp.dialogue import Connection, Envelope, Lost, Refused
from postroad.providers.smtp.mail.addresses import Mailbox
from postroad.providers.smtp.mail.letter import Letter
from postroad.spi import OpenContext, SendRequest, SendResult
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.secret import Secret

_READABLE_KEY = re.compile(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*")
_KEY_LENGTH = 64
_ANNOUNCING = frozenset({Stage.RSET, Stage.MAIL, Stage.RCPT, Stage.DATA})


ANNOUNCING_SHARE = 0.75
"""The dot is written within this share of an attempt's time or not at all, so that its answer can be waited for."""


class _Times(NamedTuple):
    """Loop times: the dot is written, and its answer is here, by then."""

    dot: float
    answer: float


class SmtpSession:
    """Made by `SmtpProvider.open`. Not for two sends at once."""

    def __init__(
        self,
        egress: Egress,
        account: Account,
        password: Secret | None,
        *,
        context: OpenContext,
        on_close: Callable[[], None],
    ) -> None:
        self._egress = egress
        self._account = account
        self._password = password
        self._clock = context.clock
        self._cancellation = context.cancellation
        self._on_close: Callable[[], None] | None = on_close
        self._connection: Connection | None = None
        self._used_at = 0.0
        self._hidden = spellings(account.username, password)

    async def send(self, request: SendRequest) -> SendResult:
        letter = request.rendered.content
        assert isinstance(letter, Letter)
        begun = asyncio.get_running_loop().time()
        by = _Times(begun + request.timeout_s * ANNOUNCING_SHARE, begun + request.timeout_s)
        try:
            result = await self._send(letter, request.idempotency_key, by)
        except results.FAILURES as failure:
            committed = self._connection is not None and self._connection.committed
            result = results.failed(failure, committed=committed, account=self._account)
            if result.category is not Category.RATE_LIMITED:  # a full mailbox or a greylist: nobody else waits for it
                result.slow_keys = (f"recipient:{letter.to.address}",)
        except BaseException:
            self._drop()
            raise
        self._used_at = asyncio.get_running_loop().time()
        if self._connection is not None and not self._connection.is_usable:
            self._drop()
        result.summary = masked(result.summary, self._hidden)
        result.request_id = masked(result.request_id, self._hidden)
        return result

    async def send_batch(self, requests: Sequence[SendRequest]) -> Sequence[SendResult]:
        return [await self.send(request) for request in requests]

    async def aclose(self) -> None:
        """Idempotent. Says QUIT on an idle connection and does not wait for the answer."""
        connection, self._connection = self._connection, None
        on_close, self._on_close = self._on_close, None
        if connection is not None:
            await connection.close()
        if on_close is not None:
            on_close()

    async def _send(self, letter: Letter, key: str, by: _Times) -> SendResult:
        connection = await self._kept()
        if connection is not None:
            try:
                return await self._deliver(connection, letter, key, by)
            except (Refused, Lost) as failure:
                if connection.committed or not _is_stale(failure):
                    raise
                self._drop()
        self._connection = connection = await connect(
            self._egress, self._account, self._password, by.dot, self._cancellation
        )
        return await self._deliver(connection, letter, key, by)

    async def _kept(self) -> Connection | None:
        """The connection of the last mail, or None where it is used up, was idle for too long, or is dead."""
        connection = self._connection
        if connection is None:
            return None
        idle_s = asyncio.get_running_loop().time() - self._used_at
        used_up = connection.mails >= self._account.max_mails_per_connection
        if used_up or idle_s > self._account.max_idle_s or not connection.is_usable:
            self._connection = None
            await connection.close()
        return self._connection

    async def _deliver(self, connection: Connection, letter: Letter, key: str, by: _Times) -> SendResult:
        connection.begin(by.dot)
        message_id = self._message_id(letter.sender, key)
        date = format_datetime(datetime.fromtimestamp(self._clock.now_ms() / 1000, UTC))
        stamp = f"Message-ID: {message_id}\r\nDate: {date}\r\n".encode()
        addresses = tuple(dict.fromkeys(box.address for box in (letter.to, *letter.copies)))
        envelope = Envelope(letter.envelope_from.address, addresses, letter.size, letter.needs_utf8)
        async with aclosing(letter.stream(stamp)) as body:
            refused_copies = await connection.offer(envelope, body)
        connection.deadline = by.answer
        reply = await connection.verdict()
        return results.accepted(reply, message_id, refused_copies)

    def _message_id(self, sender: Mailbox, key: str) -> str:
        """The same for every attempt of an item and for its re-send, so receivers can fold a second copy."""
        domain = self._account.message_id_domain or sender.domain
        if len(key) > _KEY_LENGTH or not _READABLE_KEY.fullmatch(key):
            key = hashlib.blake2b(key.encode(), digest_size=16).hexdigest()
        return f"<{key}@{domain}>"

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.drop()


def spellings(username: str, password: Secret | None) -> tuple[Secret, ...]:
    """The password in every form in which it goes over the wire: what a reply could repeat."""
    if password is None:
        return ()
    text = password.reveal()
    forms = (text, f"\0{username}\0{text}", f"user={username}\x01auth=Bearer {text}\x01\x01")
    return (password, *(Secret(b64encode(form.encode()).decode()) for form in forms))


def _is_stale(failure: Refused | Lost) -> bool:
    """Whether a kept connection simply had its day: it died, or was ended, before the mail began."""
    if failure.stage not in _ANNOUNCING:
        return False
    if isinstance(failure, Lost):
        return failure.fault is not Fault.TIMEOUT
    ended = failure.reply.code == 421 or failure.stage is Stage.RSET
    return ended and classify(failure.reply, failure.stage).category is Category.TEMPORARY_REMOTE
