"""The SMTP channel as the engine meets it: what it says about itself, how it checks, compiles and opens."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from postroad.egress import Egress
from postroad.providerkit import schemas
from postroad.providerkit.masking import masked
from postroad.providers.smtp import results
from postroad.providers.smtp.config import account_problems, read_account
from postroad.providers.smtp.connecting import connect
from postroad.providers.smtp.mail.attachments import AttachmentFolder
from postroad.providers.smtp.mail.composing import LetterRenderer
from postroad.providers.smtp.pool import Pool
from postroad.providers.smtp.session import SmtpSession, spellings
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
from postroad.vocabulary.errors import ConfigInvalid, TemplateInvalid

_SCHEMAS = schemas.load(__package__)

DESCRIPTOR = ProviderDescriptor(
    provider_id="smtp",
    title="E-mail (SMTP)",
    category="email",
    description="Sends one mail per recipient through a mail server, with text, HTML and attachments.",
    icon="mail",
    version="1.0.0",
    account_schema=_SCHEMAS.account.content,
    message_schema=_SCHEMAS.message.content,
    recipient_schema=_SCHEMAS.recipient.content,
    ui_schema=_SCHEMAS.ui,
    commit_point=CommitPoint.FINAL_DOT,
    capabilities=Capabilities(attachments=True),
    concurrency_mode=ConcurrencyMode.SESSION_PER_WORKER,
    max_concurrency=50,
    default_rate=Rate(10, 1.0),
    timeouts=Timeouts(connect_s=10.0, send_s=300.0),
)


CHECK_S = 60.0
"""How long a connection check may take."""


class SmtpProvider:
    """`files` is the folder below which attachments lie; without it a message with attachments is refused."""

    def __init__(self, egress: Egress, *, files: Path | None = None) -> None:
        self._egress = egress
        self._folder = AttachmentFolder(files)
        self._open_sessions: Counter[bytes] = Counter()
        self._shared: dict[tuple[bytes, int], _Shared] = {}

    def with_files(self, folder: Path) -> "SmtpProvider":
        return SmtpProvider(self._egress, files=folder)

    @property
    def descriptor(self) -> ProviderDescriptor:
        return DESCRIPTOR

    def validate_account(self, account: ConfigDocument) -> list[Problem]:
        value = account.value()
        return _SCHEMAS.account.problems(value) or account_problems(value)

    def validate_message(self, account: ConfigDocument, message: ConfigDocument) -> list[Problem]:
        """Compiles the message too, so fixed attachments are looked at."""
        problems = _SCHEMAS.message.problems(message.value())
        if problems:
            return problems
        try:
            self.compile(account, message)
        except (TemplateInvalid, ConfigInvalid) as invalid:
            return [Problem(invalid.field, invalid.message, invalid.code)]
        return []

    def endpoints(self, account: ConfigDocument, message: ConfigDocument) -> tuple[str, ...]:
        del message
        read = read_account(account)
        return (f"[{read.host}]:{read.port}" if ":" in read.host else f"{read.host}:{read.port}",)

    def compile(self, account: ConfigDocument, message: ConfigDocument) -> LetterRenderer:
        default_sender = account.value().get("from", "")
        return LetterRenderer(message.value(), default_sender if isinstance(default_sender, str) else "", self._folder)

    def concurrency_limit(self, account: ConfigDocument) -> int:
        """How many connections the account allows at once."""
        return read_account(account).max_connections or DESCRIPTOR.max_concurrency

    async def check_connection(self, context: OpenContext) -> ConnectionReport:
        """Connects, encrypts and logs in as a run would, then says QUIT."""
        account = read_account(context.account)
        password = context.secrets.resolve(account.password) if account.password else None
        deadline = asyncio.get_running_loop().time() + CHECK_S
        try:
            connection = await connect(self._egress, account, password, deadline, context.cancellation)
        except results.FAILURES as failure:
            result = results.failed(failure, committed=False, account=account)
            summary = masked(result.summary, spellings(account.username, password))
            return ConnectionReport(False, summary, str(result.category or ""))
        offered = ", ".join(sorted(connection.offers.keywords)) or "no extensions"
        await connection.close()
        login = f"logged in as {account.username}" if password is not None else "without a login"
        proved = [Proof.CONNECTION]
        proved += [Proof.ENCRYPTION] if account.security != "none" else []
        proved += [Proof.CREDENTIALS] if password is not None else []
        return ConnectionReport(
            True,
            f"{account.host}:{account.port} answers ({account.security}, {login}); offers {offered}",
            proved=tuple(proved),
            not_proved=(Proof.QUOTA,),
        )

    async def open(self, context: OpenContext) -> SmtpSession:
        """Connects with the first mail. Raises ConfigInvalid past the account's connections, SecretMissing."""
        account = read_account(context.account)
        password = context.secrets.resolve(account.password) if account.password else None
        key, most = context.account.canonical, account.max_connections
        if most is not None and max(context.concurrency, self._open_sessions[key] + 1) > most:
            raise ConfigInvalid(
                f"concurrency: the account allows {most} connection(s) at once (maxConnections), and more are asked "
                f"for; set the job's concurrency to {most} or raise maxConnections",
                field="concurrency",
            )
        self._open_sessions[key] += 1
        run = (key, id(context.cancellation))
        shared = self._shared.get(run)
        if shared is None:
            pool = Pool(context.cancellation, max_mails=account.max_mails_per_connection, max_idle_s=account.max_idle_s)
            shared = self._shared[run] = _Shared(pool)
        shared.sessions += 1

        async def leave() -> None:
            self._open_sessions[key] -= 1
            shared.sessions -= 1
            if not shared.sessions:
                self._shared.pop(run, None)
                await shared.pool.aclose()

        return SmtpSession(self._egress, account, password, context=context, pool=shared.pool, on_close=leave)


@dataclass(slots=True)
class _Shared:
    """The connections of one run, for as long as one of its sessions is open."""

    pool: Pool
    sessions: int = 0
