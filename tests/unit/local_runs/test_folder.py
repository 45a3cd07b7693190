import os
from pathlib import Path

import pytest
from tests.unit.local_runs.plans import a_plan

from postroad.flows.local_runs.keeping.folder import SendFolder, make_folder
from postroad.flows.local_runs.keeping.index import SendIndex
from postroad.flows.local_runs.listing import open_send
from postroad.foundation.home import Home
from postroad.vocabulary.errors import AlreadyRunning, InvalidInput, SendConflict, StorageFailed


class Noon:
    def now_ms(self) -> int:
        return 1_796_040_000_000

    def monotonic(self) -> float:
        return 0.0


def test_names_count_up_and_carry_date_and_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = [make_folder(None, "欢迎 new/users", Noon()).path.name for _ in range(2)]
    assert names == ["2026-11-30-欢迎-new-users-1", "2026-11-30-欢迎-new-users-2"]


def test_a_folder_that_is_not_ours_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(InvalidInput, match="not empty and not a send"):
        make_folder(tmp_path, "a", Noon())
    with pytest.raises(InvalidInput, match="is a file"):
        make_folder(tmp_path / "thesis.txt", "a", Noon())
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_a_frozen_send_is_never_overwritten(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "out", "a", Noon())
    folder.write_job("a", {})
    folder.write_plan(a_plan())
    with pytest.raises(SendConflict, match="postroad send --resume"):
        make_folder(tmp_path / "out", "a", Noon())


def test_an_unconfirmed_preparation_makes_room(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "out", "a", Noon())
    folder.write_job("a", {})
    folder.snapshot.write_bytes(b"old")
    again = make_folder(tmp_path / "out", "a", Noon())
    assert list(again.path.iterdir()) == []


def test_regression_a_preparation_killed_before_its_first_file_was_whole_makes_room(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "out", "a", Noon())
    (folder.path / ".job.json.part").write_bytes(b"{")
    again = make_folder(tmp_path / "out", "a", Noon())
    assert list(again.path.iterdir()) == []


def test_a_held_folder_is_held_once(tmp_path: Path) -> None:
    assert not SendFolder(tmp_path).is_held
    with SendFolder(tmp_path).held():
        assert SendFolder(tmp_path).is_held
        with pytest.raises(AlreadyRunning), SendFolder(tmp_path).held(wait_s=0.0):
            pass
    assert not SendFolder(tmp_path).is_held
    with SendFolder(tmp_path).held():
        pass


def test_the_index_finds_the_same_hash_again(tmp_path: Path) -> None:
    index = SendIndex(Home(tmp_path / "home"))
    folder = make_folder(tmp_path / "out", "a", Noon())
    plan = a_plan()
    with index.changing():
        assert index.find_same(plan.hash) is None
        index.add(plan, folder.path)
    assert index.find_same(plan.hash) is None, "not frozen yet: nothing was sent"
    folder.write_job("a", {})
    folder.write_plan(plan)
    assert index.find_same(plan.hash) == folder.path
    folder.remove()
    assert index.find_same(plan.hash) == folder.path, "gone, but its messages were sent"


def test_the_index_lives_through_a_broken_entry(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    index = SendIndex(home)
    index.add(a_plan(), tmp_path)
    (home.sends / "zzz.json").write_text("{")
    assert [entry.run_id for entry in index.newest()] == ["run-1"]


def test_a_frozen_send_without_journal_waits_for_its_resume(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "out", "a", Noon())
    folder.write_job("a", {})
    folder.write_plan(a_plan())
    view = open_send(folder.path)
    assert (view.state, view.can_resume, view.is_held, view.counts.open) == ("LOST", True, False, 10)
    with folder.held():
        assert (open_send(folder.path).state, open_send(folder.path).can_resume) == ("RUNNING", False)


def test_looking_leaves_no_trace(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="holds no frozen send"):
        open_send(tmp_path)
    assert os.listdir(tmp_path) == []


def test_a_send_names_people_and_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    assert make_folder(tmp_path / "send", "x", Noon()).path.stat().st_mode & 0o777 == 0o700


def test_regression_a_folder_that_cannot_be_made_was_called_a_bug() -> None:
    with pytest.raises(InvalidInput, match="--out"):
        make_folder(Path("/proc/postroad/send"), "a", Noon())


def test_regression_a_lock_that_cannot_be_opened_was_called_a_bug(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match="its mount"), SendFolder(tmp_path / "gone").held():
        pass
