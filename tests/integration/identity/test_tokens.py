"""API tokens: what they may, how long, and who sees to them."""

import threading

import pytest
from tests.builders.people import House

from postroad.kernel.authz import Action, Principal, PrincipalKind, Resource
from postroad.kernel.pages import PageRequest
from postroad.kernel.versions import Expected
from postroad.modules import identity
from postroad.modules.identity import ChangeRole, IssueToken, TokenFilter, TokenStatus
from postroad.vocabulary.refusals import (
    AccessDenied,
    AuthenticationRequired,
    QuotaExceeded,
    ResourceNotFound,
    ValidationFailed,
)
from postroad.vocabulary.roles import Role
from postroad.vocabulary.secret import Secret

DAY_MS = 86_400_000


def _issue(house: House, owner: Principal, scopes: list[str], days: int = 90) -> identity.IssuedToken:
    ask = IssueToken(house.workspace_id, "for reports", scopes, days)
    return house.database.write(owner, lambda uow: identity.issue_token(uow, ask))


def _may(house: House, principal: Principal, action: Action, workspace_id: str = "") -> None:
    resource = Resource(workspace_id or house.workspace_id, "thing")
    house.database.read(principal, lambda reading: reading.authorize(action, resource))
    house.database.write(principal, lambda uow: uow.authorize(action, resource))


def test_a_token_is_its_owner_within_its_scopes(house: House) -> None:
    anna = house.member("anna", Role.OPERATOR)
    issued = _issue(house, anna, ["runs:read", "messages:write", "runs:read"])
    assert issued.token.scopes == ("messages:write", "runs:read")
    shown = house.authenticator.by_token(issued.secret)
    assert (shown.kind, shown.user_id, shown.token_id) == (PrincipalKind.TOKEN, anna.user_id, issued.token.id)
    _may(house, shown, Action.MESSAGES_WRITE)
    for action in (Action.ACCOUNTS_WRITE, Action.MESSAGES_READ, Action.TOKENS_OWN, Action.MEMBERS_READ):
        with pytest.raises(AccessDenied):
            _may(house, shown, action)


def test_a_token_works_in_its_workspace_alone(house: House) -> None:
    other = house.other_workspace()
    anna = house.member("anna", Role.OPERATOR)
    house.join("anna", Role.OPERATOR, other)
    shown = house.authenticator.by_token(_issue(house, house.sign_in("anna"), ["runs:read"]).secret)
    assert anna.user_id == shown.user_id
    with pytest.raises(ResourceNotFound):
        _may(house, shown, Action.RUNS_READ, other)


def test_a_token_of_a_system_administrator_governs_nothing(house: House) -> None:
    shown = house.authenticator.by_token(_issue(house, house.administrator(), ["audit:read"]).secret)
    assert not shown.system_admin
    _may(house, shown, Action.AUDIT_READ)
    with pytest.raises(AccessDenied):
        _may(house, shown, Action.SYSTEM_ADMIN)


def test_a_token_shrinks_with_the_role_of_its_owner(house: House) -> None:
    admin, anna = house.member("admin", Role.ADMIN), house.member("anna", Role.OPERATOR)
    shown = house.authenticator.by_token(_issue(house, anna, ["runs:read", "runs:start"]).secret)
    _may(house, shown, Action.RUNS_START)
    ask = ChangeRole(house.workspace_id, anna.user_id, Role.VIEWER, Expected(1))
    house.database.write(admin, lambda uow: identity.change_role(uow, ask))
    with pytest.raises(AccessDenied):
        house.database.write(shown, lambda uow: uow.authorize(Action.RUNS_START, Resource(house.workspace_id, "run")))


