"""Users, members, sessions and tokens as values. Pure: they decide and do not do."""

from dataclasses import dataclass
from enum import StrEnum

from postroad.vocabulary.roles import Role
from postroad.vocabulary.secret import Secret

DAY_MS = 86_400_000
TOKEN_NAME_LONGEST = 120
TOKEN_DAYS, TOKEN_DAYS_MOST = 90, 366
TOKENS_PER_USER = 20
OPEN_FAILURES_MOST, OPEN_FAILURES_WITHIN_MS = 10, 3_600_000
"""So many refused calls of the open API within so long disable a token."""
TOKEN_WARNING_MS = 14 * DAY_MS
SETUP_CODE_MS = DAY_MS
PASSWORD_LINK_MS = 3 * DAY_MS


class UserStatus(StrEnum):
    ACTIVE = "ACTIVE"
    DISABLED = "DISABLED"
    """May not sign in, and nothing that was issued to the user is valid."""


class TokenStatus(StrEnum):
    ACTIVE = "ACTIVE"
    EXPIRED = "EXPIRED"
    REVOKED = "REVOKED"
    DISABLED = "DISABLED"
    """By the service, after too many refused calls of the open API; its owner can enable it again."""


class CodePurpose(StrEnum):
    SETUP = "SETUP"
    """Makes the first administrator."""
    PASSWORD = "PASSWORD"  # noqa: S105  (identity: a purpose by this name, no password; until 2027-12-31)
    """Lets one user choose a password."""


@dataclass(frozen=True, slots=True)
class SessionTimes:
    """How long a sign-in lasts: unused, and at most."""

    idle_ms: int = 12 * 3_600_000
    absolute_ms: int = 7 * DAY_MS


@dataclass(frozen=True, slots=True)
class User:
    id: str
    username: str
    display_name: str
    status: UserStatus
    system_admin: bool
    has_password: bool
    external_subject: str | None
    last_sign_in_at_ms: int | None
    version: int
    created_at_ms: int
    updated_at_ms: int

    @property
    def head(self) -> dict[str, object]:
        """What somebody with a stale version is told of the present one."""
        return {"updatedAtMs": self.updated_at_ms, "status": self.status.value}


@dataclass(frozen=True, slots=True)
class Member:
    """One user's role in one workspace. `id` and `version` are the binding's; the user's id names it outside."""

    id: str
    workspace_id: str
    user_id: str
    username: str
    display_name: str
    status: UserStatus
    role: Role
    version: int
    created_at_ms: int
    updated_at_ms: int

    @property
    def head(self) -> dict[str, object]:
        """What somebody with a stale version is told of the present one."""
        return {"updatedAtMs": self.updated_at_ms, "role": self.role.value}


@dataclass(frozen=True, slots=True)
class Session:
    id: str
    user_id: str
    created_at_ms: int
    last_seen_at_ms: int
    """To the minute: not every request is written down."""
    expires_at_ms: int
    """At the latest; unused it ends earlier."""
    source_address: str
    user_agent: str
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class Token:
    id: str
    workspace_id: str
    user_id: str
    username: str
    name: str
    shown: str
    """The first twelve characters; the rest was shown once."""
    scopes: tuple[str, ...]
    expires_at_ms: int
    last_used_at_ms: int | None
    """To the minute: not every request is written down."""
    revoked_at_ms: int | None
    disabled_at_ms: int | None
    version: int
    created_at_ms: int
    updated_at_ms: int

    def status(self, now_ms: int) -> TokenStatus:
        if self.revoked_at_ms is not None:
            return TokenStatus.REVOKED
        if now_ms >= self.expires_at_ms:
            return TokenStatus.EXPIRED
        return TokenStatus.ACTIVE if self.disabled_at_ms is None else TokenStatus.DISABLED

    def expires_soon(self, now_ms: int) -> bool:
        """Whether somebody should see to a new one: valid, and within two weeks of its end."""
        return self.status(now_ms) is TokenStatus.ACTIVE and self.expires_at_ms - now_ms <= TOKEN_WARNING_MS


@dataclass(frozen=True, slots=True)
class UserFilter:
    name: str | None = None
    """A part of the username or of the name that is shown."""
    status: str | None = None


@dataclass(frozen=True, slots=True)
class TokenFilter:
    user_id: str | None = None
    name: str | None = None
    status: TokenStatus | None = None


@dataclass(frozen=True, slots=True)
class SignedIn:
    """What a successful sign-in hands out. `secret` is shown once and kept as a digest only."""

    secret: Secret
    session: Session
    user: User


@dataclass(frozen=True, slots=True)
class IssuedToken:
    secret: Secret
    token: Token


@dataclass(frozen=True, slots=True)
class OneTimeCode:
    """A code to hand to a person, valid once and not for long."""

    secret: Secret
    expires_at_ms: int
