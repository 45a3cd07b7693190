"""Users as a system administrator manages them."""

import threading

import pytest
from tests.builders.people import PASSWORD, SYSTEM, House

from postroad.kernel.pages import PageRequest
from postroad.kernel.versions import Expected
from postroad.modules import identity
from postroad.modules.identity import ChangeUser, NewUser, RedeemPasswordLink, User, UserFilter, UserStatus
from postroad.vocabulary.refusals import (
    AccessDenied,
    AuthenticationRequired,
    StateConflict,
    ValidationFailed,
    VersionConflict,
)
from postroad.vocabulary.roles import Role
from postroad.vocabulary.secret import Secret


def _change(house: House, user: User, version: int = 0, **changes: object) -> User:
    ask = ChangeUser(user.id, Expected(version or user.version), **changes)  # type: ignore[arg-type]
    return house.database.write(SYSTEM, lambda uow: identity.change_user(uow, ask))


def _redeem(house: House, code: Secret, password: str = PASSWORD) -> User:
    return identity.redeem_password_link(house.door, RedeemPasswordLink(code, Secret(password)), identity.Origin())


def test_only_a_system_administrator_manages_users(house: House) -> None:
    anna, berta = house.member("anna", Role.ADMIN), house.user("berta")
    for work in (
        lambda uow: identity.create_user(uow, NewUser("x")),
        lambda uow: identity.change_user(uow, ChangeUser(berta.id, Expected(1), system_admin=True)),
        lambda uow: identity.issue_password_link(uow, berta.id),
        lambda uow: identity.get_user(uow, berta.id),
        lambda uow: identity.list_users(uow, PageRequest(), UserFilter()),
    ):
        with pytest.raises(AccessDenied):
            house.database.write(anna, work)


def test_a_new_user_chooses_a_password_by_a_link_that_works_once(house: House) -> None:
    admin = house.administrator()
    made = house.database.write(admin, lambda uow: identity.create_user(uow, NewUser("anna", "Anna B.")))
    assert (made.user.display_name, made.user.has_password) == ("Anna B.", False)
    assert _redeem(house, made.link.secret).has_password
    house.session("anna")
    with pytest.raises(ValidationFailed):
        _redeem(house, made.link.secret, "another password")
    house.session("anna")


def test_a_username_is_taken_in_any_width_or_case(house: House) -> None:
    house.user("Anna")
    for other in ("anna", "ＡＮＮＡ"):
        with pytest.raises(StateConflict) as refused:
            house.database.write(SYSTEM, lambda uow, name=other: identity.create_user(uow, NewUser(name)))
        assert refused.value.field == "username"


def test_a_subject_of_another_login_belongs_to_one_user(house: House) -> None:
    for name, fits in (("anna", True), ("berta", False)):
        ask = NewUser(name, external_subject="oidc|1")
        if fits:
            house.database.write(SYSTEM, lambda uow, one=ask: identity.create_user(uow, one))
        else:
            with pytest.raises(StateConflict):
                house.database.write(SYSTEM, lambda uow, one=ask: identity.create_user(uow, one))


def test_every_unfit_field_is_named(house: House) -> None:
    ask = NewUser("two words", "x" * 200, external_subject="")
    with pytest.raises(ValidationFailed) as refused:
        house.database.write(SYSTEM, lambda uow: identity.create_user(uow, ask))
    assert [problem.path for problem in refused.value.problems] == ["username", "displayName", "externalSubject"]


def test_a_new_link_makes_the_old_one_worthless_and_leaves_the_password(house: House) -> None:
    anna = house.user("anna")
    links = [house.database.write(SYSTEM, lambda uow: identity.issue_password_link(uow, anna.id)) for _ in range(2)]
    house.session("anna")
    with pytest.raises(ValidationFailed):
        _redeem(house, links[0].secret, "quite another one")
    secret = house.session("anna").secret
    _redeem(house, links[1].secret, "quite another one")
    with pytest.raises(AuthenticationRequired):
        house.authenticator.by_session(secret)
    house.session("anna", "quite another one")


def test_a_link_ends_after_three_days(house: House) -> None:
    made = house.database.write(SYSTEM, lambda uow: identity.create_user(uow, NewUser("anna")))
    house.clock.ms = made.link.expires_at_ms
    with pytest.raises(ValidationFailed):
        _redeem(house, made.link.secret)


