import uuid

from postroad.vocabulary.ids import RunId, SnapshotId, item_id


def test_an_item_id_is_the_same_on_every_machine() -> None:
    assert item_id(RunId("run-1"), SnapshotId("snap-1"), 7) == "0c372e95-2735-8a52-ae89-89054bf025ab"


def test_an_item_id_is_a_version_8_uuid_and_differs_by_each_part() -> None:
    ids = [
        item_id(RunId(run), SnapshotId(snapshot), sequence)
        for run in ("a", "b")
        for snapshot in ("a", "b")
        for sequence in (0, 1)
    ]
    assert len(set(ids)) == 8
    assert all((uuid.UUID(i).int >> 76) & 0xF == 8 and uuid.UUID(i).variant == uuid.RFC_4122 for i in ids)
