"""One sender: one mail at a time, over a connection that the pool lends for it and gets back afterwards.

A server may hang up between two mails. That costs nothing: a line known to be dead is replaced before it is used, and a
line that dies or says 421 while a mail is only being announced is replaced once within the same attempt, because
nothing of the mail was ever ended by a dot.
"""

import asyncio
import hashlib
import re
from base64 import b64encode
from collections.abc import Awaitable, Callable, Sequence
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
from postroad.providers.smtp.pool import Pool
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
        pool: Pool,
        on_close: Callable[[], Awaitable[None]],
    ) -> None:
        self._egress = egress
        self._account = account
        self._password = password
        self._clock = context.clock
        self._cancellation = context.cancellation
        self._pool = pool
        self._on_close: Callable[[], Awaitable[None]] | None = on_close
        self._connection: Connection | None = None
        """While a mail is under way."""
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
        if (connection := self._release()) is not None:
            self._pool.give_back(connection)
        result.summary = masked(result.summary, self._hidden)
        result.request_id = masked(result.request_id, self._hidden)
        return result

    async def send_batch(self, requests: Sequence[SendRequest]) -> Sequence[SendResult]:
        return [await self.send(request) for request in requests]

    async def aclose(self) -> None:
        """Idempotent. The last one of a run says QUIT on the idle connections and does not wait for the answers."""
        on_close, self._on_close = self._on_close, None
        if self._connection is not None:
            self._connection.drop()
        if on_close is not None:
            await on_close()

    async def _send(self, letter: Letter, key: str, by: _Times) -> SendResult:
        async def dial() -> Connection:
            return await connect(self._egress, self._account, self._password, by.dot, self._cancellation)

        connection = await self._pool.take_idle() or await self._pool.take_new(by.dot, dial)
        self._connection = connection
        is_used = connection.mails > 0
        try:
            return await self._deliver(connection, letter, key, by)
        except (Refused, Lost) as failure:
            if not is_used or connection.committed or not _is_stale(failure):
                raise
            self._drop()
        self._connection = connection = await self._pool.take_new(by.dot, dial)
        return await self._deliver(connection, letter, key, by)

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

    def _release(self) -> Connection | None:
        connection, self._connection = self._connection, None
        return connection

    def _drop(self) -> None:
        if (connection := self._release()) is not None:
            self._pool.gone(connection)


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
