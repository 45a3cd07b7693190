"""One open robot: signs each attempt anew, posts it, reads the answer. Any number of sends at once."""

from collections.abc import Sequence

from postroad.egress import HttpTransport, RequestShape
from postroad.providerkit.signers import feishu as signer
from postroad.providers.feishu.answers import read_answer
from postroad.providers.feishu.config import Robot
from postroad.providers.feishu.message import signed
from postroad.spi import SendRequest, SendResult
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.secret import Secret


class RobotSession:
    """`postroad.spi.ProviderSession`. Owns its transport."""

    def __init__(self, transport: HttpTransport, robot: Robot, sign_secret: Secret | None, clock: Clock) -> None:
        self._transport = transport
        self._sign_secret = sign_secret
        self._clock = clock
        self._shape = RequestShape(robot.target, "POST", (("Content-Type", "application/json; charset=utf-8"),))
        self._path = robot.path.reveal().encode()
        token = Secret(robot.path.reveal().rsplit("/", 1)[1])
        self._hidden = [token] if sign_secret is None else [token, sign_secret]

    async def send(self, request: SendRequest) -> SendResult:
        body = request.rendered.content
        assert isinstance(body, bytes)
        return await self.post(body, request.timeout_s)

    async def post(self, body: bytes, timeout_s: float) -> SendResult:
        """Sends a JSON object with at least one field."""
        if self._sign_secret is not None:
            now_s = self._clock.now_ms() // 1000
            body = signed(body, now_s, signer.sign(now_s, self._sign_secret))
        answer = await self._transport.exchange(self._shape.request(self._path, body), timeout_s)
        return read_answer(answer, self._clock.now_ms(), self._hidden)

    async def send_batch(self, requests: Sequence[SendRequest]) -> Sequence[SendResult]:
        """There is no such call; the descriptor says so."""
        return [await self.send(request) for request in requests]

    async def aclose(self) -> None:
        await self._transport.aclose()
