"""Choosing a password: by somebody signed in who knows the old one, or with a link.

The hash is computed outside any transaction; the transaction compares again. A new password ends the other sessions.
"""

from dataclasses import dataclass, replace

from postroad.kernel.authz import ANONYMOUS, Principal, PrincipalKind
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.identity.commands.sessions import signed_in_user
from postroad.modules.identity.commands.users import save_user
from postroad.modules.identity.model import CodePurpose, User, UserStatus
from postroad.modules.identity.parts.codes import LONGEST_CODE, wrong_code
from postroad.modules.identity.parts.doorway import Doorway, Origin, as_oneself
from postroad.modules.identity.parts.passwords import password_problem
from postroad.modules.identity.parts.throttle import take_code_try, take_password_try
from postroad.modules.identity.parts.token_text import digest_of
from postroad.modules.identity.store import codes, sessions, users
from postroad.vocabulary.refusals import AccessDenied, AuthenticationRequired, ValidationFailed
from postroad.vocabulary.secret import Secret


@dataclass(frozen=True, slots=True)
class ChangePassword:
    current: Secret
    new: Secret


@dataclass(frozen=True, slots=True)
class RedeemPasswordLink:
    code: Secret
    password: Secret


def change_password(door: Doorway, principal: Principal, ask: ChangePassword, origin: Origin) -> User:
    """Raises ValidationFailed for a wrong old or an unfit new password, RateLimited, AuthenticationRequired."""
    take_password_try(door.limiter, principal.user_id or principal.actor)
    row = door.database.read(principal, _own_row)
    if not door.passwords.is_right(row.password_hash, ask.current):
        raise ValidationFailed.of("currentPassword", "PASSWORD_WRONG", "the current password is not right")
    fresh = hashed(door, ask.new, row.user.username, "newPassword")

    def write(uow: UnitOfWork) -> User:
        signed_in_user(uow)
        return _set(uow, row, fresh, keep_session=principal.session_id)

    return door.database.write(
        principal, write, correlation_id=origin.correlation_id, source_address=origin.source_address
    )


def redeem_password_link(door: Doorway, ask: RedeemPasswordLink, origin: Origin) -> User:
    """Sets the password of the user the link was made for, once. Raises ValidationFailed, RateLimited."""
    take_code_try(door.limiter, origin.source_address)
    if len(ask.code.reveal()) > LONGEST_CODE:
        raise wrong_code()
    digest = digest_of(ask.code.reveal())
    row = door.database.read(ANONYMOUS, lambda reading: _linked(reading, digest))
    fresh = hashed(door, ask.password, row.user.username, "password")

    def write(uow: UnitOfWork) -> User:
        code = codes.find_open(uow.connection, CodePurpose.PASSWORD, digest, uow.now_ms)
        if code is None or not codes.consume(uow.connection, code.id, uow.now_ms):
            raise wrong_code()
        return _set(uow, row, fresh, keep_session="")

    return door.database.write(
        as_oneself(row.user), write, correlation_id=origin.correlation_id, source_address=origin.source_address
    )


def hashed(door: Doorway, password: Secret, username: str, path: str) -> str:
    """Raises ValidationFailed for a password that may not be one."""
    problem = password_problem(password, username, path)
    if problem is not None:
        raise ValidationFailed(problem.message, problems=(problem,))
    return door.passwords.hash(password)


def _set(uow: UnitOfWork, verified: users.SignInRow, fresh_hash: str, *, keep_session: str) -> User:
    row = users.lock(uow.connection, verified.user.id)
    if row is None or row.user.status is not UserStatus.ACTIVE or row.password_hash != verified.password_hash:
        raise ValidationFailed.of("currentPassword", "PASSWORD_CHANGED", "the password was changed meanwhile")
    users.set_password(uow.connection, row.user.id, fresh_hash)
    codes.close_open(uow.connection, CodePurpose.PASSWORD, uow.now_ms, row.user.id)
    ended = sessions.revoke_all(uow.connection, row.user.id, uow.now_ms, but=keep_session)
    after = replace(row.user, has_password=True)
    return save_user(uow, row.user, after, "password", {"endedSessions": ended}, always=True)


def _own_row(reading: Reading) -> users.SignInRow:
    if reading.principal.kind is PrincipalKind.TOKEN:
        raise AccessDenied("a token cannot do this; sign in", action="password", resource_type="user")
    row = users.find_row(reading.connection, reading.principal.user_id)
    if row is None:
        raise AuthenticationRequired("sign in first")
    return row


def _linked(reading: Reading, digest: str) -> users.SignInRow:
    code = codes.find_open(reading.connection, CodePurpose.PASSWORD, digest, reading.now_ms)
    row = users.find_row(reading.connection, code.user_id) if code and code.user_id else None
    if row is None:
        raise wrong_code()
    return row
