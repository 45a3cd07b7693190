"""One service on a data folder, and nobody else looks in."""

import os
import stat
from pathlib import Path

import pytest

from postroad.app.serving import data_folder
from postroad.vocabulary.errors import AlreadyRunning, ConfigInvalid


def test_the_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "data"
    with data_folder.held(folder):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_second_service_is_told_who_has_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with data_folder.held(folder):
        data_folder.tell_running(folder, {"pid": os.getpid(), "url": "http://127.0.0.1:18990"})
        expected = rf"process {os.getpid()}, at http://127.0.0.1:18990"
        with pytest.raises(AlreadyRunning, match=expected), data_folder.held(folder):
            pass


def test_removing_what_is_in_the_folder_lets_nobody_in(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with data_folder.held(folder):
        for path in folder.iterdir():
            path.unlink()
        with pytest.raises(AlreadyRunning), data_folder.held(folder):
            pass


def test_the_folder_is_free_afterwards(tmp_path: Path) -> None:
    for _ in range(2):
        with data_folder.held(tmp_path / "data"):
            pass


@pytest.mark.parametrize("mode", [0o750, 0o705, 0o777])
def test_a_folder_that_others_may_look_into_is_refused(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(ConfigInvalid, match="chmod 700"), data_folder.held(folder):
        pass


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    with pytest.raises(ConfigInvalid, match="--data-dir"), data_folder.held(tmp_path / "data"):
        pass
