"""Signing in, and what becomes of a session."""

import pytest
from tests.builders.people import PASSWORD, SYSTEM, House

from postroad.kernel.authz import PrincipalKind
from postroad.kernel.versions import Expected
from postroad.modules import identity
from postroad.modules.identity import ChangeUser, HashingCost, Passwords, UserStatus
from postroad.vocabulary.refusals import (
    AccessDenied,
    AuthenticationRequired,
    RateLimited,
    ResourceNotFound,
    ValidationFailed,
)
from postroad.vocabulary.roles import Role
from postroad.vocabulary.secret import Secret

MINUTE_MS, HOUR_MS = 60_000, 3_600_000


def _refusal(house: House, username: str, password: str, address: str = "") -> str:
    with pytest.raises(AuthenticationRequired) as refused:
        house.session(username, password, address)
    return refused.value.message


def _disable(house: House, user: identity.User) -> None:
    ask = ChangeUser(user.id, Expected(user.version), status=UserStatus.DISABLED)
    house.database.write(SYSTEM, lambda uow: identity.change_user(uow, ask))


def test_a_session_is_who_signed_in_and_may_what_its_roles_say(house: House) -> None:
    anna = house.member("Anna", Role.OPERATOR)
    assert (anna.kind, anna.username, dict(anna.roles)) == (
        PrincipalKind.USER,
        "Anna",
        {house.workspace_id: Role.OPERATOR},
    )
    assert not anna.system_admin


def test_case_and_width_of_the_name_do_not_count(house: House) -> None:
    anna = house.user("anna")
    assert house.session("ＡNNA").user.id == anna.id


def test_unknown_disabled_and_mistaken_are_answered_alike_and_all_written_down(house: House) -> None:
    anna, berta = house.user("anna"), house.user("berta")
    _disable(house, berta)
    said = {
        _refusal(house, "anna", "not the password"),
        _refusal(house, "berta", PASSWORD),
        _refusal(house, "nobody", PASSWORD),
    }
    assert said == {"the username or the password is wrong"}
    rows = house.audited(action="session.create", result="FAILED")
    assert [row.resource_id for row in rows] == [anna.id, berta.id, ""]
    assert [row.details for row in rows] == [{}, {}, {}]


@pytest.mark.parametrize(
    ("username", "password"),
    [("", ""), ("\x00", "x"), ("\ud800", "\ud800"), ("x" * 100_000, "x" * 100_000), ("two words", "\x00")],
)
def test_whatever_is_typed_gets_the_same_answer(house: House, username: str, password: str) -> None:
    assert _refusal(house, username, password, "10.0.0.1") == "the username or the password is wrong"


def test_who_has_no_password_yet_does_not_get_in(house: House) -> None:
    house.database.write(SYSTEM, lambda uow: identity.create_user(uow, identity.NewUser("anna")))
    _refusal(house, "anna", "the password that nobody has")


