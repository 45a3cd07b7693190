"""One run's way to the service: a connection pool, a head made once, one request and one verdict per item."""

from collections.abc import Sequence

from postroad.egress import HttpTransport, RequestShape, encode_headers
from postroad.providers.http.auth import Auth
from postroad.providers.http.codes import Judge
from postroad.providers.http.config import Account
from postroad.providers.http.rendering import Wire
from postroad.spi import SendRequest, SendResult, Verdict


class HttpSession:
    """Serves any number of sends at once."""

    def __init__(
        self, transport: HttpTransport, shape: RequestShape, judge: Judge, auth: Auth, account: Account
    ) -> None:
        self._transport = transport
        self._shape = shape
        self._judge = judge
        self._signer = auth.signer
        self._idempotency_header = account.idempotency_header
        self._changes_per_attempt = auth.signer is not None or bool(account.idempotency_header)
        self._good = judge.good

    async def send(self, request: SendRequest) -> SendResult:
        wire = request.rendered.content
        assert isinstance(wire, Wire)
        extra = wire.extra + self._own_headers(request, wire) if self._changes_per_attempt else wire.extra
        made = self._shape.request(wire.path, wire.body, extra)
        answer = await self._transport.exchange(made, request.timeout_s)
        if answer.fault is None and (code := self._good.get(answer.status)) is not None:
            return SendResult(Verdict.ACCEPTED, None, code)
        return self._judge.judge(answer)

    async def send_batch(self, requests: Sequence[SendRequest]) -> Sequence[SendResult]:
        """One by one: HTTP has no batch."""
        return [await self.send(request) for request in requests]

    async def aclose(self) -> None:
        await self._transport.aclose()

    def _own_headers(self, request: SendRequest, wire: Wire) -> bytes:
        signed = self._signer.headers(wire.body) if self._signer is not None else b""
        if not self._idempotency_header:
            return signed
        return signed + encode_headers([(self._idempotency_header, request.idempotency_key)])
