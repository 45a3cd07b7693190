"""Iterators as sources."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.builders.engine_parts import Numbered

from postroad.engine import IterableSource, SpooledSource, spool
from postroad.engine.sources import adapt
from postroad.spi import Recipient
from postroad.vocabulary.errors import AudienceInvalid
from postroad.vocabulary.values import FileRef


async def test_mappings_are_numbered_in_order() -> None:
    source = IterableSource([{"a": 1}, Recipient(7, {"a": 2}, 9), {"a": 3}])
    assert [(r.sequence, r.row, r.fields["a"]) for r in await source.next_batch(10)] == [
        (0, 1, 1),
        (7, 9, 2),
        (8, 9, 3),
    ]
    assert list(await source.next_batch(10)) == []


async def test_an_iterator_is_read_a_batch_at_a_time_and_closed() -> None:
    taken: list[int] = []
    closed: list[bool] = []

    def rows() -> Iterator[dict[str, int]]:
        try:
            for number in range(1000):
                taken.append(number)
                yield {"n": number}
        finally:
            closed.append(True)

    source = IterableSource(rows())
    assert len(await source.next_batch(30)) == 30
    assert len(taken) == 30
    await source.aclose()
    assert closed == [True]


async def test_an_async_iterator_works_the_same() -> None:
    async def rows() -> AsyncIterator[dict[str, int]]:
        for number in range(5):
            yield {"n": number}

    source = IterableSource(rows())
    assert [len(await source.next_batch(3)) for _ in range(3)] == [3, 2, 0]
    await source.aclose()


async def test_a_spooled_source_gives_any_recipient_again(tmp_path: Path) -> None:
    rows = [
        Recipient(n * 2, {"名": f"第{n}", "x": None, "y": True, "z": 1.5, "f": FileRef("a/b.pdf")}, n) for n in range(9)
    ]
    source = await spool(rows, tmp_path / "rows")
    assert await source.read([16, 0, 6]) == [rows[8], rows[0], rows[3]]
    await source.skip_to(11)
    assert list(await source.next_batch(2)) == rows[6:8]
    await source.aclose()
    again = SpooledSource(tmp_path / "rows")
    assert len(again) == 9
    assert list(await again.next_batch(100)) == rows
    await again.aclose()
    assert [path.name for path in tmp_path.iterdir()] == ["rows"]


def test_a_source_stays_what_it_is_and_nonsense_is_refused() -> None:
    source = Numbered(1)
    assert adapt(source) is source
    with pytest.raises(AudienceInvalid, match="int"):
        adapt(5)  # type: ignore[arg-type]
