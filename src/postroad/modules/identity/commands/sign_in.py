"""Signing in with a password.

Read the user, compute the hash outside any transaction, then compare again and begin the session in one transaction.
Unknown, disabled and mistaken are answered alike and take the same steps: one read, one hash, one write of the audit.
What was typed as a name is not written down when nobody has it: people type passwords there.
"""

from dataclasses import dataclass

from postroad.kernel.authz import ANONYMOUS, Resource
from postroad.kernel.uow import UnitOfWork
from postroad.modules.identity.model import Session, SessionTimes, SignedIn, UserStatus
from postroad.modules.identity.parts.codes import new_secret
from postroad.modules.identity.parts.doorway import Doorway, Origin, as_oneself
from postroad.modules.identity.parts.names import looked_up
from postroad.modules.identity.parts.throttle import take_try
from postroad.modules.identity.parts.token_text import digest_of
from postroad.modules.identity.store import sessions, users
from postroad.vocabulary.refusals import AuthenticationRequired
from postroad.vocabulary.secret import Secret

_LONGEST_NAME_TYPED = 256
_USER_AGENT_LONGEST = 200


@dataclass(frozen=True, slots=True)
class SignIn:
    username: str
    password: Secret


def sign_in(door: Doorway, ask: SignIn, origin: Origin) -> SignedIn:
    """Begins a session. Raises AuthenticationRequired, RateLimited, Overloaded. Blocks for a hash."""
    key = looked_up(ask.username[:_LONGEST_NAME_TYPED])
    take_try(door.limiter, key, origin.source_address)
    row = door.database.read(ANONYMOUS, lambda reading: users.find_by_key(reading.connection, key))
    is_right = door.passwords.is_right(row.password_hash if row else None, ask.password)
    if row is None or row.password_hash is None or not is_right or row.user.status is not UserStatus.ACTIVE:
        user_id = row.user.id if row else ""
        door.database.write(
            ANONYMOUS,
            lambda uow: uow.audit("session.create", Resource("", "user", user_id), result="FAILED"),
            correlation_id=origin.correlation_id,
            source_address=origin.source_address,
        )
        raise _wrong()
    fresh = door.passwords.hash(ask.password) if door.passwords.is_outdated(row.password_hash) else None
    return door.database.write(
        as_oneself(row.user),
        lambda uow: _begin(uow, row, _Beginning(door.times, new_secret(door.entropy), origin, fresh)),
        correlation_id=origin.correlation_id,
        source_address=origin.source_address,
    )


@dataclass(frozen=True, slots=True)
class _Beginning:
    times: SessionTimes
    secret: str
    origin: Origin
    fresh_hash: str | None


def _begin(uow: UnitOfWork, verified: users.SignInRow, beginning: _Beginning) -> SignedIn:
    row = users.lock(uow.connection, verified.user.id)
    if row is None or row.user.status is not UserStatus.ACTIVE or row.password_hash != verified.password_hash:
        raise _wrong()
    if beginning.fresh_hash is not None:
        users.set_password(uow.connection, row.user.id, beginning.fresh_hash)
    session = Session(
        id=uow.new_id(),
        user_id=row.user.id,
        created_at_ms=uow.now_ms,
        last_seen_at_ms=uow.now_ms,
        expires_at_ms=uow.now_ms + beginning.times.absolute_ms,
        source_address=beginning.origin.source_address,
        user_agent=beginning.origin.user_agent[:_USER_AGENT_LONGEST],
        is_current=True,
    )
    sessions.add(uow.connection, session, digest_of(beginning.secret))
    users.note_sign_in(uow.connection, row.user.id, uow.now_ms)
    uow.audit("session.create", Resource("", "user", row.user.id), details={"sessionId": session.id})
    return SignedIn(Secret(beginning.secret), session, row.user)


def _wrong() -> AuthenticationRequired:
    return AuthenticationRequired("the username or the password is wrong")
