"""Uploads: whole or not at all, within quota and disk, and given back when they fail."""

import hashlib
import threading
from pathlib import Path

import pytest
from tests.builders.databases import OTHER_WORKSPACE, WORKSPACE
from tests.integration.artifacts.conftest import DAY, RULES, SYSTEM, Room

from postroad.foundation.metrics import UPLOAD_BYTES
from postroad.modules.artifacts import ArtifactPolicy, ArtifactState, ArtifactType, ArtifactUpload, Behalf, KeepingRules
from postroad.vocabulary.errors import PostroadError, StorageFull
from postroad.vocabulary.refusals import (
    AccessDenied,
    ArtifactNotReady,
    QuotaExceeded,
    ResourceNotFound,
    ValidationFailed,
)
from postroad.vocabulary.roles import Role

STATE = ArtifactState


def _sent(upload: ArtifactUpload, content: bytes) -> None:
    upload.append(content)
    upload.finish()


def test_an_upload_becomes_ready_with_its_size_and_digest(room: Room) -> None:
    upload = room.keeper.begin(room.operator, room.ask(size=10))
    assert room.now(upload.artifact_id).state is STATE.UPLOADING
    assert room.usage() == (0, 10)
    upload.append(b"01234")
    upload.append(b"56789")
    ready = upload.finish()
    assert (ready.state, ready.size_bytes) == (STATE.READY, 10)
    assert ready.sha256 == hashlib.sha256(b"0123456789").hexdigest()
    assert ready.expires_at_ms == room.databases.clock.ms + 90 * DAY
    assert room.usage() == (10, 0)
    assert room.metrics.value(UPLOAD_BYTES, type="RESULT") == 10
    assert [entry.action for entry in room.databases.audit.entries] == ["artifact.stored"]
    assert room.databases.audit.entries[0].correlation_id == "trace-1"


@pytest.mark.parametrize(
    ("announced", "came", "code"),
    [(3, b"four", "SIZE_DIFFERS"), (5, b"four", "SIZE_DIFFERS"), (None, b"x" * 10_000_001, "TOO_LARGE")],
)
def test_another_size_than_announced_or_allowed_is_refused_and_given_back(
    room: Room, announced: int | None, came: bytes, code: str
) -> None:
    upload = room.keeper.begin(room.operator, room.ask(size=announced))
    with pytest.raises(ValidationFailed) as refused:
        _sent(upload, came)
    upload.abandon(refused.value.code)
    assert refused.value.problems[0].code == code
    assert room.now(upload.artifact_id).state is STATE.FAILED
    assert room.usage() == (0, 0)
    assert room.files() == 0


def test_another_digest_than_announced_is_refused(room: Room) -> None:
    upload = room.keeper.begin(room.operator, room.ask(size=1, sha256="0" * 64))
    upload.append(b"x")
    with pytest.raises(ValidationFailed, match="SHA-256 differs"):
        upload.finish()


def test_an_upload_of_unknown_size_reserves_as_it_grows(room: Room) -> None:
    upload = room.keeper.begin(room.operator, room.ask())
    assert room.usage() == (0, 0)
    upload.append(b"x" * 100)
    assert room.usage() == (0, 64 * 1024 * 1024)
    upload.append(b"x" * 100)
    upload.finish()
    assert room.usage() == (200, 0)


def test_an_upload_of_unknown_size_uses_the_last_bytes_of_the_quota(room: Room) -> None:
    room.policies.policy = ArtifactPolicy(quota_bytes=150)
    upload = room.keeper.begin(room.operator, room.ask())
    upload.append(b"x" * 100)
    with pytest.raises(QuotaExceeded, match="may have 150 bytes"):
        upload.append(b"x" * 100)
    upload.append(b"x" * 50)
    assert upload.finish().size_bytes == 150


