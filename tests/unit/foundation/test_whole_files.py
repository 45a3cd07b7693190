import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from postroad.foundation.whole_files import sync_file, sync_folder, write_whole
from postroad.vocabulary.errors import Kind, StorageFailed, StorageFull


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
@pytest.mark.parametrize(("code", "refusal"), [(errno.ENOSPC, StorageFull), (errno.EIO, StorageFailed)])
def test_regression_a_failing_disk_under_the_summary_was_called_a_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, code: int, refusal: type[StorageFull | StorageFailed]
) -> None:
    path = tmp_path / "summary.json"
    write_whole(path, b"old")

    def failing(*_arguments: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, call, failing)
    with pytest.raises(
        refusal, match=f"summary.json cannot be written: {os.strerror(code)}.*nothing is lost"
    ) as caught:
        write_whole(path, b"new")
    assert caught.value.kind is Kind.UNAVAILABLE
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("sync", [sync_folder, sync_file])
def test_a_sync_that_fails_says_of_which_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sync: Callable[[Path], None]
) -> None:
    path = tmp_path if sync is sync_folder else tmp_path / "file"
    (tmp_path / "file").touch()

    def failing(*_arguments: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(StorageFailed, match=str(path)):
        sync(path)
