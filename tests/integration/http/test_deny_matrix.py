"""Nobody gets further than the table of rights says: every operation of the contract × everybody who may come.

Who comes: nobody, a member of nothing, a member of another workspace, each role, a system administrator, a token with
every scope but the one that is needed, a token with this one alone, and somebody whose session ends between the
admission of the request and the lock of its change. What a route needs stands in `rights`; what that means for a caller
is asked of the table of the program.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.builders.service import TESTS, RunningService, running_service
from tests.integration.http.calls import Call, call_of, operations
from tests.integration.http.rights import RIGHTS, Who

from postroad.entrypoints.http.composition import Presented
from postroad.foundation.service_settings import load_settings
from postroad.kernel.authz import RULES, SCOPES, Principal, PrincipalKind, Reason, Resource, decide
from postroad.modules.identity.store import sessions
from postroad.vocabulary.roles import Role

Operation = tuple[str, str]
BY_SESSION = (
    "member of nothing",
    "member of another workspace",
    *(role.value for role in Role),
    "system administrator",
)
CHANGING = [
    operation for operation, right in RIGHTS.items() if operation[0] not in ("GET", "HEAD") and right.asks_again
]
REFUSALS = {
    Reason.NOT_AUTHENTICATED: (401, "AUTHENTICATION_REQUIRED"),
    Reason.NOT_A_MEMBER: (404, "RESOURCE_NOT_FOUND"),
}


class People:
    """One user of each kind; a fresh session for each request, since some of the requests end it."""

    def __init__(self, service: RunningService, contract: Any) -> None:
        self.service = service
        self.contract = contract
        other = service.new_workspace("Other")
        self.users = {role.value: service.new_user(role) for role in Role}
        self.users["member of nothing"] = service.new_user(None)
        self.users["member of another workspace"] = service.new_user(Role.ADMIN, workspace_id=other)
        self.users["system administrator"] = service.new_user(None, system_admin=True)
        self.other = other
        self._programs: dict[frozenset[str], httpx.Client] = {}

    def person(self, kind: str) -> httpx.Client:
        return self.service.signed_in(self.users[kind])

    def program(self, scopes: frozenset[str]) -> httpx.Client:
        """A token of an administrator, so that only its scopes limit it."""
        if scopes not in self._programs:
            self._programs[scopes] = self.service.program(Role.ADMIN, sorted(scopes))
        return self._programs[scopes]

    def principal(self, kind: str) -> Principal:
        """What the table of rights is asked about."""
        where = self.other if kind == "member of another workspace" else self.service.workspace_id
        roles = {where: Role.ADMIN if where == self.other else Role(kind)} if kind in (*Role, BY_SESSION[1]) else {}
        return Principal(PrincipalKind.USER, "u", system_admin=kind == "system administrator", roles=roles)

    def answer(self, client: httpx.Client, operation: Operation) -> tuple[int, str]:
        """Status, and code where it is a problem. A live stream is left at once."""
        call = call_of(self.contract, operation, RIGHTS[operation], self.service.workspace_id)
        return _sent(client, f"{self.service.url}{call.path}", call)


def _sent(client: httpx.Client, url: str, call: Call) -> tuple[int, str]:
    octets = {"content-type": "application/octet-stream"} if call.content is not None else {}
    with client.stream(
        call.method, url, params=call.query, content=call.content, json=call.json, headers={**octets, **call.headers}
    ) as answer:
        is_problem = answer.headers.get("content-type", "").startswith("application/problem+json")
        code = (
            str(httpx.Response(200, content=answer.read()).json()["code"])
            if is_problem and call.method != "HEAD"
            else ""
        )
        return answer.status_code, code


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    folder: Path = tmp_path_factory.mktemp("service")
    floods = {"limits.burst": "100000", "limits.requestsPerSecond": "100000"}
    with running_service(folder, settings=load_settings(flags={"dataDir": str(folder), **floods})) as service:
        yield People(service, service.outside.get("/api/openapi.json").json())


def _expected(people: People, operation: Operation, principal: Principal) -> tuple[int, str] | None:
    """The refusal, or None where the caller gets past the question of rights."""
    right = RIGHTS[operation]
    if isinstance(right.needs, Who):
        is_short = right.needs is Who.SIGNED_IN and principal.kind is PrincipalKind.TOKEN
        return (403, "ACCESS_DENIED") if is_short else None
    if right.tokens_only and principal.kind is PrincipalKind.USER:
        return (403, "ACCESS_DENIED")
    is_within = right.tokens_only or "{workspaceId}" in operation[1]
    workspace_id = people.service.workspace_id if is_within else ""
    for action in right.actions:
        decision = decide(principal, action, Resource(workspace_id, "thing"))
        if not decision.allowed:
            return REFUSALS.get(decision.reason, (403, "ACCESS_DENIED"))
    return None


def _check(operation: Operation, came: str, answer: tuple[int, str], expected: tuple[int, str] | None) -> None:
    if expected is None:
        assert answer[0] not in (401, 403), f"{came} may {operation}, and was answered {answer}"
        assert answer[0] < 500 or answer[0] == 503, f"{came} broke {operation}: {answer}"
        return
    told = (expected[0], "") if operation[0] == "HEAD" else expected
    assert answer == told, f"{came} may not {operation}"


def test_every_operation_has_its_row_and_every_row_its_operation(people: People) -> None:
    known = set(operations(people.contract))
    assert known - set(RIGHTS) == set(), "say in tests/integration/http/rights.py what the route needs"
    assert set(RIGHTS) - known == set()


@pytest.mark.parametrize("operation", RIGHTS, ids=" ".join)
def test_nobody_is_asked_to_sign_in(people: People, operation: Operation) -> None:
    answer = people.answer(people.service.outside, operation)
    public = RIGHTS[operation].needs is Who.ANYBODY
    if not public:
        _check(operation, "nobody", answer, (401, "AUTHENTICATION_REQUIRED"))
    assert answer[0] < 500


@pytest.mark.parametrize("operation", RIGHTS, ids=" ".join)
def test_a_person_gets_as_far_as_the_role(people: People, operation: Operation) -> None:
    if RIGHTS[operation].needs is Who.ANYBODY:
        return
    for kind in BY_SESSION:
        expected = _expected(people, operation, people.principal(kind))
        _check(operation, kind, people.answer(people.person(kind), operation), expected)


@pytest.mark.parametrize("operation", RIGHTS, ids=" ".join)
def test_a_token_gets_as_far_as_its_scopes(people: People, operation: Operation) -> None:
    if RIGHTS[operation].needs is Who.ANYBODY:
        return
    scopes_needed = {RULES[action].scope for action in RIGHTS[operation].actions} - {None}
    for scopes in [*(SCOPES - {one} for one in scopes_needed), scopes_needed or SCOPES]:
        roles = {people.service.workspace_id: Role.ADMIN}
        principal = Principal(PrincipalKind.TOKEN, "u", token_id="t", roles=roles, scopes=frozenset(scopes))
        came = f"a token with {sorted(scopes)}"
        expected = _expected(people, operation, principal)
        _check(operation, came, people.answer(people.program(frozenset(scopes)), operation), expected)


@pytest.mark.parametrize("operation", CHANGING, ids=" ".join)
def test_a_session_that_ends_before_the_lock_changes_nothing(
    people: People, operation: Operation, monkeypatch: pytest.MonkeyPatch
) -> None:
    if RIGHTS[operation].needs is Who.ANYBODY:
        return
    composition = people.service.composition
    admit = composition.authenticate

    def admit_and_revoke(presented: Presented) -> Principal:
        principal = admit(presented)
        composition.database.write(
            TESTS, lambda uow: sessions.revoke(uow.connection, principal.user_id, principal.session_id, uow.now_ms)
        )
        return principal

    client = people.person("system administrator")
    monkeypatch.setattr(composition, "authenticate", admit_and_revoke)
    answer = people.answer(client, operation)
    assert answer == (401, "AUTHENTICATION_REQUIRED"), f"{operation} did not ask again under its lock"