def test_uploads_at_once_never_pass_the_quota(room: Room) -> None:
    room.policies.policy = ArtifactPolicy(quota_bytes=1000)
    outcomes: list[str] = []

    def upload() -> None:
        try:
            room.stored(b"x" * 300)
            outcomes.append("stored")
        except PostroadError as error:
            outcomes.append(error.code)

    threads = [threading.Thread(target=upload) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["QUOTA_EXCEEDED"] * 5 + ["stored"] * 3
    assert room.usage() == (900, 0)


def test_a_disk_without_room_refuses_before_the_first_byte(room: Room) -> None:
    room.keeper.rules = KeepingRules(RULES.periods_ms, DAY, 10_000_000, free_bytes=1 << 60)
    with pytest.raises(StorageFull, match="nearly full"):
        room.keeper.begin(room.operator, room.ask(size=1))
    assert room.usage() == (0, 0)


def test_an_upload_that_nobody_ends_is_thrown_away_and_cannot_be_ended_later(room: Room) -> None:
    upload = room.keeper.begin(room.operator, room.ask(size=5))
    upload.append(b"x")
    room.databases.clock.advance(ms=DAY - 1)
    room.sweep_all()
    assert room.now(upload.artifact_id).state is STATE.UPLOADING
    room.databases.clock.advance(ms=1)
    room.sweep_all()
    assert (room.now(upload.artifact_id).state, room.now(upload.artifact_id).last_error) == (STATE.FAILED, "TIMED_OUT")
    assert room.usage() == (0, 0)
    assert room.files() == 0
    upload.append(b"2345")
    with pytest.raises(PostroadError):
        upload.finish()
    assert room.files() == 0


def test_a_crash_after_the_bytes_and_before_the_row_leaves_nothing_for_ever(room: Room) -> None:
    upload = room.keeper.begin(room.operator, room.ask(size=4))
    upload.append(b"four")
    upload._upload.complete()  # and here the process dies
    assert room.files() == 1
    with pytest.raises(ArtifactNotReady):
        room.keeper.deliver(room.operator, (WORKSPACE, upload.artifact_id))
    room.databases.clock.advance(ms=DAY)
    room.sweep_all()
    assert room.files() == 0
    assert room.now(upload.artifact_id).state is STATE.FAILED


def test_a_finished_file_is_taken_in(room: Room, tmp_path: Path) -> None:
    file = tmp_path / "results.parquet"
    file.write_bytes(b"PAR1")
    artifact = room.keeper.store_file(SYSTEM, room.ask(sha256=hashlib.sha256(b"PAR1").hexdigest()), file)
    file.unlink()
    assert b"".join(room.keeper.deliver(room.operator, (WORKSPACE, artifact.id)).chunks) == b"PAR1"
    with room.keeper.local_copy(WORKSPACE, artifact.id) as path:
        assert path.read_bytes() == b"PAR1"


def test_a_file_of_our_own_making_may_be_larger_than_an_upload(room: Room, tmp_path: Path) -> None:
    file = tmp_path / "results.parquet"
    file.write_bytes(b"x" * 11)
    room.keeper.rules = KeepingRules(RULES.periods_ms, DAY, largest_bytes=10)
    assert room.keeper.store_file(SYSTEM, room.ask(), file).size_bytes == 11
    with pytest.raises(ValidationFailed):
        room.keeper.begin(room.operator, room.ask(size=11))


def test_a_finished_file_with_another_digest_is_not_taken_in(room: Room, tmp_path: Path) -> None:
    file = tmp_path / "results.parquet"
    file.write_bytes(b"PAR1")
    with pytest.raises(ValidationFailed, match="SHA-256 differs"):
        room.keeper.store_file(SYSTEM, room.ask(sha256="0" * 64), file)
    assert room.files() == 0


def test_a_file_name_is_shown_and_never_part_of_a_path(room: Room) -> None:
    from dataclasses import replace

    ask = replace(room.ask(ArtifactType.IMPORT, 1), file_name="../../客户.csv")
    upload = room.keeper.begin(room.operator, ask)
    upload.append(b"x")
    ready = upload.finish()
    assert ready.file_name == "客户.csv"
    month = "2027/01"
    assert ready.location == f"workspaces/{WORKSPACE}/import/{month}/{ready.id}"


def test_who_may_not_write_stores_nothing(room: Room) -> None:
    for principal, refusal in (
        (room.databases.member(Role.VIEWER), AccessDenied),
        (room.databases.member(Role.ADMIN, OTHER_WORKSPACE), ResourceNotFound),
    ):
        with pytest.raises(refusal):
            room.keeper.begin(Behalf(principal), room.ask(size=1))
    assert room.files() == 0
