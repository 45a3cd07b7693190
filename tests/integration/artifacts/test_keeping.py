"""Handing out, pinning, holding, deleting and the sweep."""

import itertools
import threading
from dataclasses import replace

import pytest
from tests.builders.databases import OTHER_WORKSPACE, WORKSPACE
from tests.integration.artifacts.conftest import DAY, HOUR, SYSTEM, Room

from postroad.foundation.metrics import ARTIFACTS_REMOVED
from postroad.kernel.authz import Principal, PrincipalKind
from postroad.kernel.pages import PageRequest
from postroad.kernel.versions import Expected
from postroad.modules import artifacts
from postroad.modules.artifacts import (
    Artifact,
    ArtifactFilter,
    ArtifactPolicy,
    ArtifactState,
    ArtifactType,
    Behalf,
)
from postroad.vocabulary.errors import PostroadError, StorageFailed
from postroad.vocabulary.refusals import (
    AccessDenied,
    ArtifactNotReady,
    AuthenticationRequired,
    ResourceNotFound,
    StateConflict,
    VersionConflict,
)
from postroad.vocabulary.roles import Role

STATE, TYPE = ArtifactState, ArtifactType
ADMIN = Role.ADMIN


def _flag(room: Room, artifact: Artifact, *, pinned: bool | None = None, held: bool | None = None) -> Artifact:
    expected = Expected(room.now(artifact.id).version)
    return room.databases.database.write(
        room.databases.member(ADMIN),
        lambda uow: (
            artifacts.pin_artifact(uow, WORKSPACE, artifact.id, pinned, expected)
            if pinned is not None
            else artifacts.hold_artifact(uow, WORKSPACE, artifact.id, bool(held), expected)
        ),
    )


def _delete(room: Room, artifact: Artifact, expected: Expected | None = None) -> Artifact:
    return room.databases.database.write(
        room.databases.member(Role.OPERATOR),
        lambda uow: artifacts.delete_artifact(
            uow, WORKSPACE, artifact.id, room.references, expected or Expected(artifact.version)
        ),
    )


def test_a_part_is_handed_out_and_noted(room: Room) -> None:
    artifact = room.stored(b"0123456789")
    delivery = room.keeper.deliver(room.operator, (WORKSPACE, artifact.id), lambda whole: (2, 3))
    assert b"".join(delivery.chunks) == b"234"
    noted = room.databases.audit.entries[-1]
    assert (noted.action, noted.resource_id, noted.source_address) == ("artifact.downloaded", artifact.id, "127.0.0.1")
    assert noted.details == {"type": "RESULT", "sha256": artifact.sha256, "start": 2, "length": 3}


def test_a_download_needs_the_right_to_read_what_the_file_belongs_to(room: Room) -> None:
    artifact = room.stored()
    roles = {WORKSPACE: Role.ADMIN}
    token = Principal(
        PrincipalKind.TOKEN, "user-1", token_id="t", roles=roles, scopes=frozenset({"artifacts:read", "audiences:read"})
    )
    refusals: list[tuple[Principal, type[PostroadError]]] = [
        (token, AccessDenied),
        (room.databases.member(ADMIN, OTHER_WORKSPACE), ResourceNotFound),
    ]
    for principal, refusal in refusals:
        with pytest.raises(refusal):
            room.keeper.deliver(Behalf(principal), (WORKSPACE, artifact.id))
        with pytest.raises(refusal):
            room.databases.database.read(
                principal, lambda reading: artifacts.get_artifact(reading, WORKSPACE, artifact.id)
            )
    allowed = replace(token, scopes=frozenset({"artifacts:read", "runs:read"}))
    room.keeper.deliver(Behalf(allowed), (WORKSPACE, artifact.id))


def test_who_was_revoked_a_moment_ago_gets_nothing(room: Room) -> None:
    artifact = room.stored()
    behalf = room.operator
    room.databases.standing.revoked.add("user-1")
    with pytest.raises(AuthenticationRequired):
        room.keeper.deliver(behalf, (WORKSPACE, artifact.id))


def test_the_file_of_another_workspace_is_not_there(room: Room) -> None:
    artifact = room.stored()
    other = room.databases.member(ADMIN, OTHER_WORKSPACE)
    with pytest.raises(ResourceNotFound, match="there is no such file"):
        room.keeper.deliver(Behalf(other), (OTHER_WORKSPACE, artifact.id))


