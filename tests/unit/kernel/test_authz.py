"""Every cell of the table of rights: action × kind × role × scope × membership."""

import itertools

import pytest

from postroad.kernel.authz import (
    ANONYMOUS,
    RULES,
    SCOPES,
    Action,
    Decision,
    Principal,
    PrincipalKind,
    Reason,
    Resource,
    decide,
)
from postroad.vocabulary.roles import Role

HERE, ELSEWHERE = "w-here", "w-elsewhere"

LEAST_ROLE = {
    Role.VIEWER: "accounts:read messages:read audiences:read jobs:read schedules:read runs:read artifacts:read "
    "secrets:read workspace:read deliveries:read tokens:own system:read",
    Role.OPERATOR: "accounts:write accounts:test messages:write audiences:write jobs:write jobs:run schedules:write "
    "runs:start runs:command runs:resend artifacts:write secrets:write",
    Role.ADMIN: "artifacts:hold workspace:write members:read members:write tokens:read tokens:write audit:read "
    "deliveries:write",
}
SESSION_ONLY = {
    *("members:read", "members:write", "tokens:read", "tokens:write", "tokens:own"),
    "system:admin",
}
EXPECTED = {text: role for role, texts in LEAST_ROLE.items() for text in texts.split()}
ROLES: list[Role | None] = [None, *Role]


def _person(role: Role | None, *, system_admin: bool = False) -> Principal:
    roles = {ELSEWHERE: Role.ADMIN} | ({HERE: role} if role else {})
    return Principal(PrincipalKind.USER, "u", session_id="s", system_admin=system_admin, roles=roles)


def _token(role: Role | None, scopes: frozenset[str], *, system_admin: bool = False) -> Principal:
    person = _person(role)
    return Principal(
        PrincipalKind.TOKEN, "u", token_id="t", system_admin=system_admin, roles=person.roles, scopes=scopes
    )


def _has(role: Role | None, least: Role) -> bool:
    return role is not None and list(Role).index(role) >= list(Role).index(least)


def test_every_action_has_a_rule_and_every_rule_is_expected_here() -> None:
    assert set(RULES) == set(Action)
    assert {action.value for action in Action} == set(EXPECTED) | {"system:admin"}


def test_the_scopes_are_the_actions_a_token_may_do() -> None:
    assert {action.value for action in Action} - SESSION_ONLY == SCOPES


@pytest.mark.parametrize("action", [a for a in Action if a is not Action.SYSTEM_ADMIN])
def test_a_person_may_what_his_role_in_the_workspace_includes(action: Action) -> None:
    for role in ROLES:
        decision = decide(_person(role), action, Resource(HERE, "thing"))
        assert decision.allowed is _has(role, EXPECTED[action.value])
        if role is None:
            assert decision.reason is Reason.NOT_A_MEMBER


@pytest.mark.parametrize("action", Action)
def test_a_token_may_what_role_and_scope_both_include(action: Action) -> None:
    every = frozenset(other.value for other in Action)
    for role, scopes, is_admin in itertools.product(
        ROLES,
        (frozenset[str](), every - {action.value}, frozenset({action.value}), every),
        (False, True),
    ):
        decision = decide(_token(role, scopes, system_admin=is_admin), action, Resource(HERE, "thing"))
        may = action.value not in SESSION_ONLY and _has(role, EXPECTED[action.value]) and action.value in scopes
        assert decision.allowed is may, (role, scopes, is_admin)


@pytest.mark.parametrize("action", Action)
def test_a_system_administrator_may_all_by_session(action: Action) -> None:
    admin = _person(None, system_admin=True)
    assert decide(admin, action, Resource(HERE, "thing")).allowed
    assert decide(admin, action, Resource("", "thing")).allowed


@pytest.mark.parametrize("role", ROLES)
def test_no_role_makes_a_system_administrator(role: Role | None) -> None:
    assert not decide(_person(role), Action.SYSTEM_ADMIN, Resource(HERE, "system")).allowed
    assert decide(_person(role), Action.SYSTEM_ADMIN, Resource("", "system")).reason is Reason.SYSTEM_ADMIN_NEEDED


@pytest.mark.parametrize("action", Action)
def test_what_belongs_to_no_workspace_is_for_system_administrators(action: Action) -> None:
    assert not decide(_person(Role.ADMIN), action, Resource("", "thing")).allowed


@pytest.mark.parametrize("action", Action)
def test_nobody_may_nothing_and_the_service_may_all(action: Action) -> None:
    assert decide(ANONYMOUS, action, Resource(HERE, "thing")) == Decision(False, Reason.NOT_AUTHENTICATED)
    assert decide(Principal.system("sweep"), action, Resource(HERE, "thing")).allowed


def test_a_stranger_learns_nothing_whatever_his_token_says() -> None:
    for scopes in (frozenset[str](), frozenset({"jobs:read"})):
        assert decide(_token(None, scopes), Action.JOBS_READ, Resource(HERE, "job")).reason is Reason.NOT_A_MEMBER
    assert decide(_token(None, frozenset()), Action.MEMBERS_READ, Resource(HERE, "m")).reason is Reason.NOT_A_MEMBER


def test_a_refusal_says_what_is_missing() -> None:
    def reason(principal: Principal, action: Action) -> Reason:
        return decide(principal, action, Resource(HERE, "thing")).reason

    assert reason(_person(Role.VIEWER), Action.JOBS_WRITE) is Reason.ROLE_TOO_LOW
    assert reason(_token(Role.ADMIN, frozenset()), Action.JOBS_WRITE) is Reason.SCOPE_MISSING
    assert reason(_token(Role.ADMIN, frozenset({"members:read"})), Action.MEMBERS_READ) is Reason.SESSION_NEEDED
