import errno
from pathlib import Path

import pytest
from tests.builders.tables import import_text, rows_of

from postroad.recipients.durable_files import storage_errors
from postroad.vocabulary.errors import StorageFailed, StorageFull


def test_a_full_disk_is_named_with_its_folder() -> None:
    with pytest.raises(StorageFull, match="no room is left in /data"), storage_errors(Path("/data")):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_regression_a_mount_that_only_reads_was_called_a_bug() -> None:
    with pytest.raises(StorageFailed, match="/data: Read-only file system; check"), storage_errors(Path("/data")):
        raise OSError(errno.EROFS, "Read-only file system")


def test_a_failed_import_leaves_the_snapshot_before_it(tmp_path: Path) -> None:
    before = import_text(tmp_path, "a\nx\n")

    (tmp_path / "out" / "errors.csv").mkdir()
    with pytest.raises(IsADirectoryError):
        import_text(tmp_path, "a,b\ny,z\n1,2,3\n")

    assert rows_of(before.snapshot) == [(2, "x")]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["audience.parquet", "errors.csv"]