@pytest.mark.parametrize(
    ("scopes", "path", "code"),
    [
        ([], "scopes", "REQUIRED"),
        (["runs:read", "runs:fly"], "scopes.1", "SCOPE_UNKNOWN"),
        (["members:write"], "scopes.0", "SCOPE_UNKNOWN"),
        (["tokens:own"], "scopes.0", "SCOPE_UNKNOWN"),
        (["system:admin"], "scopes.0", "SCOPE_UNKNOWN"),
        (["workspace:write"], "scopes.0", "SCOPE_ABOVE_ROLE"),
    ],
)
def test_a_scope_that_is_none_or_above_the_role_is_named(house: House, scopes: list[str], path: str, code: str) -> None:
    with pytest.raises(ValidationFailed) as refused:
        _issue(house, house.member("anna", Role.OPERATOR), scopes)
    assert [(problem.path, problem.code) for problem in refused.value.problems] == [(path, code)]


@pytest.mark.parametrize("days", [0, -1, 367])
def test_a_token_lives_a_year_at_most(house: House, days: int) -> None:
    with pytest.raises(ValidationFailed):
        _issue(house, house.member("anna", Role.OPERATOR), ["runs:read"], days)


def test_a_token_ends_with_its_time(house: House) -> None:
    anna = house.member("anna", Role.OPERATOR)
    issued = _issue(house, anna, ["runs:read"], 1)
    house.clock.advance(ms=DAY_MS - 1)
    shown = house.authenticator.by_token(issued.secret)
    house.clock.advance(ms=1)
    with pytest.raises(AuthenticationRequired):
        house.authenticator.by_token(issued.secret)
    with pytest.raises(AuthenticationRequired):
        house.database.write(shown, lambda uow: uow.authorize(Action.RUNS_READ, Resource(house.workspace_id, "run")))


def test_the_twentieth_is_the_last_until_one_ends(house: House) -> None:
    anna = house.member("anna", Role.OPERATOR)
    issued = [_issue(house, anna, ["runs:read"], 1 if number else 2) for number in range(20)]
    with pytest.raises(QuotaExceeded):
        _issue(house, anna, ["runs:read"])
    house.database.write(anna, lambda uow: identity.revoke_token(uow, house.workspace_id, issued[0].token.id))
    _issue(house, anna, ["runs:read"])


