"""Users, as a system administrator sees them. Nobody but the user ever knows a password: a link lets him choose one."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from postroad.kernel.authz import Action, Resource
from postroad.kernel.uow import UnitOfWork
from postroad.kernel.versions import Expected, expect
from postroad.modules.identity.commands.sessions import signed_in_user
from postroad.modules.identity.model import PASSWORD_LINK_MS, CodePurpose, OneTimeCode, User, UserStatus
from postroad.modules.identity.parts.codes import issue_code
from postroad.modules.identity.parts.doorway import SYSTEM_ENTROPY, Entropy
from postroad.modules.identity.parts.names import (
    clean_display_name,
    clean_username,
    display_name_problem,
    username_key,
    username_problem,
)
from postroad.modules.identity.store import codes, sessions, users
from postroad.vocabulary.events import Aggregate, EventName
from postroad.vocabulary.refusals import FieldProblem, ResourceNotFound, StateConflict, ValidationFailed

_SUBJECT_LONGEST = 255


@dataclass(frozen=True, slots=True)
class NewUser:
    username: str
    display_name: str = ""
    system_admin: bool = False
    external_subject: str | None = None


@dataclass(frozen=True, slots=True)
class CreatedUser:
    user: User
    link: OneTimeCode
    """With it the user chooses a password."""


@dataclass(frozen=True, slots=True)
class ChangeUser:
    """What is None stays."""

    user_id: str
    expected: Expected
    display_name: str | None = None
    status: UserStatus | None = None
    system_admin: bool | None = None


def create_user(uow: UnitOfWork, ask: NewUser, entropy: Entropy = SYSTEM_ENTROPY) -> CreatedUser:
    uow.authorize(Action.SYSTEM_ADMIN, Resource("", "user"))
    user = add_user(uow, ask, password_hash=None)
    return CreatedUser(user, issue_code(uow, CodePurpose.PASSWORD, PASSWORD_LINK_MS, entropy, user.id))


def change_user(uow: UnitOfWork, ask: ChangeUser) -> User:
    """Disabling ends all sessions; tokens sleep until the user is active again. Raises StateConflict where no active
    system administrator would be left."""
    uow.authorize(Action.SYSTEM_ADMIN, Resource("", "user", ask.user_id))
    user = _locked(uow, ask.user_id)
    expect(user.version, ask.expected, user.head)
    after = replace(
        user,
        display_name=user.display_name if ask.display_name is None else named(ask.display_name, user.username),
        status=ask.status or user.status,
        system_admin=user.system_admin if ask.system_admin is None else ask.system_admin,
    )
    _keep_one_system_admin(uow, user, after)
    if after.status is UserStatus.DISABLED and user.status is UserStatus.ACTIVE:
        sessions.revoke_all(uow.connection, user.id, uow.now_ms)
        codes.close_open(uow.connection, CodePurpose.PASSWORD, uow.now_ms, user.id)
    return save_user(uow, user, after, "change", changed_parts(user, after))


def change_own_name(uow: UnitOfWork, display_name: str, expected: Expected) -> User:
    user = _locked(uow, signed_in_user(uow))
    expect(user.version, expected, user.head)
    after = replace(user, display_name=named(display_name, user.username))
    return save_user(uow, user, after, "change", changed_parts(user, after))


def issue_password_link(uow: UnitOfWork, user_id: str, entropy: Entropy = SYSTEM_ENTROPY) -> OneTimeCode:
    """A new link; those given before are worthless. The old password is good until the link is used."""
    resource = Resource("", "user", user_id)
    uow.authorize(Action.SYSTEM_ADMIN, resource)
    user = _locked(uow, user_id)
    if user.status is not UserStatus.ACTIVE:
        raise StateConflict(f"{user.username} is disabled; enable the user first")
    codes.close_open(uow.connection, CodePurpose.PASSWORD, uow.now_ms, user_id)
    link = issue_code(uow, CodePurpose.PASSWORD, PASSWORD_LINK_MS, entropy, user_id)
    uow.audit("user.password_link", resource, details={"expiresAtMs": link.expires_at_ms})
    return link


def add_user(uow: UnitOfWork, ask: NewUser, *, password_hash: str | None) -> User:
    """Asks for no right. Raises ValidationFailed, and StateConflict where the name is taken."""
    username = clean_username(ask.username)
    display_name = clean_display_name(ask.display_name, username)
    problems = [
        problem
        for problem in (
            username_problem(username, "username"),
            display_name_problem(display_name, "displayName"),
            _subject_problem(ask.external_subject),
        )
        if problem is not None
    ]
    if problems:
        raise ValidationFailed(problems[0].message, problems=problems)
    user = User(
        id=uow.new_id(),
        username=username,
        display_name=display_name,
        status=UserStatus.ACTIVE,
        system_admin=ask.system_admin,
        has_password=password_hash is not None,
        external_subject=ask.external_subject,
        last_sign_in_at_ms=None,
        version=1,
        created_at_ms=uow.now_ms,
        updated_at_ms=uow.now_ms,
    )
    users.add(uow.connection, user, username_key(username), password_hash)
    tell_user(uow, user, "create", {"username": username, "systemAdmin": user.system_admin})
    return user


def save_user(
    uow: UnitOfWork, before: User, after: User, change: str, details: Mapping[str, object], *, always: bool = False
) -> User:
    """Saves and tells; a change that changes nothing makes no new version, unless `always`."""
    if after == before and not always:
        return before
    after = replace(after, version=before.version + 1, updated_at_ms=uow.now_ms)
    users.save(uow.connection, after)
    tell_user(uow, after, change, details)
    return after


def tell_user(uow: UnitOfWork, user: User, change: str, details: Mapping[str, object]) -> None:
    payload = {"change": change, "status": user.status.value, "systemAdmin": user.system_admin}
    uow.emit(EventName.USER_CHANGED, Aggregate("user", user.id, user.version), payload, workspace_id="")
    uow.audit(f"user.{change}", Resource("", "user", user.id), details=details)


def named(display_name: str, username: str) -> str:
    cleaned = clean_display_name(display_name, username)
    problem = display_name_problem(cleaned, "displayName")
    if problem is not None:
        raise ValidationFailed(problem.message, problems=(problem,))
    return cleaned


def changed_parts(before: User, after: User) -> dict[str, object]:
    """Field → new value, for the audit; a name to show is only said to have changed."""
    parts: dict[str, object] = {}
    if before.display_name != after.display_name:
        parts["displayName"] = "changed"
    if before.status is not after.status:
        parts["status"] = after.status.value
    if before.system_admin is not after.system_admin:
        parts["systemAdmin"] = after.system_admin
    return parts


def _locked(uow: UnitOfWork, user_id: str) -> User:
    row = users.lock(uow.connection, user_id)
    if row is None:
        raise ResourceNotFound("there is no such user")
    return row.user


def _keep_one_system_admin(uow: UnitOfWork, before: User, after: User) -> None:
    def is_one(user: User) -> bool:
        return user.system_admin and user.status is UserStatus.ACTIVE

    if is_one(before) and not is_one(after) and set(users.lock_active_system_admins(uow.connection)) <= {before.id}:
        raise StateConflict(f"{before.username} is the only active system administrator; make another one first")


def _subject_problem(subject: str | None) -> FieldProblem | None:
    if subject is None or (0 < len(subject) <= _SUBJECT_LONGEST and subject.isprintable()):
        return None
    said = f"a subject has 1 to {_SUBJECT_LONGEST} visible characters; leave it out where there is none"
    return FieldProblem("externalSubject", "SUBJECT_UNFIT", said)
