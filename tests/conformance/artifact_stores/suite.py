"""What every store of artifacts promises. A driver's test module makes a `harness` fixture and imports `*` from here.

A harness opens the store anew as often as it is asked (`opened`), so that what was written is read by somebody else.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from postroad.modules.artifacts import ArtifactStore
from postroad.vocabulary.errors import StorageFailed

PLACE = "workspaces/w-1/result/2026/11/0190a000-0000-7000-8000-000000000001"
OTHER = "workspaces/w-1/result/2026/11/0190a000-0000-7000-8000-000000000002"
CONTENT = bytes(range(256)) * 5000


@dataclass(frozen=True, slots=True)
class StoreHarness:
    opened: Callable[[], ArtifactStore]


def _written(store: ArtifactStore, content: bytes = CONTENT, place: str = PLACE) -> None:
    upload = store.begin(place)
    for start in range(0, len(content), 100_000):
        upload.append(content[start : start + 100_000])
    upload.complete()


def _read(store: ArtifactStore, start: int = 0, length: int | None = None, place: str = PLACE) -> bytes:
    return b"".join(store.open(place, start, len(CONTENT) if length is None else length))


def test_what_was_written_is_read_by_another(harness: StoreHarness) -> None:
    _written(harness.opened())
    store = harness.opened()
    assert store.size(PLACE) == len(CONTENT)
    assert _read(store) == CONTENT


@pytest.mark.parametrize(("start", "length"), [(0, 0), (0, 1), (255, 2), (1, 700_000), (1_279_999, 1), (1_280_000, 0)])
def test_any_part_can_be_read(harness: StoreHarness, start: int, length: int) -> None:
    store = harness.opened()
    _written(store)
    assert _read(store, start, length) == CONTENT[start : start + length]


def test_nothing_can_be_read_before_it_is_whole(harness: StoreHarness) -> None:
    store = harness.opened()
    upload = store.begin(PLACE)
    upload.append(CONTENT)
    assert store.size(PLACE) is None
    with pytest.raises(StorageFailed):
        store.open(PLACE, 0, 1)
    upload.complete()
    upload.complete()
    assert store.size(PLACE) == len(CONTENT)


def test_what_was_aborted_leaves_nothing_and_cannot_be_completed(harness: StoreHarness) -> None:
    store = harness.opened()
    upload = store.begin(PLACE)
    upload.append(b"half")
    upload.abort()
    upload.abort()
    with pytest.raises(StorageFailed):
        upload.append(b"more")
    assert store.size(PLACE) is None
    _written(store)
    assert _read(store) == CONTENT


def test_an_upload_that_a_sweep_removed_cannot_be_completed(harness: StoreHarness) -> None:
    upload = harness.opened().begin(PLACE)
    upload.append(b"half")
    harness.opened().delete(PLACE)
    with pytest.raises(StorageFailed):
        upload.complete()
    assert harness.opened().size(PLACE) is None


def test_an_object_is_written_once(harness: StoreHarness, tmp_path: Path) -> None:
    store = harness.opened()
    _written(store)
    file = tmp_path / "other"
    file.write_bytes(b"other")
    with pytest.raises(StorageFailed):
        store.begin(PLACE)
    with pytest.raises(StorageFailed):
        store.adopt(PLACE, file)
    assert _read(store) == CONTENT


def test_a_file_is_taken_in_whole_and_its_first_name_may_go(harness: StoreHarness, tmp_path: Path) -> None:
    file = tmp_path / "results.parquet"
    file.write_bytes(CONTENT)
    harness.opened().adopt(PLACE, file)
    file.unlink()
    assert _read(harness.opened()) == CONTENT


def test_removing_can_be_repeated_and_touches_nothing_else(harness: StoreHarness) -> None:
    store = harness.opened()
    _written(store)
    _written(store, place=OTHER)
    store.delete(PLACE)
    store.delete(PLACE)
    store.delete("workspaces/w-9/result/2026/11/nothing")
    assert store.size(PLACE) is None
    assert store.size(OTHER) == len(CONTENT)
    with pytest.raises(StorageFailed):
        store.open(PLACE, 0, 1)


def test_more_than_there_is_cannot_be_asked_for(harness: StoreHarness) -> None:
    store = harness.opened()
    _written(store, b"short")
    with pytest.raises(StorageFailed):
        store.open(PLACE, 0, 6)


def test_a_download_goes_on_while_the_object_is_removed(harness: StoreHarness) -> None:
    store = harness.opened()
    _written(store)
    chunks = store.open(PLACE, 0, len(CONTENT))
    first = next(chunks)
    harness.opened().delete(PLACE)
    assert first + b"".join(chunks) == CONTENT


def test_a_local_copy_holds_the_content(harness: StoreHarness) -> None:
    store = harness.opened()
    _written(store)
    with store.local_copy(PLACE) as path:
        assert path.read_bytes() == CONTENT
    with pytest.raises(StorageFailed), store.local_copy(OTHER):
        pass


@pytest.mark.parametrize("place", ["", "/etc/passwd", "a/../b", "a//b", "a/.hidden", "a\\b", "a/b\n", "ä/b", "a/"])
def test_a_place_that_is_no_plain_path_is_refused(harness: StoreHarness, place: str) -> None:
    store = harness.opened()
    with pytest.raises(ValueError):
        store.begin(place)
    with pytest.raises(ValueError):
        store.delete(place)


def test_an_empty_object_is_one(harness: StoreHarness) -> None:
    store = harness.opened()
    _written(store, b"")
    assert store.size(PLACE) == 0
    assert _read(store, 0, 0) == b""
