from pathlib import Path

import pytest
from tests.builders.tables import import_text

from postroad.recipients import Snapshot, SnapshotSource, find_recipients, read_recipients
from postroad.spi import Recipient
from postroad.vocabulary.errors import AudienceInvalid


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    rows = "".join(f"n{number},{number}\n" for number in range(120_000))
    return import_text(tmp_path, f"姓名,x\n{rows}", mapping={"name": "姓名"}).snapshot


async def _all(source: SnapshotSource, limit: int) -> list[Recipient]:
    found: list[Recipient] = []
    while batch := await source.next_batch(limit):
        assert len(batch) <= limit
        found += batch
    return found


async def test_recipients_come_in_order_without_a_gap(snapshot: Snapshot) -> None:
    source = SnapshotSource(snapshot)

    found = await _all(source, 777)
    await source.aclose()

    assert source.total == 120_000
    assert [recipient.sequence for recipient in found] == list(range(120_000))
    assert found[119_999] == Recipient(119_999, {"姓名": "n119999", "x": "119999", "name": "n119999"}, 120_001)


def test_a_page_of_recipients_begins_anywhere(snapshot: Snapshot) -> None:
    found = read_recipients(snapshot, 119_998, 10)
    assert [(one.row, dict(one.fields)) for one in found] == [
        (120_000, {"姓名": "n119998", "x": "119998", "name": "n119998"}),
        (120_001, {"姓名": "n119999", "x": "119999", "name": "n119999"}),
    ]


def test_recipients_are_found_by_the_rows_of_the_spreadsheet(snapshot: Snapshot) -> None:
    found = find_recipients(snapshot, [120_001, 2, 500_000])
    assert [(one.row, one.fields["name"]) for one in found] == [(2, "n0"), (120_001, "n119999")]


async def test_a_shard_sees_its_range_only(snapshot: Snapshot) -> None:
    source = SnapshotSource(snapshot, 10_239, 10_242)

    found = await _all(source, 2)
    assert await source.next_batch(2) == []
    await source.aclose()

    assert (source.total, [recipient.sequence for recipient in found]) == (3, [10_239, 10_240, 10_241])


async def test_a_source_can_be_entered_anywhere_in_both_directions(snapshot: Snapshot) -> None:
    source = SnapshotSource(snapshot)
    await source.next_batch(10)

    await source.skip_to(100_000)
    forward = await source.next_batch(1)
    await source.skip_to(5)
    back = await source.next_batch(1)
    await source.skip_to(500_000)
    beyond = await source.next_batch(1)
    await source.aclose()

    assert ([r.sequence for r in forward], [r.sequence for r in back], beyond) == ([100_000], [5], [])


async def test_named_recipients_come_in_the_order_asked_and_move_nothing(snapshot: Snapshot) -> None:
    source = SnapshotSource(snapshot, 0, 110_000)
    await source.next_batch(3)

    found = await source.read([109_999, 0, 60_000, 0])
    following = await source.next_batch(1)
    with pytest.raises(KeyError):
        await source.read([110_000])
    await source.aclose()

    assert [recipient.fields["x"] for recipient in found] == ["109999", "0", "60000", "0"]
    assert following[0].sequence == 3


async def test_closing_twice_is_closing_once(snapshot: Snapshot) -> None:
    source = SnapshotSource(snapshot)
    await source.next_batch(1)
    await source.aclose()
    await source.aclose()


async def test_a_snapshot_that_is_gone_is_named(snapshot: Snapshot) -> None:
    snapshot.path.unlink()
    source = SnapshotSource(snapshot)

    with pytest.raises(AudienceInvalid, match="is gone"):
        await source.next_batch(1)
    await source.aclose()


def test_a_snapshot_is_known_by_its_hash(snapshot: Snapshot) -> None:
    assert Snapshot.open(snapshot.path, sha256=snapshot.sha256) == snapshot

    with pytest.raises(AudienceInvalid, match="was changed"):
        Snapshot.open(snapshot.path, sha256="0" * 64)


def test_what_is_no_snapshot_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_text("no")

    with pytest.raises(AudienceInvalid, match=r"x\.parquet is no snapshot"):
        Snapshot.open(path)
