"""The error tree. Each error has a stable code, a kind that entrypoints map once, and a message with a way out."""

from enum import StrEnum


class Kind(StrEnum):
    INVALID = "invalid"
    DENIED = "denied"
    MISSING = "missing"
    CONFLICT = "conflict"
    STALE = "stale"
    BUSY = "busy"
    UNAVAILABLE = "unavailable"
    BUG = "bug"


class PostroadError(Exception):
    """Base of every error a caller may meet.

    `message` names the field, the shape of the value and what to do; it never holds a secret. `field` is a dotted
    path or empty; `row` is the number a spreadsheet shows, or None. `retry_after_s` is advice, not a promise.
    """

    code = "INTERNAL"
    kind = Kind.BUG

    def __init__(
        self, message: str, *, field: str = "", row: int | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.row = row
        self.retry_after_s = retry_after_s


class InvalidInput(PostroadError):
    """What was given cannot be used: a file, a template, a field, a policy, a flag."""

    code = "INVALID_INPUT"
    kind = Kind.INVALID


class ConfigInvalid(InvalidInput):
    """A job, an account, a message, a policy or a file of settings is not what its schema asks for."""

    code = "CONFIG_INVALID"


class TemplateInvalid(InvalidInput):
    """A template cannot be compiled, or it asks for something that templates may not do."""

    code = "TEMPLATE_INVALID"


class AudienceInvalid(InvalidInput):
    """A spreadsheet or a query cannot be read as recipients."""

    code = "AUDIENCE_INVALID"


class SecretMissing(InvalidInput):
    """A secret that the job names is neither in the environment nor in the secrets file."""

    code = "SECRET_MISSING"


class KeysUnusable(PostroadError):
    """The key ring is missing, others may read it, or it is not the one the stored secrets need."""

    code = "KEYS_UNUSABLE"
    kind = Kind.UNAVAILABLE


class SecretUnreadable(PostroadError):
    """A stored secret is not what was once stored there: it was changed, cut or put into another record."""

    code = "SECRET_UNREADABLE"
    kind = Kind.UNAVAILABLE


class ProviderUnknown(InvalidInput):
    """No provider of this name is installed."""

    code = "PROVIDER_UNKNOWN"


class EgressDenied(PostroadError):
    """The address policy refuses the target. The message names the rule, never what answered there."""

    code = "EGRESS_DENIED"
    kind = Kind.DENIED


class EgressFailed(PostroadError):
    """The remote could not be reached, or the connection to it broke."""

    code = "EGRESS_FAILED"
    kind = Kind.UNAVAILABLE


class AlreadyRunning(PostroadError):
    """Somebody else holds the journal or the folder."""

    code = "ALREADY_RUNNING"
    kind = Kind.BUSY


class SendConflict(PostroadError):
    """The folder or the confirmation does not belong to this send."""

    code = "SEND_CONFLICT"
    kind = Kind.CONFLICT


class StartRefused(PostroadError):
    """A run could not begin because something it needs would not open: the provider's session, a source, a sink."""

    code = "START_REFUSED"
    kind = Kind.UNAVAILABLE


class CommandRefused(PostroadError):
    """A run cannot do this in the state it is in."""

    code = "COMMAND_REFUSED"
    kind = Kind.CONFLICT


class JournalBroken(PostroadError):
    """The journal cannot be written or trusted; nothing more is dispatched."""

    code = "JOURNAL_BROKEN"
    kind = Kind.UNAVAILABLE


class StorageFull(JournalBroken):
    """The disk is full. What was sent is known; make room and resume."""

    code = "STORAGE_FULL"


class StorageFailed(PostroadError):
    """A file cannot be written, and what stood in its place still does. See to the disk and resume."""

    code = "STORAGE_FAILED"
    kind = Kind.UNAVAILABLE


class AccountingBroken(PostroadError):
    """The five outcomes do not add up to the total: a bug that must never be reported as an end."""

    code = "ACCOUNTING_BROKEN"
