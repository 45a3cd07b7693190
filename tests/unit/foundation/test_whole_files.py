import errno
import os
from pathlib import Path

import pytest

from postroad.foundation.whole_files import write_whole
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