def test_a_deleted_file_is_gone_at_once_and_its_bytes_with_the_next_sweep(room: Room) -> None:
    artifact = room.stored(b"12345")
    with pytest.raises(VersionConflict):
        _delete(room, artifact, Expected(1))
    assert _delete(room, artifact).state is STATE.DELETING
    with pytest.raises(ArtifactNotReady, match="is gone"):
        room.keeper.deliver(room.operator, (WORKSPACE, artifact.id))
    assert room.usage() == (5, 0)
    room.sweep_all()
    assert room.now(artifact.id).state is STATE.DELETED
    assert (room.usage(), room.files()) == ((0, 0), 0)
    assert room.metrics.value(ARTIFACTS_REMOVED, type="RESULT") == 1


def test_what_is_pinned_held_or_needed_is_not_deleted(room: Room) -> None:
    artifact = room.stored()
    pinned = _flag(room, artifact, pinned=True)
    with pytest.raises(StateConflict, match="pinned"):
        _delete(room, pinned)
    held = _flag(room, _flag(room, artifact, pinned=False), held=True)
    with pytest.raises(StateConflict, match="legal hold"):
        _delete(room, held)
    free = _flag(room, artifact, held=False)
    room.references.needed.add(artifact.id)
    with pytest.raises(StateConflict, match="still needs the file"):
        _delete(room, free)


def test_a_hold_is_for_administrators(room: Room) -> None:
    artifact = room.stored()
    with pytest.raises(AccessDenied):
        room.databases.database.write(
            room.databases.member(Role.OPERATOR),
            lambda uow: artifacts.hold_artifact(uow, WORKSPACE, artifact.id, True, Expected(artifact.version)),
        )


@pytest.mark.parametrize(
    ("kind", "days"), [(TYPE.IMPORT, 1), (TYPE.RESULT, 90), (TYPE.RESPONSES, 7), (TYPE.EXPORT, 1), (TYPE.LOG, 30)]
)
def test_a_file_goes_when_the_time_of_its_class_is_over(room: Room, kind: ArtifactType, days: int) -> None:
    artifact = room.stored(kind=kind)
    room.databases.clock.advance(ms=days * DAY - 1)
    room.sweep_all()
    assert room.now(artifact.id).state is STATE.READY
    room.databases.clock.advance(ms=1)
    room.sweep_all()
    assert room.now(artifact.id).state is STATE.DELETED
    assert (room.usage(), room.files()) == ((0, 0), 0)


def test_the_policy_of_a_workspace_shortens_what_its_runs_leave_and_nothing_else(room: Room) -> None:
    room.policies.policy = ArtifactPolicy(retention_ms=HOUR)
    result, snapshot = room.stored(), room.stored(kind=TYPE.SNAPSHOT)
    now = room.databases.clock.ms
    assert result.expires_at_ms == now + HOUR
    assert snapshot.expires_at_ms == now + 30 * DAY


def test_a_kept_file_outlives_its_time_and_goes_when_it_is_let_go(room: Room) -> None:
    pinned, held = room.stored(kind=TYPE.EXPORT), room.stored(kind=TYPE.EXPORT)
    _flag(room, pinned, pinned=True)
    _flag(room, held, held=True)
    for artifact in (pinned, held):
        assert room.state_after(artifact.id, 2 * DAY) is STATE.READY
    _flag(room, pinned, pinned=False)
    room.sweep_all()
    assert room.now(pinned.id).state is STATE.DELETED
    assert room.now(held.id).state is STATE.READY


def test_a_file_that_something_still_needs_outlives_its_time(room: Room) -> None:
    artifact = room.stored(kind=TYPE.IMPORT)
    room.references.needed.add(artifact.id)
    assert room.state_after(artifact.id, 3 * DAY) is STATE.READY
    room.references.needed.clear()
    assert room.state_after(artifact.id, HOUR) is STATE.DELETED


def test_the_time_of_a_snapshot_begins_when_its_last_reference_ends(room: Room) -> None:
    artifact = room.stored(kind=TYPE.SNAPSHOT)
    room.references.needed.add(artifact.id)
    for _ in range(60):
        room.databases.clock.advance(ms=DAY)
        room.sweep_all()
    assert room.now(artifact.id).state is STATE.READY
    room.references.needed.clear()
    room.databases.clock.advance(ms=30 * DAY - HOUR)
    room.sweep_all()
    assert room.now(artifact.id).state is STATE.READY
    assert room.state_after(artifact.id, 2 * HOUR) is STATE.DELETED