def test_unknown_and_mistaken_take_the_same_steps(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.user("anna")
    hashes: list[str] = []
    verify = Passwords.is_right

    def counted(passwords: Passwords, kept: str | None, password: Secret) -> bool:
        hashes.append("some" if kept else "none")
        return verify(passwords, kept, password)

    monkeypatch.setattr(Passwords, "is_right", counted)
    _refusal(house, "anna", "not the password")
    _refusal(house, "nobody", "not the password")
    assert hashes == ["some", "none"]


def test_guessing_is_throttled_and_the_right_password_does_not_help_then(house: House) -> None:
    house.user("anna")
    for _ in range(10):
        _refusal(house, "anna", "a wrong password", "10.0.0.9")
    with pytest.raises(RateLimited) as refused:
        house.session("anna", PASSWORD, "10.0.0.9")
    assert refused.value.retry_after_s is not None
    house.session("anna", PASSWORD, "10.0.0.8")


def test_a_name_that_nobody_has_is_throttled_the_same_way(house: House) -> None:
    for _ in range(10):
        _refusal(house, "nobody", "a wrong password", "10.0.0.9")
    with pytest.raises(RateLimited):
        house.session("nobody", PASSWORD, "10.0.0.9")


def test_an_address_is_throttled_whatever_names_it_tries(house: House) -> None:
    for number in range(50):
        _refusal(house, f"nobody{number}", "a wrong password", "10.0.0.9")
    with pytest.raises(RateLimited):
        house.session("somebody", PASSWORD, "10.0.0.9")


def test_an_outdated_hash_is_made_again_at_sign_in(house: House) -> None:
    house.user("anna")
    newer = Passwords(HashingCost(memory_kib=16, passes=1))
    door = identity.Doorway(house.database, newer, house.limiter)
    ask = identity.SignIn("anna", Secret(PASSWORD))
    for _ in range(2):
        identity.sign_in(door, ask, identity.Origin())
    with house.database._dialect.reading(5) as opened:
        kept = opened.connection.exec_driver_sql("SELECT password_hash FROM users").scalar_one()
    assert not newer.is_outdated(kept)


def test_neither_the_password_nor_the_session_is_kept_as_it_is(house: House) -> None:
    house.user("anna")
    secret = house.session("anna").secret.reveal()
    with house.database._dialect.reading(5) as opened:
        kept = " ".join(
            str(row)
            for table in ("users", "sessions", "one_time_codes", "audit_events", "outbox_events")
            for row in opened.connection.exec_driver_sql(f"SELECT * FROM {table}")
        )
    assert secret not in kept
    assert PASSWORD not in kept


def test_a_session_that_is_not_used_ends(house: House) -> None:
    house.user("anna")
    secret = house.session("anna").secret
    house.clock.advance(ms=house.times.idle_ms - 1)
    house.authenticator.by_session(secret)
    house.uses.flush(house.database)
    house.clock.advance(ms=house.times.idle_ms - 1)
    house.authenticator.by_session(secret)
    house.clock.advance(ms=house.times.idle_ms)
    with pytest.raises(AuthenticationRequired):
        house.authenticator.by_session(secret)


def test_a_session_that_is_always_used_ends_too(house: House) -> None:
    house.user("anna")
    secret = house.session("anna").secret
    step_ms = 6 * HOUR_MS
    for _ in range(house.times.absolute_ms // step_ms - 1):
        house.clock.advance(ms=step_ms)
        house.authenticator.by_session(secret)
        house.uses.flush(house.database)
    house.clock.advance(ms=step_ms)
    with pytest.raises(AuthenticationRequired):
        house.authenticator.by_session(secret)


def test_a_request_writes_nothing_and_use_is_kept_to_the_minute(house: House) -> None:
    house.user("anna")
    secret = house.session("anna").secret

    def last_seen() -> int:
        anna = house.authenticator.by_session(secret)
        found = house.database.read(anna, lambda reading: identity.list_own_sessions(reading, house.times))
        return found[0].last_seen_at_ms

    begun = last_seen()
    house.clock.advance(ms=MINUTE_MS - 1)
    assert last_seen() == begun
    house.uses.flush(house.database)
    assert last_seen() == begun
    house.clock.advance(ms=1)
    assert last_seen() == begun
    house.uses.flush(house.database)
    assert last_seen() == begun + MINUTE_MS


@pytest.mark.parametrize("shown", ["", "nothing of ours", "x" * 5000, "'; DROP TABLE users; --"])
def test_what_is_no_session_of_ours_is_nobody(house: House, shown: str) -> None:
    with pytest.raises(AuthenticationRequired):
        house.authenticator.by_session(Secret(shown))


def test_signing_out_ends_this_session_alone(house: House) -> None:
    house.user("anna")
    here, there = house.session("anna").secret, house.session("anna").secret
    house.database.write(house.authenticator.by_session(here), identity.sign_out)
    with pytest.raises(AuthenticationRequired):
        house.authenticator.by_session(here)
    house.authenticator.by_session(there)


def test_one_session_is_ended_from_another_and_nobody_elses(house: House) -> None:
    house.user("anna")
    here, there = house.session("anna"), house.session("anna")
    berta = house.member("berta", Role.ADMIN)
    with pytest.raises(ResourceNotFound):
        house.database.write(berta, lambda uow: identity.revoke_own_session(uow, there.session.id))
    anna = house.authenticator.by_session(here.secret)
    house.database.write(anna, lambda uow: identity.revoke_own_session(uow, there.session.id))
    with pytest.raises(AuthenticationRequired):
        house.authenticator.by_session(there.secret)
    found = house.database.read(anna, lambda reading: identity.list_own_sessions(reading, house.times))
    assert [(session.id, session.is_current) for session in found] == [(here.session.id, True)]


@pytest.mark.parametrize("keep_this", [True, False])
def test_signing_out_everywhere_ends_all_or_all_the_others(house: House, keep_this: bool) -> None:
    house.user("anna")
    here, there = house.session("anna").secret, house.session("anna").secret
    anna = house.authenticator.by_session(here)
    house.database.write(anna, lambda uow: identity.sign_out_everywhere(uow, keep_this=keep_this))
    with pytest.raises(AuthenticationRequired):
        house.authenticator.by_session(there)
    if keep_this:
        house.authenticator.by_session(here)
    else:
        with pytest.raises(AuthenticationRequired):
            house.authenticator.by_session(here)


def test_a_system_administrator_signs_somebody_out(house: House) -> None:
    anna = house.user("anna")
    secret = house.session("anna").secret
    with pytest.raises(AccessDenied):
        house.database.write(house.member("berta", Role.ADMIN), lambda uow: identity.sign_out_user(uow, anna.id))
    assert house.database.write(house.administrator(), lambda uow: identity.sign_out_user(uow, anna.id)) == 1
    with pytest.raises(AuthenticationRequired):
        house.authenticator.by_session(secret)


def test_another_password_ends_the_other_sessions_and_keeps_this(house: House) -> None:
    house.user("anna")
    here, there = house.session("anna").secret, house.session("anna").secret
    ask = identity.ChangePassword(Secret(PASSWORD), Secret("quite another one"))
    identity.change_password(house.door, house.authenticator.by_session(here), ask, identity.Origin())
    house.authenticator.by_session(here)
    with pytest.raises(AuthenticationRequired):
        house.authenticator.by_session(there)
    _refusal(house, "anna", PASSWORD)
    house.session("anna", "quite another one")


def test_a_new_password_needs_the_old_one_and_guessing_it_is_throttled(house: House) -> None:
    house.user("anna")
    anna = house.sign_in("anna")
    ask = identity.ChangePassword(Secret("not the old one"), Secret("quite another one"))
    for _ in range(10):
        with pytest.raises(ValidationFailed) as refused:
            identity.change_password(house.door, anna, ask, identity.Origin())
        assert refused.value.problems[0].path == "currentPassword"
    with pytest.raises(RateLimited):
        identity.change_password(house.door, anna, ask, identity.Origin())


def test_a_session_that_ended_meanwhile_sets_no_password(house: House) -> None:
    house.user("anna")
    anna = house.sign_in("anna")
    house.database.write(anna, identity.sign_out)
    ask = identity.ChangePassword(Secret(PASSWORD), Secret("quite another one"))
    with pytest.raises(AuthenticationRequired):
        identity.change_password(house.door, anna, ask, identity.Origin())
    house.session("anna")


def test_what_ended_a_month_ago_is_removed(house: House) -> None:
    house.user("anna")
    secret = house.session("anna").secret
    house.database.write(house.authenticator.by_session(secret), identity.sign_out)
    assert house.database.write(SYSTEM, identity.forget_ended) == 0
    house.clock.advance(ms=31 * 24 * HOUR_MS)
    assert house.database.write(SYSTEM, identity.forget_ended) == 2
    with pytest.raises(AccessDenied):
        house.database.write(house.member("berta", Role.ADMIN), identity.forget_ended)
