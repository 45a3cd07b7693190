"""Workspaces on both databases."""

import pytest
from tests.builders.people import SYSTEM, House

from postroad.kernel.authz import ANONYMOUS
from postroad.kernel.pages import PageRequest
from postroad.kernel.versions import Expected, How
from postroad.modules import workspaces
from postroad.modules.workspaces import (
    ChangePolicy,
    MoveWorkspace,
    RenameWorkspace,
    WorkspaceFilter,
    WorkspacePolicy,
    WorkspaceStatus,
)
from postroad.vocabulary.events import EventName
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


def _names(house: House, principal: object, **wanted: object) -> list[str]:
    page = house.database.read(
        principal,  # type: ignore[arg-type]
        lambda reading: workspaces.list_workspaces(reading, PageRequest(), WorkspaceFilter(**wanted)),  # type: ignore[arg-type]
    )
    return [workspace.name for workspace in page.items]


def test_the_service_makes_the_first_workspace_once(house: House) -> None:
    assert house.database.write(SYSTEM, workspaces.ensure_default_workspace) is None
    with pytest.raises(AccessDenied):
        house.database.write(house.administrator(), workspaces.ensure_default_workspace)


def test_only_a_system_administrator_makes_workspaces(house: House) -> None:
    with pytest.raises(AccessDenied):
        house.database.write(house.member("anna", Role.ADMIN), lambda uow: workspaces.create_workspace(uow, "Mine"))
    made = house.database.write(house.administrator(), lambda uow: workspaces.create_workspace(uow, "  Sales \n East"))
    assert (made.name, made.version, made.status) == ("Sales East", 1, WorkspaceStatus.ACTIVE)


def test_a_member_sees_the_own_workspaces_and_a_system_administrator_all(house: House) -> None:
    other = house.other_workspace("Other")
    anna = house.member("anna", Role.VIEWER)
    assert _names(house, anna) == ["Default"]
    assert _names(house, house.administrator()) == ["Other", "Default"]
    with pytest.raises(ResourceNotFound):
        house.database.read(anna, lambda reading: workspaces.get_workspace(reading, other))
    with pytest.raises(AuthenticationRequired):
        _names(house, ANONYMOUS)


def test_who_is_in_no_workspace_sees_none(house: House) -> None:
    house.user("nobody")
    assert _names(house, house.sign_in("nobody")) == []


def test_a_workspace_that_is_not_there_looks_like_one_of_others(house: House) -> None:
    with pytest.raises(ResourceNotFound):
        house.database.read(house.administrator(), lambda reading: workspaces.get_workspace(reading, "missing"))


def test_a_part_of_the_name_finds_it_whatever_its_case_and_wildcards_are_letters(house: House) -> None:
    house.other_workspace("100% Süd")
    admin = house.administrator()
    assert _names(house, admin, name="SÜD") == ["100% Süd"]
    assert _names(house, admin, name="%") == ["100% Süd"]
    assert _names(house, admin, name="_") == []
    assert _names(house, admin, status="ARCHIVED") == []


def test_pages_follow_each_other_without_gap_or_repeat(house: House) -> None:
    for number in range(5):
        house.other_workspace(f"W{number}")
    admin, found, cursor = house.administrator(), [], None
    while True:
        request = PageRequest(limit=2, cursor=cursor)
        page = house.database.read(
            admin, lambda reading, asked=request: workspaces.list_workspaces(reading, asked, WorkspaceFilter())
        )
        found += [workspace.name for workspace in page.items]
        if not page.has_more:
            break
        cursor = page.next_cursor
    assert found == ["W4", "W3", "W2", "W1", "W0", "Default"]


def test_an_administrator_renames_and_tells(house: House) -> None:
    anna = house.member("anna", Role.ADMIN)
    ask = RenameWorkspace(house.workspace_id, "North", Expected(1))
    renamed = house.database.write(anna, lambda uow: workspaces.rename_workspace(uow, ask))
    assert (renamed.name, renamed.version) == ("North", 2)
    row = house.audited(action="workspace.rename")[-1]
    assert (row.actor_id, row.details) == (anna.user_id, {"name": "North"})


def test_a_change_names_the_version_it_was_made_from(house: House) -> None:
    anna = house.member("anna", Role.ADMIN)

    def rename(expected: Expected) -> None:
        ask = RenameWorkspace(house.workspace_id, "North", expected)
        house.database.write(anna, lambda uow: workspaces.rename_workspace(uow, ask))

    with pytest.raises(PreconditionRequired):
        rename(Expected(None))
    with pytest.raises(VersionConflict) as stale:
        rename(Expected(7, How.BODY))
    assert stale.value.head["version"] == 1


