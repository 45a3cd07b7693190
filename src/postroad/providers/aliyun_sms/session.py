"""One open account: one signed call per message, or one per batch of up to 100. Any number of calls at once."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from postroad.egress import HttpTransport, WireRequest
from postroad.providers.aliyun_sms.answers import read_answer
from postroad.providers.aliyun_sms.calls import Calls
from postroad.providers.aliyun_sms.codes import NUMBER_LIMIT
from postroad.providers.aliyun_sms.message import Sms
from postroad.spi import SendRequest, SendResult
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.secret import Secret


@dataclass(frozen=True, slots=True)
class Manner:
    """What the configuration fixes for every message of the run."""

    template_code: str
    extend_code: str
    is_batched: bool
    retry_when_busy: bool


class SmsSession:
    """`postroad.spi.ProviderSession`. Owns its transport."""

    def __init__(
        self, transport: HttpTransport, calls: Calls, manner: Manner, clock: Clock, *, hidden: Sequence[Secret]
    ) -> None:
        self._transport = transport
        self._calls = calls
        self._manner = manner
        self._clock = clock
        self._hidden = hidden

    async def send(self, request: SendRequest) -> SendResult:
        manner = self._manner
        call = self._calls.send_sms(_sms(request), manner.template_code, request.idempotency_key, manner.extend_code)
        return _about(request, await self.exchange(call, request.timeout_s))

    async def send_batch(self, requests: Sequence[SendRequest]) -> Sequence[SendResult]:
        """The vendor takes or refuses a batch as a whole and answers once: each item gets that answer as its own.

        A refusal for one bad number does not say which it was, so it is not held against the other numbers.
        """
        manner = self._manner
        if not manner.is_batched or len(requests) == 1:
            return await asyncio.gather(*(self.send(request) for request in requests))
        messages = [_sms(request) for request in requests]
        key = requests[0].idempotency_key
        call = self._calls.send_batch(messages, manner.template_code, key, manner.extend_code)
        whole = await self.exchange(call, min(request.timeout_s for request in requests))
        if whole.category is Category.RECIPIENT_INVALID:
            whole.category = Category.INVALID_REQUEST
            whole.summary = f"one of the {len(requests)} numbers of this call was refused, so all were; send unbatched"
        return [_about(request, replace(whole)) for request in requests]

    async def exchange(self, call: WireRequest, timeout_s: float) -> SendResult:
        answer = await self._transport.exchange(call, timeout_s)
        retry_when_busy = self._manner.retry_when_busy
        return read_answer(answer, self._clock.now_ms(), self._hidden, retry_when_busy=retry_when_busy)

    async def aclose(self) -> None:
        await self._transport.aclose()


def _sms(request: SendRequest) -> Sms:
    content = request.rendered.content
    assert isinstance(content, Sms)
    return content


def _about(request: SendRequest, result: SendResult) -> SendResult:
    """A limit on one number slows that number alone."""
    if result.code == NUMBER_LIMIT:
        result.slow_keys = (f"recipient:{_sms(request).phone}",)
    return result
