"""Secrets in the database: set, replaced, shown without their text, resolved for flows, wrapped anew."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import select, update
from tests.builders.databases import OTHER_WORKSPACE, WORKSPACE, Databases

from postroad.foundation.keyring import KeyRing
from postroad.kernel.authz import Principal, PrincipalKind
from postroad.kernel.pages import PageRequest
from postroad.kernel.uow import UnitOfWork
from postroad.kernel.versions import Expected, How
from postroad.modules import secrets
from postroad.modules.secrets import Referrer, SecretChange, SecretFilter, SecretOperation, SecretView
from postroad.modules.secrets._tables import secret_records
from postroad.vocabulary.errors import PostroadError, SecretMissing, SecretUnreadable
from postroad.vocabulary.refusals import (
    AccessDenied,
    AuthenticationRequired,
    PreconditionRequired,
    ResourceNotFound,
    StateConflict,
    ValidationFailed,
    VersionConflict,
)
from postroad.vocabulary.roles import Role
from postroad.vocabulary.secret import Secret

NEW = Expected(None)
EVERY = SecretFilter()
FLOW = Principal.system("sending")
REPLACE, KEEP = SecretOperation.REPLACE, SecretOperation.KEEP


@dataclass
class Uses:
    found: Sequence[Referrer] = ()

    def of_secret(self, uow: UnitOfWork, workspace_id: str, namespace: str, name: str) -> Sequence[Referrer]:
        return self.found


def _put(
    databases: Databases, ring: KeyRing, text: str = "hunter2", expected: Expected = NEW, name: str = "token"
) -> SecretView:
    at = (WORKSPACE, "default", name)
    return databases.database.write(
        databases.member(Role.OPERATOR), lambda uow: secrets.put_secret(uow, ring, at, Secret(text), expected)
    )


def _text(databases: Databases, ring: KeyRing, reference: str = "token", account_id: str = "") -> str:
    found = databases.database.read(
        FLOW, lambda reading: secrets.resolve(reading, ring, WORKSPACE, [reference], account_id)
    )
    return found[reference].reveal()


def _keys(databases: Databases) -> frozenset[str]:
    return databases.database.read(FLOW, lambda reading: secrets.key_versions_in(reading.connection))


def _set(databases: Databases, ring: KeyRing, account_id: str, **changes: SecretChange) -> None:
    databases.database.write(
        databases.member(Role.OPERATOR), lambda uow: secrets.change_set(uow, ring, WORKSPACE, account_id, changes)
    )


def test_a_secret_is_set_resolved_and_never_stored_or_told_in_the_open(databases: Databases, ring: KeyRing) -> None:
    view = _put(databases, ring)
    assert _text(databases, ring) == "hunter2"
    stored = databases.database.read(FLOW, lambda r: r.connection.execute(select(secret_records)).one())
    told = f"{view} {databases.audit.entries} {list(stored)}"
    assert "hunter2" not in told
    assert [entry.action for entry in databases.audit.entries] == ["secret.replaced"]


def test_replacing_raises_the_version_and_needs_the_one_before(databases: Databases, ring: KeyRing) -> None:
    first = _put(databases, ring)
    databases.clock.advance(s=5)
    with pytest.raises(PreconditionRequired):
        _put(databases, ring, "other")
    with pytest.raises(VersionConflict):
        _put(databases, ring, "other", Expected(7, How.IF_MATCH))
    second = _put(databases, ring, "other", Expected(1))
    assert (first.version, second.version) == (1, 2)
    assert second.updated_at_ms == first.updated_at_ms + 5000
    assert second.created_at_ms == first.created_at_ms
    assert _text(databases, ring) == "other"


def test_of_old_versions_only_their_time_and_author_are_kept(databases: Databases, ring: KeyRing) -> None:
    _put(databases, ring)
    _put(databases, ring, "other", Expected(1))
    reader = databases.member(Role.VIEWER)
    at = (WORKSPACE, "default", "token")
    versions = [
        databases.database.read(reader, lambda reading, n=n: secrets.get_version(reading, at, n)) for n in (1, 2)
    ]
    assert [version.is_current for version in versions] == [False, True]
    assert versions[0].updated_by == "user:user-1"
    with pytest.raises(ResourceNotFound, match="has no version 3"):
        databases.database.read(reader, lambda reading: secrets.get_version(reading, at, 3))


@pytest.mark.parametrize(
    ("namespace", "name", "text", "path"),
    [
        ("account:x", "token", "x", "namespace"),
        ("Default", "token", "x", "namespace"),
        ("default", "a/b", "x", "name"),
        ("default", "", "x", "name"),
        ("default", "token", "", "value"),
        ("default", "token", "x" * 65_537, "value"),
        ("default", "token", "\ud800", "value"),
    ],
)
def test_unfit_names_and_texts_are_refused_by_their_place(
    databases: Databases, ring: KeyRing, namespace: str, name: str, text: str, path: str
) -> None:
    at = (WORKSPACE, namespace, name)
    with pytest.raises(ValidationFailed) as refused:
        databases.database.write(
            databases.member(Role.OPERATOR), lambda uow: secrets.put_secret(uow, ring, at, Secret(text), NEW)
        )
    assert [problem.path for problem in refused.value.problems] == [path]


def test_the_largest_secret_fits(databases: Databases, ring: KeyRing) -> None:
    _put(databases, ring, "é" * (secrets.LARGEST_BYTES // 2))
    assert len(_text(databases, ring).encode()) == secrets.LARGEST_BYTES


def test_who_may_not_write_is_refused(databases: Databases, ring: KeyRing) -> None:
    at = (WORKSPACE, "default", "token")
    token = Principal(
        PrincipalKind.TOKEN, "user-1", token_id="t", roles={WORKSPACE: Role.ADMIN}, scopes=frozenset({"secrets:read"})
    )
    refusals: list[tuple[Principal, type[PostroadError]]] = [
        (databases.member(Role.VIEWER), AccessDenied),
        (databases.member(Role.ADMIN, OTHER_WORKSPACE), ResourceNotFound),
        (token, AccessDenied),
    ]
    for principal, refusal in refusals:
        with pytest.raises(refusal):
            databases.database.write(principal, lambda uow: secrets.put_secret(uow, ring, at, Secret("x"), NEW))
    databases.standing.revoked.add("user-1")
    with pytest.raises(AuthenticationRequired):
        _put(databases, ring)


def test_a_secret_in_use_is_not_deleted_and_a_free_one_is_gone(databases: Databases, ring: KeyRing) -> None:
    _put(databases, ring)
    operator, at = databases.member(Role.OPERATOR), (WORKSPACE, "default", "token")
    used = Uses([Referrer("account", "a1", "Mail")])
    with pytest.raises(StateConflict, match="still named by account 'Mail'"):
        databases.database.write(operator, lambda uow: secrets.delete_secret(uow, used, at, Expected(1)))
    databases.database.write(operator, lambda uow: secrets.delete_secret(uow, Uses(), at, Expected(1)))
    with pytest.raises(SecretMissing, match="not set: token"):
        _text(databases, ring)
    with pytest.raises(ResourceNotFound):
        databases.database.read(operator, lambda reading: secrets.get_secret(reading, at))
    assert _put(databases, ring, "again").version == 1


def test_a_set_is_replaced_kept_and_pruned_together(databases: Databases, ring: KeyRing) -> None:
    _set(databases, ring, "a1", user=SecretChange(REPLACE, Secret("u")), old=SecretChange(REPLACE, Secret("o")))
    _set(databases, ring, "a1", user=SecretChange(KEEP), token=SecretChange(REPLACE, Secret("t")))
    assert _text(databases, ring, "user", "a1") == "u"
    assert _text(databases, ring, "token", "a1") == "t"
    with pytest.raises(SecretMissing):
        _text(databases, ring, "old", "a1")
    databases.database.write(databases.member(Role.OPERATOR), lambda uow: secrets.delete_set(uow, WORKSPACE, "a1"))
    with pytest.raises(SecretMissing):
        _text(databases, ring, "user", "a1")


def test_a_refused_change_of_a_set_changes_nothing(databases: Databases, ring: KeyRing) -> None:
    _set(databases, ring, "a1", token=SecretChange(REPLACE, Secret("t")))
    with pytest.raises(ValidationFailed, match=r"secrets\.user: there is nothing to KEEP yet"):
        _set(databases, ring, "a1", token=SecretChange(REPLACE, Secret("new")), user=SecretChange(KEEP))
    with pytest.raises(ValidationFailed, match=r"secrets\.token: KEEP takes no value"):
        _set(databases, ring, "a1", token=SecretChange(KEEP, Secret("x")))
    with pytest.raises(ValidationFailed, match=r"secrets\.token: REPLACE needs a value"):
        _set(databases, ring, "a1", token=SecretChange(REPLACE))
    assert _text(databases, ring, "token", "a1") == "t"


def test_an_account_s_own_secret_comes_before_that_of_the_workspace(databases: Databases, ring: KeyRing) -> None:
    _put(databases, ring, "workspace's")
    _set(databases, ring, "a1", token=SecretChange(REPLACE, Secret("own")))
    assert _text(databases, ring, "token", "a1") == "own"
    assert _text(databases, ring, "token", "a2") == "workspace's"
    assert _text(databases, ring, "default/token", "a1") == "workspace's"


def test_states_are_told_for_several_accounts_at_once(databases: Databases, ring: KeyRing) -> None:
    _put(databases, ring)
    _set(databases, ring, "a1", key=SecretChange(REPLACE, Secret("k")))
    states = databases.database.read(
        databases.member(Role.VIEWER),
        lambda reading: secrets.set_states(reading, WORKSPACE, {"a1": ["key", "token"], "a2": ["key", "no good"]}),
    )
    assert {
        account: {name: state.configured for name, state in found.items()} for account, found in states.items()
    } == {
        "a1": {"key": True, "token": True},
        "a2": {"key": False, "no good": False},
    }


def test_the_list_shows_workspace_secrets_of_this_workspace_in_pages(databases: Databases, ring: KeyRing) -> None:
    for name in ("a", "b", "c"):
        databases.clock.advance(ms=1)
        _put(databases, ring, name=name)
    _set(databases, ring, "a1", key=SecretChange(REPLACE, Secret("k")))
    reader = databases.member(Role.VIEWER)

    def names(request: PageRequest, wanted: SecretFilter = EVERY) -> tuple[list[str], str | None]:
        page = databases.database.read(
            reader, lambda reading: secrets.list_secrets(reading, WORKSPACE, request, wanted)
        )
        return [view.name for view in page.items], page.next_cursor

    first, cursor = names(PageRequest(2))
    assert first == ["c", "b"]
    assert names(PageRequest(2, cursor)) == (["a"], None)
    assert names(PageRequest(), SecretFilter(name="b"))[0] == ["b"]
    assert names(PageRequest(), SecretFilter(namespace="mail"))[0] == []


def test_a_row_copied_over_another_does_not_open(databases: Databases, ring: KeyRing) -> None:
    _put(databases, ring, "one", name="one")
    _put(databases, ring, "two", name="two")
    columns = ("algorithm", "nonce", "ciphertext", "key_version", "wrapped_key")

    def swap(uow: UnitOfWork) -> None:
        row = uow.connection.execute(select(secret_records).where(secret_records.c.name == "two")).mappings().one()
        values = {column: row[column] for column in columns}
        uow.connection.execute(update(secret_records).where(secret_records.c.name == "one").values(**values))

    databases.database.write(FLOW, swap)
    with pytest.raises(SecretUnreadable, match="was changed or belongs to another record"):
        _text(databases, ring, "one")
    assert _text(databases, ring, "two") == "two"


def test_an_old_text_under_a_new_version_does_not_open(databases: Databases, ring: KeyRing) -> None:
    _put(databases, ring)
    databases.database.write(FLOW, lambda uow: uow.connection.execute(update(secret_records).values(version=2)))
    with pytest.raises(SecretUnreadable):
        _text(databases, ring)


def test_after_a_rotation_all_is_wrapped_anew_and_the_old_key_may_go(databases: Databases, ring: KeyRing) -> None:
    for number in range(5):
        _put(databases, ring, f"text {number}", name=f"s{number}")
    old = ring.active
    ring.rotate()
    rounds = [databases.database.write(FLOW, lambda uow: secrets.rewrap_some(uow, ring, limit=2)) for _ in range(4)]
    assert rounds == [2, 2, 1, 0]
    assert _keys(databases) == {ring.active}
    ring.drop(old)
    assert [_text(databases, ring, f"s{number}") for number in range(5)] == [f"text {n}" for n in range(5)]
    view = databases.database.read(
        databases.member(Role.VIEWER), lambda reading: secrets.get_secret(reading, (WORKSPACE, "default", "s0"))
    )
    assert view.version == 1


def test_the_service_wraps_until_nothing_is_left(databases: Databases, ring: KeyRing, tmp_path: Path) -> None:
    _put(databases, ring)
    KeyRing.load(tmp_path / "keys" / "ring.json").rotate()
    service = secrets.rewrap_service(databases.database, ring)
    assert service.tick() is False
    assert _keys(databases) == {ring.active}