def test_an_operator_changes_no_policy(house: House) -> None:
    ask = ChangePolicy(house.workspace_id, WorkspacePolicy(max_workers=1), Expected(1))
    with pytest.raises(AccessDenied):
        house.database.write(house.member("anna", Role.OPERATOR), lambda uow: workspaces.change_policy(uow, ask))


def test_a_policy_holds_for_those_who_keep_it(house: House) -> None:
    policy = WorkspacePolicy(max_concurrent_runs=2, artifact_quota_bytes=10**12)
    ask = ChangePolicy(house.workspace_id, policy, Expected(1))
    house.database.write(house.member("anna", Role.ADMIN), lambda uow: workspaces.change_policy(uow, ask))
    assert house.database.read(SYSTEM, lambda reading: workspaces.policy_of(reading, house.workspace_id)) == policy
    assert house.audited(action="workspace.policy")[-1].details == {
        "maxConcurrentRuns": 2,
        "artifactQuotaBytes": 10**12,
    }


def test_the_same_policy_again_is_no_new_version(house: House) -> None:
    ask = ChangePolicy(house.workspace_id, WorkspacePolicy(), Expected(1))
    assert house.database.write(SYSTEM, lambda uow: workspaces.change_policy(uow, ask)).version == 1
    assert house.audited(action="workspace.policy") == []


def test_a_policy_out_of_range_is_refused(house: House) -> None:
    ask = ChangePolicy(house.workspace_id, WorkspacePolicy(max_workers=-1), Expected(1))
    with pytest.raises(ValidationFailed):
        house.database.write(SYSTEM, lambda uow: workspaces.change_policy(uow, ask))


def _move(house: House, principal: object, workspace_id: str, to: WorkspaceStatus, version: int) -> object:
    ask = MoveWorkspace(workspace_id, to, Expected(version))
    return house.database.write(principal, lambda uow: workspaces.move_workspace(uow, ask))  # type: ignore[arg-type]


def test_an_archived_workspace_is_read_and_not_changed_until_it_is_active_again(house: House) -> None:
    admin, other = house.administrator(), house.other_workspace()
    _move(house, admin, other, WorkspaceStatus.ARCHIVED, 1)
    assert house.database.read(admin, lambda reading: workspaces.get_workspace(reading, other)).status == "ARCHIVED"
    with pytest.raises(StateConflict, match="archived"):
        house.database.read(SYSTEM, lambda reading: workspaces.require_active(reading, other))
    ask = RenameWorkspace(other, "New", Expected(2))
    with pytest.raises(StateConflict, match="archived"):
        house.database.write(admin, lambda uow: workspaces.rename_workspace(uow, ask))
    _move(house, admin, other, WorkspaceStatus.ACTIVE, 2)
    house.database.read(SYSTEM, lambda reading: workspaces.require_active(reading, other))


def test_an_administrator_of_the_workspace_does_not_archive_it(house: House) -> None:
    with pytest.raises(AccessDenied):
        _move(house, house.member("anna", Role.ADMIN), house.workspace_id, WorkspaceStatus.ARCHIVED, 1)


def test_the_last_active_workspace_stays(house: House) -> None:
    with pytest.raises(StateConflict, match="only active"):
        _move(house, house.administrator(), house.workspace_id, WorkspaceStatus.ARCHIVED, 1)


def test_a_name_is_unique_among_the_active_and_an_archived_one_frees_it(house: House) -> None:
    admin, other = house.administrator(), house.other_workspace("Sales")
    with pytest.raises(StateConflict, match="already"):
        house.other_workspace("ＳＡＬＥＳ")
    _move(house, admin, other, WorkspaceStatus.ARCHIVED, 1)
    house.other_workspace("sales")
    with pytest.raises(StateConflict, match="already"):
        _move(house, admin, other, WorkspaceStatus.ACTIVE, 2)


def test_a_change_is_an_event_of_its_workspace(house: House) -> None:
    ask = RenameWorkspace(house.workspace_id, "North", Expected(1))

    def work(uow: object) -> list[tuple[str, str, int, object]]:
        workspaces.rename_workspace(uow, ask)  # type: ignore[arg-type]
        return [
            (event.name, event.workspace_id, event.aggregate.version, event.payload["change"])
            for event in uow.events  # type: ignore[attr-defined]
        ]

    assert house.database.write(SYSTEM, work) == [(EventName.WORKSPACE_CHANGED, house.workspace_id, 2, "rename")]
