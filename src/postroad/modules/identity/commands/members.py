"""Who belongs to a workspace and as what. Members are named by their exact username: nobody browses all users."""

from dataclasses import dataclass, replace

from postroad.kernel.authz import Action, Resource
from postroad.kernel.uow import UnitOfWork
from postroad.kernel.versions import Expected, expect
from postroad.modules.identity.commands.tokens import revoke_tokens_of
from postroad.modules.identity.model import Member, UserStatus
from postroad.modules.identity.parts.names import looked_up
from postroad.modules.identity.ports import Workspaces
from postroad.modules.identity.store import members, users
from postroad.vocabulary.events import Aggregate, EventName
from postroad.vocabulary.refusals import ResourceNotFound, ValidationFailed
from postroad.vocabulary.roles import Role

_LONGEST_NAME_TYPED = 256


@dataclass(frozen=True, slots=True)
class AddMember:
    workspace_id: str
    username: str
    role: Role


@dataclass(frozen=True, slots=True)
class ChangeRole:
    workspace_id: str
    user_id: str
    role: Role
    expected: Expected


def add_member(uow: UnitOfWork, ask: AddMember, workspaces: Workspaces) -> Member:
    """Raises ValidationFailed where nobody active has the name, StateConflict where he is a member already."""
    uow.authorize(Action.MEMBERS_WRITE, Resource(ask.workspace_id, "member"))
    if not workspaces.exists(uow, ask.workspace_id):
        raise ResourceNotFound("there is no such workspace, or you are not a member of it")
    row = users.find_by_key(uow.connection, looked_up(ask.username[:_LONGEST_NAME_TYPED]))
    if row is None or row.user.status is not UserStatus.ACTIVE:
        raise ValidationFailed.of(
            "username", "USER_UNKNOWN", "nobody active is called so; a system administrator makes new users"
        )
    member = Member(
        id=uow.new_id(),
        workspace_id=ask.workspace_id,
        user_id=row.user.id,
        username=row.user.username,
        display_name=row.user.display_name,
        status=row.user.status,
        role=ask.role,
        version=1,
        created_at_ms=uow.now_ms,
        updated_at_ms=uow.now_ms,
    )
    members.add(uow.connection, member)
    _tell(uow, member, "add")
    return member


def change_role(uow: UnitOfWork, ask: ChangeRole) -> Member:
    """Takes effect with the next request of the member, and of the member's tokens."""
    member = _locked(uow, ask.workspace_id, ask.user_id, ask.expected)
    if member.role is ask.role:
        return member
    member = replace(member, role=ask.role, version=member.version + 1, updated_at_ms=uow.now_ms)
    members.save_role(uow.connection, member)
    _tell(uow, member, "change")
    return member


def remove_member(uow: UnitOfWork, workspace_id: str, user_id: str, expected: Expected) -> None:
    """Ends the tokens the member had for this workspace too, so that they do not come back with a later invitation."""
    member = _locked(uow, workspace_id, user_id, expected)
    members.remove(uow.connection, member)
    revoke_tokens_of(uow, workspace_id, user_id)
    _tell(uow, replace(member, version=member.version + 1), "remove")


def _locked(uow: UnitOfWork, workspace_id: str, user_id: str, expected: Expected) -> Member:
    uow.authorize(Action.MEMBERS_WRITE, Resource(workspace_id, "member", user_id))
    member = members.lock(uow.connection, workspace_id, user_id)
    if member is None:
        raise ResourceNotFound("there is no such member in this workspace")
    expect(member.version, expected, member.head)
    return member


def _tell(uow: UnitOfWork, member: Member, change: str) -> None:
    payload = {"change": change, "userId": member.user_id, "role": member.role.value}
    aggregate = Aggregate("member", member.id, member.version)
    uow.emit(EventName.MEMBER_CHANGED, aggregate, payload, workspace_id=member.workspace_id)
    resource = Resource(member.workspace_id, "member", member.user_id)
    uow.audit(f"member.{change}", resource, details={"username": member.username, "role": member.role.value})