def test_of_many_made_at_once_twenty_stand(house: House) -> None:
    anna = house.member("anna", Role.OPERATOR)
    for _ in range(18):
        _issue(house, anna, ["runs:read"])
    outcomes: list[str] = []

    def issue() -> None:
        try:
            _issue(house, anna, ["runs:read"])
            outcomes.append("made")
        except QuotaExceeded:
            outcomes.append("refused")

    threads = [threading.Thread(target=issue) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["made"] * 2 + ["refused"] * 4


def test_a_revoked_token_is_nobody_at_once_and_revoking_again_is_fine(house: House) -> None:
    anna = house.member("anna", Role.OPERATOR)
    issued = _issue(house, anna, ["runs:start"])
    shown = house.authenticator.by_token(issued.secret)
    for _ in range(2):
        ended = house.database.write(anna, lambda uow: identity.revoke_token(uow, house.workspace_id, issued.token.id))
        assert (ended.version, ended.status(house.clock.now_ms())) == (2, TokenStatus.REVOKED)
    with pytest.raises(AuthenticationRequired):
        house.authenticator.by_token(issued.secret)
    with pytest.raises(AuthenticationRequired):
        house.database.write(shown, lambda uow: uow.authorize(Action.RUNS_START, Resource(house.workspace_id, "run")))
    assert [row.action for row in house.audited(resource_id=issued.token.id)] == ["token.create", "token.revoke"]


def test_others_see_and_revoke_only_their_own_and_an_administrator_everybodys(house: House) -> None:
    admin, anna, berta = (
        house.member("admin", Role.ADMIN),
        house.member("anna", Role.OPERATOR),
        house.member("berta", Role.VIEWER),
    )
    of_anna, of_berta = _issue(house, anna, ["runs:read"]).token, _issue(house, berta, ["runs:read"]).token

    def seen(principal: Principal) -> list[str]:
        page = house.database.read(
            principal,
            lambda reading: identity.list_tokens(reading, house.workspace_id, PageRequest(), TokenFilter()),
        )
        return [token.username for token in page.items]

    assert (seen(admin), seen(anna), seen(berta)) == (["berta", "anna"], ["anna"], ["berta"])
    with pytest.raises(ResourceNotFound):
        house.database.read(anna, lambda reading: identity.get_token(reading, house.workspace_id, of_berta.id))
    with pytest.raises(AccessDenied):
        house.database.write(berta, lambda uow: identity.revoke_token(uow, house.workspace_id, of_anna.id))
    house.database.write(admin, lambda uow: identity.revoke_token(uow, house.workspace_id, of_anna.id))


def test_a_token_of_another_workspace_is_not_there(house: House) -> None:
    other = house.other_workspace()
    anna = house.member("anna", Role.ADMIN, other)
    issued = house.token(anna, ["runs:read"], other)
    admin = house.member("admin", Role.ADMIN)
    with pytest.raises(ResourceNotFound):
        house.database.write(admin, lambda uow: identity.revoke_token(uow, house.workspace_id, issued.token.id))


def test_tokens_are_listed_by_what_became_of_them(house: House) -> None:
    anna = house.member("anna", Role.OPERATOR)
    kept, short, revoked = (_issue(house, anna, ["runs:read"], days).token for days in (30, 1, 30))
    house.database.write(anna, lambda uow: identity.revoke_token(uow, house.workspace_id, revoked.id))
    house.clock.advance(ms=DAY_MS)
    anna = house.sign_in("anna")

    def found(status: TokenStatus) -> list[str]:
        asked = TokenFilter(status=status)
        page = house.database.read(
            anna, lambda reading: identity.list_tokens(reading, house.workspace_id, PageRequest(), asked)
        )
        return [token.id for token in page.items]

    assert found(TokenStatus.ACTIVE) == [kept.id]
    assert found(TokenStatus.EXPIRED) == [short.id]
    assert found(TokenStatus.REVOKED) == [revoked.id]


def test_the_last_use_is_kept_to_the_minute_and_never_goes_back(house: House) -> None:
    anna = house.member("anna", Role.OPERATOR)
    issued = _issue(house, anna, ["runs:read"])

    def last_used() -> int | None:
        view = house.database.read(
            anna, lambda reading: identity.get_token(reading, house.workspace_id, issued.token.id)
        )
        return view.last_used_at_ms

    first = house.clock.now_ms()
    house.authenticator.by_token(issued.secret)
    assert last_used() is None
    house.uses.flush(house.database)
    assert last_used() == first
    house.clock.advance(ms=59_999)
    house.authenticator.by_token(issued.secret)
    house.uses.flush(house.database)
    assert last_used() == first
    house.clock.advance(ms=1)
    house.authenticator.by_token(issued.secret)
    house.clock.advance(ms=-30_000)
    house.authenticator.by_token(issued.secret)
    house.uses.flush(house.database)
    assert last_used() == first + 60_000


@pytest.mark.parametrize(
    "text",
    ["", "pst_", "pst_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP1GctnE", "Bearer pst_abc", "pst_'; DROP TABLE tokens"],
)
def test_what_has_not_the_form_of_a_token_is_refused_without_a_read(
    house: House, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(house.database, "read", None)
    with pytest.raises(AuthenticationRequired, match="no token of this service"):
        house.authenticator.by_token(Secret(text))


def test_a_token_that_was_never_made_is_nobody(house: House) -> None:
    with pytest.raises(AuthenticationRequired):
        house.authenticator.by_token(Secret("pst_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP1GctnF"))


def test_nothing_kept_or_told_holds_the_token(house: House) -> None:
    secret = _issue(house, house.member("anna", Role.OPERATOR), ["runs:read"]).secret.reveal()
    with house.database._dialect.reading(5) as opened:
        kept = " ".join(
            str(row)
            for table in ("tokens", "audit_events", "outbox_events")
            for row in opened.connection.exec_driver_sql(f"SELECT * FROM {table}")
        )
    assert secret[12:] not in kept
    assert secret[:12] in kept
