"""What the figures send: one audience, one message, and a provider that sends nothing.

The table has quoted cells, Chinese text, repeated keys and a header to be guessed, as tables of real life do.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import minijinja

from postroad.spi import (
    CommitPoint,
    ConcurrencyMode,
    ConfigDocument,
    ConnectionReport,
    OpenContext,
    Preview,
    Problem,
    ProviderDescriptor,
    Recipient,
    Rendered,
    SendRequest,
    SendResult,
    Verdict,
)

IN_FLIGHT = 64
TEXT = "您好 {{ name }},您在{{ city }}的订单金额 {{ amount }} 元已确认。{{ note }}"
BODY = {"to": "{{ email }}", "city": "{{ city }}", "lang": "zh-CN", "text": TEXT}
CITIES = ("北京", "上海", "广州", "深圳", "杭州")


def write_table(path: Path, rows: int) -> Path:
    """Six columns. Every fiftieth row repeats an earlier key; every row has a quoted cell with a comma inside."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("手机号,email,name,city,amount,note\r\n")
        for number in range(rows):
            key = number if number % 50 else number // 2
            file.write(
                f"{13900000000 + key},user{key}@example{number % 97}.com,张三{number % 1000},{CITIES[number % 5]},"
                f'{number % 10000}.{number % 100:02d},"hello, 您好 {number}"\r\n'
            )
    return path


class NoopSession:
    async def send(self, request: SendRequest) -> SendResult:
        return SendResult(Verdict.ACCEPTED)

    async def send_batch(self, requests: Sequence[SendRequest]) -> Sequence[SendResult]:
        return [SendResult(Verdict.ACCEPTED) for _ in requests]

    async def aclose(self) -> None:
        """Nothing is open."""


class SuspendingSession(NoopSession):
    """Waits for one turn of the loop, as a transport does."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()

    async def send(self, request: SendRequest) -> SendResult:
        answer = self._loop.create_future()
        self._loop.call_soon(answer.set_result, None)
        await answer
        return SendResult(Verdict.ACCEPTED)


class TextRenderer:
    """Renders TEXT; `keys_of` names the buckets of a recipient."""

    def __init__(self, keys_of: Callable[[Recipient], tuple[str, ...]] | None = None) -> None:
        environment = minijinja.Environment(templates={"text": TEXT}, fuel=50_000)
        self._render: Callable[..., str] = environment.render_template
        self._keys_of = keys_of

    def render(self, recipient: Recipient) -> Rendered:
        keys = () if self._keys_of is None else self._keys_of(recipient)
        return Rendered(self._render("text", **recipient.fields), keys)

    def preview(self, rendered: Rendered) -> Preview:
        return Preview("nobody", {"text": str(rendered.content)})


class NoopProvider:
    """A `ProviderFactory`; takes what a built-in provider takes, and needs none of it."""

    def __init__(
        self,
        egress: object = None,
        session: Callable[[], NoopSession] = NoopSession,
        keys_of: Callable[[Recipient], tuple[str, ...]] | None = None,
    ) -> None:
        self._session, self._keys_of = session, keys_of
        self.descriptor = ProviderDescriptor(
            "noop", "Noop", "test", "", "", "1", {}, {}, {}, CommitPoint.FIRST_REQUEST_BYTE,
            concurrency_mode=ConcurrencyMode.THREAD_SAFE,
        )  # fmt: skip

    def validate_account(self, account: ConfigDocument) -> list[Problem]:
        return []

    def validate_message(self, account: ConfigDocument, message: ConfigDocument) -> list[Problem]:
        return []

    def endpoints(self, account: ConfigDocument, message: ConfigDocument) -> tuple[str, ...]:
        return ()

    def compile(self, account: ConfigDocument, message: ConfigDocument) -> TextRenderer:
        return TextRenderer(self._keys_of)

    async def check_connection(self, context: OpenContext) -> ConnectionReport:
        return ConnectionReport(True, "nothing to reach")

    async def open(self, context: OpenContext) -> NoopSession:
        return self._session()


class Numbers:
    """A source that makes its recipients when asked."""

    def __init__(self, count: int) -> None:
        self._count, self._at = count, 0

    async def next_batch(self, limit: int) -> list[Recipient]:
        start, self._at = self._at, min(self._at + limit, self._count)
        return [self._one(sequence) for sequence in range(start, self._at)]

    def _one(self, sequence: int) -> Recipient:
        fields = {"name": "李雷", "city": "北京", "amount": "12.50", "note": f"A{sequence}"}
        return Recipient(sequence, dict(fields), sequence + 2)

    async def skip_to(self, sequence: int) -> None:
        self._at = sequence

    async def read(self, sequences: Sequence[int]) -> list[Recipient]:
        return [self._one(sequence) for sequence in sequences]

    async def aclose(self) -> None:
        """Nothing is open."""