def test_a_removal_that_fails_is_tried_again_less_and_less_often(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    artifact = room.stored()
    _delete(room, artifact)
    tries: list[int] = []

    def fail(location: str) -> None:
        tries.append(room.databases.clock.ms)
        raise StorageFailed("the disk is away")

    with monkeypatch.context() as patch:
        patch.setattr(room.keeper.store, "delete", fail)
        for _ in range(6 * 60):
            room.sweep_all()
            room.databases.clock.advance(s=60)
    minutes = [(later - earlier) // 60_000 for earlier, later in itertools.pairwise(tries)]
    assert minutes == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60]
    assert room.now(artifact.id).last_error == "STORAGE_FAILED"
    assert room.usage()[0] == artifact.size_bytes
    room.databases.clock.advance(s=3600)
    room.sweep_all()
    assert room.now(artifact.id).state is STATE.DELETED


def test_a_crash_between_bytes_and_row_is_made_good_by_the_next_sweep(room: Room) -> None:
    artifact = room.stored()
    _delete(room, artifact)
    room.keeper.store.delete(artifact.location)
    room.sweep_all()
    assert room.now(artifact.id).state is STATE.DELETED
    assert room.usage() == (0, 0)


def test_a_dry_run_counts_what_would_go_and_changes_nothing(room: Room) -> None:
    for kind, content in ((TYPE.EXPORT, b"12"), (TYPE.EXPORT, b"345"), (TYPE.IMPORT, b"6"), (TYPE.RESULT, b"7")):
        room.stored(content, kind)
    needed = room.stored(kind=TYPE.EXPORT)
    _flag(room, room.stored(kind=TYPE.EXPORT), pinned=True)
    room.references.needed.add(needed.id)
    room.databases.clock.advance(ms=DAY)
    before = room.usage()
    counts = room.databases.database.read(
        SYSTEM.principal, lambda reading: artifacts.count_expired(reading, room.references, 1000)
    )
    assert counts == {TYPE.EXPORT: (2, 5), TYPE.IMPORT: (1, 1)}
    assert room.usage() == before


def test_the_list_is_filtered_and_bound_to_its_filters(room: Room) -> None:
    for kind in (TYPE.EXPORT, TYPE.RESULT, TYPE.RESULT):
        room.databases.clock.advance(ms=1)
        room.stored(kind=kind)
    reader = room.databases.member(Role.VIEWER)

    def page(request: PageRequest, wanted: ArtifactFilter) -> tuple[list[str], str | None]:
        found = room.databases.database.read(
            reader, lambda reading: artifacts.list_artifacts(reading, WORKSPACE, request, wanted)
        )
        return [artifact.type for artifact in found.items], found.next_cursor

    everything, results = ArtifactFilter(), ArtifactFilter(type="RESULT", owner_type="run", owner_id="r1")
    assert page(PageRequest(), everything) == (["RESULT", "RESULT", "EXPORT"], None)
    first, cursor = page(PageRequest(1), results)
    assert first == ["RESULT"]
    assert page(PageRequest(1, cursor), results) == (["RESULT"], None)
    with pytest.raises(PostroadError, match="cursor does not belong"):
        page(PageRequest(1, cursor), everything)


def test_the_usage_is_told_with_the_quota(room: Room) -> None:
    room.policies.policy = ArtifactPolicy(quota_bytes=100)
    room.stored(b"12345")
    usage = room.databases.database.read(
        room.databases.member(Role.VIEWER), lambda reading: artifacts.get_usage(reading, WORKSPACE, room.policies)
    )
    assert (usage.used_bytes, usage.reserved_bytes, usage.quota_bytes) == (5, 0, 100)


def test_sweeps_at_once_remove_each_file_once(room: Room) -> None:
    for _ in range(20):
        _delete(room, room.stored(b"12345"))
    failures: list[BaseException] = []

    def sweep() -> None:
        try:
            room.sweep_all()
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=sweep) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert room.metrics.value(ARTIFACTS_REMOVED, type="RESULT") == 20
    assert (room.usage(), room.files()) == ((0, 0), 0)


def test_a_released_file_goes_with_the_next_sweep_unless_somebody_keeps_it(room: Room) -> None:
    free, pinned, needed = (room.stored(kind=TYPE.SNAPSHOT) for _ in range(3))
    _flag(room, pinned, pinned=True)
    room.references.needed.add(needed.id)
    for artifact in (free, pinned, needed):
        room.databases.database.write(
            SYSTEM.principal, lambda uow, one=artifact: artifacts.release_artifact(uow, WORKSPACE, one.id)
        )
    room.databases.database.write(SYSTEM.principal, lambda uow: artifacts.release_artifact(uow, WORKSPACE, "never-was"))
    room.sweep_all()
    assert [room.now(one.id).state for one in (free, pinned, needed)] == [STATE.DELETED, STATE.READY, STATE.READY]
