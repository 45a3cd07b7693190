"""The factory of the Aliyun SMS channel."""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

from postroad.egress import Egress
from postroad.foundation.ids import uuid7
from postroad.providerkit import schemas
from postroad.providerkit.stand_in import proven_by_an_answer
from postroad.providers.aliyun_sms.calls import Calls, Credentials
from postroad.providers.aliyun_sms.config import place_problems, read_account
from postroad.providers.aliyun_sms.message import SmsMessage
from postroad.providers.aliyun_sms.session import Manner, SmsSession
from postroad.spi import (
    Capabilities,
    CommitPoint,
    ConcurrencyMode,
    ConfigDocument,
    ConnectionReport,
    OpenContext,
    Price,
    Problem,
    Proof,
    ProviderDescriptor,
    Rate,
    Renderer,
    Timeouts,
    Verdict,
)
from postroad.vocabulary.errors import ConfigInvalid, InvalidInput, TemplateInvalid
from postroad.vocabulary.secret import Secret

BATCH_SIZE = 100
MAX_CONCURRENCY = 64
MAX_ANSWER_BYTES = 64 * 1024


class AliyunSmsProvider:
    """`postroad.spi.ProviderFactory`. `new_nonce` makes a text that never comes twice."""

    def __init__(self, egress: Egress, new_nonce: Callable[[], str] = uuid7) -> None:
        self._egress = egress
        self._new_nonce = new_nonce

    @cached_property
    def descriptor(self) -> ProviderDescriptor:
        found = schemas.load(__package__)
        return ProviderDescriptor(
            provider_id="aliyun_sms",
            title="Aliyun SMS",
            category="sms",
            description="Text messages by approved templates of Alibaba Cloud.",
            icon="aliyun",
            version="1.0.0",
            account_schema=found.account.content,
            message_schema=found.message.content,
            recipient_schema=found.recipient.content,
            ui_schema=found.ui,
            commit_point=CommitPoint.FIRST_REQUEST_BYTE,
            capabilities=Capabilities(batch_size=BATCH_SIZE),
            concurrency_mode=ConcurrencyMode.THREAD_SAFE,
            max_concurrency=MAX_CONCURRENCY,
            default_rate=Rate(100, 1.0),
            currency="CNY",
            timeouts=Timeouts(connect_s=5.0, send_s=20.0),
        )

    def validate_account(self, account: ConfigDocument) -> list[Problem]:
        if problems := schemas.load(__package__).account.problems(account.value()):
            return problems
        try:
            read_account(account)
        except ConfigInvalid as error:
            return [Problem(error.field, error.message)]
        return []

    def validate_message(self, account: ConfigDocument, message: ConfigDocument) -> list[Problem]:
        value = message.value()
        if problems := schemas.load(__package__).message.problems(value) or place_problems(value):
            return problems
        if self.validate_account(account):
            return []
        try:
            self.compile(account, message)
        except InvalidInput as error:
            return [Problem(error.field, error.message, error.code)]
        return []

    def capabilities_for(self, account: ConfigDocument, message: ConfigDocument) -> Capabilities:
        """Batches only where the message asks for them."""
        del account
        is_batched = message.value().get("batch", False)
        return replace(self.descriptor.capabilities, batch_size=BATCH_SIZE if is_batched else 1)

    def price_for(self, account: ConfigDocument) -> Price | None:
        known = read_account(account)
        return None if known.price_per_part is None else Price(known.price_per_part, known.currency)

    def endpoints(self, account: ConfigDocument, message: ConfigDocument) -> tuple[str, ...]:
        """Only a test's stand-in: the vendor's own host is public and needs no leave."""
        del message
        inside = read_account(account).stand_in
        return (inside.address,) if inside is not None else ()

    def compile(self, account: ConfigDocument, message: ConfigDocument) -> Renderer:
        """Raises TemplateInvalid or ConfigInvalid."""
        value = message.value()
        if problems := place_problems(value):
            raise TemplateInvalid(f"{problems[0].field}: {problems[0].message}", field=problems[0].field)
        return SmsMessage(value, self.price_for(account))

    async def open(self, context: OpenContext) -> SmsSession:
        """Raises SecretMissing. Opens no connection. A check of the connection needs no message."""
        calls, hidden = self._calls(context)
        value = context.message.value()
        manner = Manner(
            template_code=value.get("templateCode", ""),
            extend_code=value.get("smsUpExtendCode", ""),
            is_batched=value.get("batch", False),
            retry_when_busy=read_account(context.account).retry_when_busy,
        )
        transport = self._egress.transport(
            connections=max(1, min(context.concurrency, MAX_CONCURRENCY)),
            connect_timeout_s=self.descriptor.timeouts.connect_s,
            max_answer_bytes=MAX_ANSWER_BYTES,
            tls=None,
        )
        return SmsSession(transport, calls, manner, context.clock, hidden=hidden)

    async def check_connection(self, context: OpenContext) -> ConnectionReport:
        """Asks for the messages of a number nobody has, which proves key and signature."""
        session = await self.open(context)
        try:
            result = await session.exchange(self._calls(context)[0].query_nothing(), self.descriptor.timeouts.send_s)
        finally:
            await session.aclose()
        if result.verdict is Verdict.ACCEPTED:
            return ConnectionReport(
                True,
                "Aliyun took our key and signature; nothing was sent",
                proved=proven_by_an_answer(read_account(context.account).stand_in),
                not_proved=(Proof.TEMPLATE, Proof.QUOTA),
            )
        category = "" if result.category is None else str(result.category)
        return ConnectionReport(False, f"{result.summary} ({result.code})", category)

    def _calls(self, context: OpenContext) -> tuple[Calls, list[Secret]]:
        account = read_account(context.account)
        secret = context.secrets.resolve(account.key_secret)
        token = context.secrets.resolve(account.security_token) if account.security_token else None
        credentials = Credentials(account.access_key_id, secret, token)
        calls = Calls(account.target, credentials, context.clock, self._new_nonce)
        return calls, [secret] if token is None else [secret, token]
