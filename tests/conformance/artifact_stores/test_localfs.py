"""Folders of this machine as a store of artifacts."""

import os
from pathlib import Path

import pytest

from postroad.drivers.localfs import LocalArtifactStore
from postroad.vocabulary.errors import StorageFailed, StorageFull
from tests.conformance.artifact_stores.suite import *  # noqa: F403
from tests.conformance.artifact_stores.suite import CONTENT, PLACE, StoreHarness


@pytest.fixture
def harness(tmp_path: Path) -> StoreHarness:
    return StoreHarness(lambda: LocalArtifactStore(tmp_path / "artifacts"))


def test_only_the_owner_may_look_inside(tmp_path: Path) -> None:
    store = LocalArtifactStore(tmp_path / "artifacts")
    upload = store.begin(PLACE)
    upload.append(b"x")
    upload.complete()
    path = tmp_path / "artifacts" / PLACE
    assert path.stat().st_mode & 0o777 == 0o600
    folders = [path.parents[depth] for depth in range(PLACE.count("/") + 1)]
    assert {folder.stat().st_mode & 0o777 for folder in folders} == {0o700}


def test_a_link_that_somebody_laid_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    store = LocalArtifactStore(tmp_path / "artifacts")
    path = tmp_path / "artifacts" / PLACE
    path.parent.mkdir(parents=True)
    path.symlink_to(secret)
    with pytest.raises(StorageFailed):
        store.open(PLACE, 0, 6)


def test_a_file_that_was_cut_is_noticed_before_the_first_byte(tmp_path: Path) -> None:
    store = LocalArtifactStore(tmp_path / "artifacts")
    upload = store.begin(PLACE)
    upload.append(CONTENT)
    upload.complete()
    os.truncate(tmp_path / "artifacts" / PLACE, 100)
    with pytest.raises(StorageFailed, match="is missing, or shorter than it was"):
        store.open(PLACE, 0, len(CONTENT))


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LocalArtifactStore(tmp_path / "artifacts")
    upload = store.begin(PLACE)
    monkeypatch.setattr(os, "write", _no_room)
    with pytest.raises(StorageFull, match="free some space"):
        upload.append(b"x")
    monkeypatch.undo()
    upload.abort()
    assert list((tmp_path / "artifacts" / PLACE).parent.iterdir()) == []


def test_a_file_on_another_file_system_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "results.parquet"
    file.write_bytes(CONTENT)
    monkeypatch.setattr(os, "link", _elsewhere)
    store = LocalArtifactStore(tmp_path / "artifacts")
    store.adopt(PLACE, file)
    assert b"".join(store.open(PLACE, 0, len(CONTENT))) == CONTENT


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "artifacts").write_bytes(b"")
    with pytest.raises(StorageFailed):
        LocalArtifactStore(tmp_path / "artifacts")


def _no_room(*_: object) -> int:
    raise OSError(28, "No space left on device")


def _elsewhere(*_: object, **__: object) -> None:
    raise OSError(18, "Invalid cross-device link")
