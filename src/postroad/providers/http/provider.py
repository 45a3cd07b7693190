"""The HTTP channel: what it is, what it accepts, how it opens."""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

from postroad.egress import Egress, RequestShape, StreamFailed
from postroad.providerkit import schemas
from postroad.providers.http.auth import make_auth
from postroad.providers.http.codes import Judge
from postroad.providers.http.config import Account, Message, parse_account, parse_message
from postroad.providers.http.rendering import HttpRenderer, split_headers
from postroad.providers.http.session import HttpSession
from postroad.spi import (
    Capabilities,
    CommitPoint,
    ConcurrencyMode,
    ConfigDocument,
    ConnectionReport,
    OpenContext,
    Problem,
    Proof,
    ProviderDescriptor,
    Rate,
    Timeouts,
)
from postroad.vocabulary.errors import ConfigInvalid, EgressDenied, InvalidInput

_CAPABILITIES = Capabilities(response_body=True)


class HttpProvider:
    """Source: spec wepush §16."""

    def __init__(self, egress: Egress) -> None:
        self._egress = egress

    @cached_property
    def descriptor(self) -> ProviderDescriptor:
        found = schemas.load(__package__)
        return ProviderDescriptor(
            provider_id="http",
            title="HTTP",
            category="webhook",
            description="One HTTP request per recipient to a service of your own.",
            icon="globe",
            version="1.0.0",
            account_schema=found.account.content,
            message_schema=found.message.content,
            recipient_schema=found.recipient.content,
            ui_schema=found.ui,
            commit_point=CommitPoint.FIRST_REQUEST_BYTE,
            capabilities=_CAPABILITIES,
            concurrency_mode=ConcurrencyMode.THREAD_SAFE,
            default_rate=Rate(100, 1.0),
            timeouts=Timeouts(connect_s=5.0, send_s=30.0),
        )

    def capabilities_for(self, account: ConfigDocument, message: ConfigDocument) -> Capabilities:
        """A service that keeps idempotency keys says so in the account."""
        del message
        kept = _account(account).idempotency_kept_for_s
        return replace(_CAPABILITIES, idempotency=kept > 0, idempotency_kept_for_s=kept)

    def validate_account(self, account: ConfigDocument) -> list[Problem]:
        found = schemas.load(__package__).account.problems(account.value())
        return found or _problems(lambda: parse_account(account.value()))

    def validate_message(self, account: ConfigDocument, message: ConfigDocument) -> list[Problem]:
        found = schemas.load(__package__).message.problems(message.value())
        if found or self.validate_account(account):
            return found
        return _problems(lambda: self.compile(account, message))

    def endpoints(self, account: ConfigDocument, message: ConfigDocument) -> tuple[str, ...]:
        del message
        base = _account(account).base
        return (f"{base.host.bracketed}:{base.port}",)

    def compile(self, account: ConfigDocument, message: ConfigDocument) -> HttpRenderer:
        parsed = _account(account)
        return HttpRenderer(parsed, _message(parsed, message))

    async def check_connection(self, context: OpenContext) -> ConnectionReport:
        """Connects and shakes hands, and sends nothing: HTTP has no harmless request that every service knows."""
        account = _account(context.account)
        make_auth(account.auth, context.secrets, context.clock)
        base = account.base
        try:
            stream = await self._egress.open_stream(
                base.host.text,
                base.port,
                tls=account.target.is_tls,
                connect_timeout_s=account.connect_timeout_s,
                options=account.tls,
            )
        except StreamFailed as failed:
            return ConnectionReport(False, failed.message, str(failed.fault))
        except EgressDenied as denied:
            return ConnectionReport(False, denied.message, "DENIED")
        await stream.aclose()
        how = "a TLS connection" if account.target.is_tls else "a connection without TLS"
        return ConnectionReport(
            True,
            f"{account.target.authority} takes {how}; the credentials were not tried",
            proved=(Proof.CONNECTION, *((Proof.ENCRYPTION,) if account.target.is_tls else ())),
            not_proved=(Proof.CREDENTIALS,),
        )

    async def open(self, context: OpenContext) -> HttpSession:
        """Raises ConfigInvalid and SecretMissing before anything is sent."""
        account = _account(context.account)
        message = _message(account, context.message)
        auth = make_auth(account.auth, context.secrets, context.clock)
        fixed, _ = split_headers(account, message)
        shape = RequestShape(account.target, message.method, [*fixed, *auth.headers])
        transport = self._egress.transport(
            connections=context.concurrency,
            connect_timeout_s=account.connect_timeout_s,
            max_answer_bytes=message.answer_bytes,
            tls=account.tls,
        )
        return HttpSession(transport, shape, Judge(account, message, auth, context.clock), auth, account)


def _account(document: ConfigDocument) -> Account:
    value = document.value()
    _refuse(schemas.load(__package__).account.problems(value))
    return parse_account(value)


def _message(account: Account, document: ConfigDocument) -> Message:
    value = document.value()
    _refuse(schemas.load(__package__).message.problems(value))
    return parse_message(account, value)


def _refuse(problems: list[Problem]) -> None:
    if problems:
        first = problems[0]
        raise ConfigInvalid(f"{first.field}: {first.message}", field=first.field)


def _problems(action: Callable[[], object]) -> list[Problem]:
    try:
        action()
    except InvalidInput as error:
        return [Problem(error.field, error.message, error.code)]
    return []