def test_a_disabled_user_is_out_at_once_and_comes_back_with_tokens_but_without_sessions(house: House) -> None:
    anna = house.member("anna", Role.OPERATOR)
    token = house.token(anna, ["runs:read"]).secret
    session = house.session("anna").secret
    user = house.database.read(SYSTEM, lambda reading: identity.get_user(reading, anna.user_id))
    disabled = _change(house, user, status=UserStatus.DISABLED)
    for look in (lambda: house.authenticator.by_session(session), lambda: house.authenticator.by_token(token)):
        with pytest.raises(AuthenticationRequired):
            look()
    with pytest.raises(StateConflict):
        house.database.write(SYSTEM, lambda uow: identity.issue_password_link(uow, anna.user_id))
    _change(house, disabled, status=UserStatus.ACTIVE)
    house.authenticator.by_token(token)
    with pytest.raises(AuthenticationRequired):
        house.authenticator.by_session(session)


def test_a_link_of_a_disabled_user_is_worthless(house: House) -> None:
    made = house.database.write(SYSTEM, lambda uow: identity.create_user(uow, NewUser("anna")))
    _change(house, made.user, status=UserStatus.DISABLED)
    with pytest.raises(ValidationFailed):
        _redeem(house, made.link.secret)


def test_a_change_tells_what_changed_and_one_that_changes_nothing_is_no_version(house: House) -> None:
    anna = house.user("anna")
    assert _change(house, anna, display_name="anna").version == anna.version
    changed = _change(house, anna, display_name="Anna", system_admin=True)
    assert (changed.version, changed.system_admin) == (anna.version + 1, True)
    assert house.audited(action="user.change")[-1].details == {"displayName": "changed", "systemAdmin": True}
    with pytest.raises(VersionConflict):
        _change(house, anna, display_name="Later")


@pytest.mark.parametrize("change", [{"system_admin": False}, {"status": UserStatus.DISABLED}])
def test_the_last_system_administrator_stays(house: House, change: dict[str, object]) -> None:
    first, second = house.user("first", system_admin=True), house.user("second", system_admin=True)
    _change(house, first, **change)
    with pytest.raises(StateConflict, match="only active"):
        _change(house, second, **change)


def test_of_two_who_demote_each_other_at_once_one_stays(house: House) -> None:
    people = [house.administrator("first"), house.administrator("second")]
    for _ in range(2):
        start, refused = threading.Barrier(2), []

        def demote(who: int, start: threading.Barrier = start, refused: list[object] = refused) -> None:  # type: ignore[assignment]
            other = people[1 - who]
            user = house.database.read(SYSTEM, lambda reading: identity.get_user(reading, other.user_id))
            start.wait()
            try:
                ask = ChangeUser(user.id, Expected(user.version), system_admin=False)
                house.database.write(people[who], lambda uow: identity.change_user(uow, ask))
            except (StateConflict, AccessDenied) as error:
                refused.append(error)

        threads = [threading.Thread(target=demote, args=(who,)) for who in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(refused) == 1
        for person in people:
            user = house.database.read(SYSTEM, lambda reading, one=person: identity.get_user(reading, one.user_id))
            if not user.system_admin:
                _change(house, user, system_admin=True)


def test_oneself_changes_the_name_that_is_shown_and_nothing_else(house: House) -> None:
    anna = house.member("anna", Role.VIEWER)
    user = house.database.read(anna, identity.get_me).user
    named = house.database.write(anna, lambda uow: identity.change_own_name(uow, "Anna Berg", Expected(user.version)))
    assert (named.display_name, named.username) == ("Anna Berg", "anna")


def test_users_are_found_by_a_part_of_either_name(house: House) -> None:
    admin = house.administrator()
    house.database.write(admin, lambda uow: identity.create_user(uow, NewUser("anna", "Anna Berg")))

    def found(**wanted: str) -> list[str]:
        page = house.database.read(
            admin, lambda reading: identity.list_users(reading, PageRequest(), UserFilter(**wanted))
        )
        return [user.username for user in page.items]

    assert found() == ["anna", "root"]
    assert found(name="NN") == ["anna"]
    assert found(name="berg") == ["anna"]
    assert found(status="DISABLED") == []


def test_a_user_that_is_told_of_holds_no_secret(house: House) -> None:
    anna = house.user("anna")

    def work(uow: object) -> list[object]:
        identity.change_user(uow, ChangeUser(anna.id, Expected(anna.version), display_name="A"))  # type: ignore[arg-type]
        return [(event.workspace_id, event.aggregate.type, dict(event.payload)) for event in uow.events]  # type: ignore[attr-defined]

    assert house.database.write(SYSTEM, work) == [
        ("", "user", {"change": "change", "status": "ACTIVE", "systemAdmin": False})
    ]
