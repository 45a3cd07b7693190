"""The factory of the Feishu robot channel."""

from functools import cached_property

from postroad.egress import Egress
from postroad.providerkit import schemas
from postroad.providerkit.stand_in import proven_by_an_answer
from postroad.providers.feishu.codes import HARMLESS_REFUSALS
from postroad.providers.feishu.config import content_problems, find_robot, read_account
from postroad.providers.feishu.message import RobotMessage
from postroad.providers.feishu.session import RobotSession
from postroad.spi import (
    CommitPoint,
    ConcurrencyMode,
    ConfigDocument,
    ConnectionReport,
    OpenContext,
    Problem,
    Proof,
    ProviderDescriptor,
    Rate,
    RateLimit,
    RateScope,
    Renderer,
    Timeouts,
    Verdict,
)
from postroad.vocabulary.errors import ConfigInvalid, InvalidInput, TemplateInvalid

MAX_CONCURRENCY = 10
"""Five messages a second need no more, even where each takes two seconds."""
MAX_ANSWER_BYTES = 64 * 1024
_PROBE = b'{"msg_type":"none"}'
"""A message that is none: a robot that takes our address and signature refuses it."""


class FeishuProvider:
    """`postroad.spi.ProviderFactory`."""

    def __init__(self, egress: Egress) -> None:
        self._egress = egress

    @cached_property
    def descriptor(self) -> ProviderDescriptor:
        found = schemas.load(__package__)
        return ProviderDescriptor(
            provider_id="feishu",
            title="Feishu / Lark robot",
            category="chat",
            description="Messages to a group through its custom robot.",
            icon="feishu",
            version="1.0.0",
            account_schema=found.account.content,
            message_schema=found.message.content,
            recipient_schema=found.recipient.content,
            ui_schema=found.ui,
            commit_point=CommitPoint.FIRST_REQUEST_BYTE,
            concurrency_mode=ConcurrencyMode.THREAD_SAFE,
            max_concurrency=MAX_CONCURRENCY,
            limits=(RateLimit(RateScope.ACCOUNT, Rate(5, 1.0)), RateLimit(RateScope.ACCOUNT, Rate(100, 60.0))),
            timeouts=Timeouts(connect_s=5.0, send_s=15.0),
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
        problems = schemas.load(__package__).message.problems(value) + content_problems(value)
        if problems or self.validate_account(account):
            return problems
        try:
            self.compile(account, message)
        except InvalidInput as error:
            return [Problem(error.field, error.message, error.code)]
        return []

    def endpoints(self, account: ConfigDocument, message: ConfigDocument) -> tuple[str, ...]:
        """Only a test's stand-in: the vendor's own hosts are public and need no leave."""
        del message
        inside = read_account(account).stand_in
        return (inside.address,) if inside is not None else ()

    def compile(self, account: ConfigDocument, message: ConfigDocument) -> Renderer:
        """Raises TemplateInvalid or ConfigInvalid."""
        value, known = message.value(), read_account(account)
        if problems := content_problems(value):
            raise TemplateInvalid(f"{problems[0].field}: {problems[0].message}", field=problems[0].field)
        inside = known.stand_in
        where = inside.address if inside is not None else f"the address in secret {known.webhook!r}"
        return RobotMessage(value, is_signed=bool(known.sign_secret), where=where)

    async def open(self, context: OpenContext) -> RobotSession:
        """Raises SecretMissing, or ConfigInvalid where the secret holds no robot's address. Opens no connection."""
        account = read_account(context.account)
        robot = find_robot(account, context.secrets.resolve(account.webhook))
        sign_secret = context.secrets.resolve(account.sign_secret) if account.sign_secret else None
        transport = self._egress.transport(
            connections=max(1, min(context.concurrency, MAX_CONCURRENCY)),
            connect_timeout_s=self.descriptor.timeouts.connect_s,
            max_answer_bytes=MAX_ANSWER_BYTES,
            tls=None,
        )
        return RobotSession(transport, robot, sign_secret, context.clock)

    async def check_connection(self, context: OpenContext) -> ConnectionReport:
        """Posts a message of no known kind, which the robot refuses after it has looked at address and signature."""
        session = await self.open(context)
        try:
            result = await session.post(_PROBE, self.descriptor.timeouts.send_s)
        finally:
            await session.aclose()
        if result.verdict is Verdict.ACCEPTED or result.code in HARMLESS_REFUSALS:
            return ConnectionReport(
                True,
                "the robot answered and took our address and signature; nothing was posted",
                proved=proven_by_an_answer(read_account(context.account).stand_in),
                not_proved=(Proof.QUOTA,),
            )
        category = "" if result.category is None else str(result.category)
        return ConnectionReport(False, f"{result.summary} ({result.code})", category)
