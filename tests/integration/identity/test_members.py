"""Who belongs to a workspace."""

import pytest
from tests.builders.people import SYSTEM, Existing, House

from postroad.kernel.authz import Action, Resource
from postroad.kernel.pages import PageRequest
from postroad.kernel.versions import Expected
from postroad.modules import identity
from postroad.modules.identity import AddMember, ChangeRole, ChangeUser, Member, UserFilter, UserStatus
from postroad.vocabulary.refusals import (
    AccessDenied,
    AuthenticationRequired,
    ResourceNotFound,
    StateConflict,
    ValidationFailed,
    VersionConflict,
)
from postroad.vocabulary.roles import Role


def _add(house: House, principal: object, username: str, workspace_id: str = "") -> Member:
    ask = AddMember(workspace_id or house.workspace_id, username, Role.VIEWER)
    return house.database.write(principal, lambda uow: identity.add_member(uow, ask, Existing()))  # type: ignore[arg-type]


def _role(house: House, principal: object, user_id: str, role: Role, version: int = 1) -> Member:
    ask = ChangeRole(house.workspace_id, user_id, role, Expected(version))
    return house.database.write(principal, lambda uow: identity.change_role(uow, ask))  # type: ignore[arg-type]


def test_an_administrator_adds_somebody_by_the_exact_name(house: House) -> None:
    admin, berta = house.member("admin", Role.ADMIN), house.user("Berta")
    member = _add(house, admin, "ＢERTA")
    assert (member.user_id, member.username, member.role, member.version) == (berta.id, "Berta", Role.VIEWER, 1)
    assert house.audited(action="member.add")[-1].details == {"username": "Berta", "role": "VIEWER"}


@pytest.mark.parametrize("name", ["nobody", "", "berta"])
def test_nobody_and_the_disabled_are_not_added(house: House, name: str) -> None:
    berta = house.user("berta")
    ask = ChangeUser(berta.id, Expected(berta.version), status=UserStatus.DISABLED)
    house.database.write(SYSTEM, lambda uow: identity.change_user(uow, ask))
    with pytest.raises(ValidationFailed):
        _add(house, house.member("admin", Role.ADMIN), name)


def test_a_member_is_added_once(house: House) -> None:
    admin = house.member("admin", Role.ADMIN)
    with pytest.raises(StateConflict):
        _add(house, admin, "admin")


def test_a_system_administrator_adds_nobody_to_a_workspace_that_is_not_there(house: House) -> None:
    with pytest.raises(ResourceNotFound):
        _add(house, house.administrator(), "root", "missing")


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_others_do_not_manage_members(house: House, role: Role) -> None:
    anna = house.member("anna", role)
    with pytest.raises(AccessDenied):
        _add(house, anna, "anna")
    with pytest.raises(AccessDenied):
        _role(house, anna, anna.user_id, Role.ADMIN)
    with pytest.raises(AccessDenied):
        house.database.read(
            anna, lambda reading: identity.list_members(reading, house.workspace_id, PageRequest(), UserFilter())
        )


def test_an_administrator_of_another_workspace_is_a_stranger(house: House) -> None:
    other = house.other_workspace()
    anna = house.member("anna", Role.ADMIN, other)
    with pytest.raises(ResourceNotFound):
        _add(house, anna, "anna")


def test_another_role_counts_with_the_next_request(house: House) -> None:
    admin, anna = house.member("admin", Role.ADMIN), house.member("anna", Role.VIEWER)
    changed = _role(house, admin, anna.user_id, Role.OPERATOR)
    assert changed.version == 2
    assert house.sign_in("anna").roles[house.workspace_id] is Role.OPERATOR
    with pytest.raises(VersionConflict):
        _role(house, admin, anna.user_id, Role.ADMIN)


def test_a_role_taken_away_meanwhile_is_missed_inside_the_write(house: House) -> None:
    admin, anna = house.member("admin", Role.ADMIN), house.member("anna", Role.OPERATOR)
    resource = Resource(house.workspace_id, "message")
    house.database.write(anna, lambda uow: uow.authorize(Action.MESSAGES_WRITE, resource))
    _role(house, admin, anna.user_id, Role.VIEWER)
    house.database.read(anna, lambda reading: reading.authorize(Action.MESSAGES_WRITE, resource))
    with pytest.raises(AccessDenied):
        house.database.write(anna, lambda uow: uow.authorize(Action.MESSAGES_WRITE, resource))


def test_a_claimed_role_counts_for_nothing_inside_the_write(house: House) -> None:
    anna = house.member("anna", Role.VIEWER)
    liar = house.again(anna, roles={house.workspace_id: Role.ADMIN}, system_admin=True)
    with pytest.raises(AccessDenied):
        house.database.write(
            liar, lambda uow: uow.authorize(Action.MESSAGES_WRITE, Resource(house.workspace_id, "message"))
        )


def test_a_session_that_ended_meanwhile_writes_nothing(house: House) -> None:
    anna = house.member("anna", Role.OPERATOR)
    house.database.write(anna, identity.sign_out)
    with pytest.raises(AuthenticationRequired):
        house.database.write(
            anna, lambda uow: uow.authorize(Action.MESSAGES_WRITE, Resource(house.workspace_id, "message"))
        )


def test_who_is_removed_is_a_stranger_and_the_tokens_end_for_good(house: House) -> None:
    admin, anna = house.member("admin", Role.ADMIN), house.member("anna", Role.OPERATOR)
    token = house.token(anna, ["runs:read"]).secret
    house.database.write(admin, lambda uow: identity.remove_member(uow, house.workspace_id, anna.user_id, Expected(1)))
    assert dict(house.sign_in("anna").roles) == {}
    _add(house, admin, "anna")
    with pytest.raises(AuthenticationRequired):
        house.authenticator.by_token(token)


def test_members_are_listed_and_found(house: House) -> None:
    admin, anna = house.member("admin", Role.ADMIN), house.member("anna", Role.OPERATOR)

    def found(**wanted: str) -> list[tuple[str, str]]:
        page = house.database.read(
            admin,
            lambda reading: identity.list_members(reading, house.workspace_id, PageRequest(), UserFilter(**wanted)),
        )
        return [(member.username, member.role) for member in page.items]

    assert found() == [("anna", "OPERATOR"), ("admin", "ADMIN")]
    assert found(name="NN") == [("anna", "OPERATOR")]
    one = house.database.read(admin, lambda reading: identity.get_member(reading, house.workspace_id, anna.user_id))
    assert one.role is Role.OPERATOR
    with pytest.raises(ResourceNotFound):
        house.database.read(admin, lambda reading: identity.get_member(reading, house.workspace_id, "missing"))
