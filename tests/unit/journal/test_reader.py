"""Reading a segment that a crash, or a hand, has spoilt."""

from pathlib import Path

from tests.builders.journal_disk import JournalDisk, StoredFile
from tests.builders.journals import a_journal

from postroad.journal import Damaged, JournalHeader, Opened, Window, list_segments, read_records, spent_since
from postroad.journal.format import header_line, opened_line, window_line
from postroad.journal.reader import lines_of, read_fields

PATH = Path("/sends/one/shard-00000.epoch-000001.part-00.journal")
HEADER = JournalHeader("r", 0, 1, "t", "c", "b", "d", 9)
GOOD = (header_line(HEADER) + opened_line()).encode()


def records_of(data: bytes) -> list[object]:
    return list(read_records(PATH, JournalDisk({PATH: StoredFile(bytearray(data))}).process()))


def kinds_of(data: bytes) -> list[str]:
    disk = JournalDisk({PATH: StoredFile(bytearray(data))})
    return [fields[0] for fields in read_fields(PATH, disk.process())]


def test_a_whole_segment_gives_all_its_records() -> None:
    assert records_of(GOOD) == [HEADER, Opened()]


def test_every_cut_of_the_tail_gives_the_whole_records_before_it() -> None:
    data = GOOD + window_line(0, 9).encode()
    for length in range(len(data)):
        whole = data[:length].count(b"\n")
        assert records_of(data[:length]) == [HEADER, Opened(), Window(0, 9)][:whole]


def test_bad_bytes_with_records_behind_them_are_reported_once() -> None:
    spoilt = b"rubbish\nmore\trubbish\n"
    assert records_of(GOOD + spoilt + window_line(0, 9).encode()) == [
        HEADER,
        Opened(),
        Damaged(len(GOOD), len(spoilt)),
        Window(0, 9),
    ]
    assert kinds_of(GOOD + spoilt + window_line(0, 9).encode()) == ["JOURNAL", "OPENED", "DAMAGED", "WINDOW"]


def test_lost_pages_in_the_middle_swallow_the_line_behind_them() -> None:
    data = GOOD + bytes(64) + window_line(0, 9).encode() + window_line(1, 10).encode()
    assert kinds_of(data) == ["JOURNAL", "OPENED", "DAMAGED", "WINDOW"]


def test_a_tail_of_nulls_is_told_from_a_torn_write() -> None:
    assert kinds_of(GOOD + b"WINDOW\t0") == ["JOURNAL", "OPENED"]
    assert kinds_of(GOOD + b"WINDOW\t0" + bytes(8)) == ["JOURNAL", "OPENED", "HOLES"]


def test_an_empty_segment_has_no_records() -> None:
    assert records_of(b"") == []


def test_lines_do_not_depend_on_the_blocks_they_come_in() -> None:
    data = b"one\n\ntwo\nthree"
    for size in range(1, len(data) + 1):
        blocks = (data[start : start + size] for start in range(0, len(data), size))
        assert list(lines_of(blocks)) == [(0, b"one"), (4, b""), (5, b"two"), (9, b"three?")]


def _spending(folder: Path, count: int) -> Path:
    journal = a_journal(folder=folder)
    for number in range(count):
        journal.intent(number, 1, 1_000 + number, ("domain:a",), cost=2)
        journal.flush()
    journal.close()
    (segment,) = list_segments(folder)
    return segment


def test_what_was_spent_since_a_moment_is_read_from_the_end(tmp_path: Path) -> None:
    segment = _spending(tmp_path, 30_000)

    assert spent_since(segment, 30_998) == [(30_998, ("domain:a",), 2), (30_999, ("domain:a",), 2)]
    assert spent_since(segment, 40_000) == []
    assert [at for at, _, _ in spent_since(segment, 0)] == list(range(1_000, 31_000))
    assert [at for at, _, _ in spent_since(segment, 0, most=5_000)][-1] == 30_999


def test_a_torn_end_is_no_spending(tmp_path: Path) -> None:
    segment = _spending(tmp_path, 3)
    segment.write_bytes(segment.read_bytes()[:-5])
    assert [at for at, _, _ in spent_since(segment, 0)] == [1_000, 1_001]
