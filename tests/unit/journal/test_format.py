"""Lines of the journal: shapes, escapes, checksums, room."""

from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders.journal_disk import JournalDisk
from tests.builders.journals import a_journal

from postroad.journal import Doubt, End, Final, Intent, JournalHeader, Opened, Retry, Window
from postroad.journal.format import (
    END_LIMIT,
    END_ROOM_BYTES,
    RESULT_ROOM_BYTES,
    BadRecord,
    clean,
    decode,
    doubt_line,
    end_line,
    header_line,
    join_keys,
    opened_line,
    plain,
    seal,
    split_keys,
    window_line,
)
from postroad.vocabulary.errors import JournalBroken
from postroad.vocabulary.outcomes import Outcome

texts = st.text(st.characters(codec="utf-8"))


def lines_written(disk: JournalDisk) -> list[bytes]:
    (stored,) = (stored for path, stored in disk.files.items() if path.suffix == ".journal")
    return bytes(stored.data).splitlines()


@pytest.mark.parametrize(
    ("line", "record"),
    [
        (
            header_line(JournalHeader("r", 3, 2, "t", "c", "b", "ext4:fe00", 99, 1)),
            JournalHeader("r", 3, 2, "t", "c", "b", "ext4:fe00", 99, 1),
        ),
        (opened_line(), Opened()),
        (window_line(4, 2004), Window(4, 2004)),
        (doubt_line(4, 1, 99), Doubt(4, 1, 99)),
        (end_line("PARTIAL", 99, '{"failed":\t3}'), End("PARTIAL", 99, '{"failed":\t3}')),
    ],
)
def test_what_was_written_is_read(line: str, record: object) -> None:
    assert line.endswith("\n")
    assert decode(line[:-1].encode()) == record


def test_items_are_read_as_they_were_written() -> None:
    disk = JournalDisk()
    with a_journal(disk.process()) as journal:
        journal.intent(1, 2, 1790000000000, ("domain:a,b", "sender:x\ty"), "batch 1", cost=3)
        journal.final(1, 2, Outcome.FAILED, "PERMANENT_REMOTE", "550", "id\n9", 12, "no such\tuser\\", 77)
        journal.retry(2, 1, 88, "RATE_LIMITED", "429", True, "id", 5, "slow\r\ndown\0")

    records = [decode(line) for line in lines_written(disk)[2:]]

    assert records == [
        Intent(1, 2, 1790000000000, ("domain:a,b", "sender:x\ty"), "batch 1", 3),
        Final(1, 2, Outcome.FAILED, "PERMANENT_REMOTE", "550", "id\n9", 12, "no such\tuser\\", 77),
        Retry(2, 1, 88, "RATE_LIMITED", "429", True, "id", 5, "slow\r\ndown\0"),
    ]


def test_a_plain_success_looks_as_the_reference_says() -> None:
    disk = JournalDisk()
    with a_journal(disk.process()) as journal:
        journal.intent(7, 1, 1790000000000, ("domain:example.org",))
        journal.final(7, 1, Outcome.SUCCEEDED, request_id="req-1", latency_ms=12, at_ms=1790000000013)

    intent, final = lines_written(disk)[2:]

    assert intent.rpartition(b"\t")[0] == b"INTENT\t7\t1\t1790000000000\t1\t\tdomain:example.org"
    assert final.rpartition(b"\t")[0] == b"FINAL\t7\t1\tSUCCEEDED\t\t\treq-1\t12\t1790000000013\t"
    assert int(final.rpartition(b"\t")[2]) == crc32(final.rpartition(b"\t")[0])


@given(texts)
def test_no_text_breaks_a_line(text: str) -> None:
    field = clean(text, 10_000)
    assert not set(field) & set("\t\n\r\0")
    assert plain(field) == text


@given(st.text(), st.integers(1, 20))
def test_a_cut_text_leaves_no_half_escape(text: str, limit: int) -> None:
    field = clean(text, limit)
    assert len(field) <= limit
    backslashes = len(field) - len(field.rstrip("\\"))
    assert backslashes % 2 == 0
    field.encode()


@given(st.lists(texts.filter(bool), min_size=1).map(tuple))
def test_keys_survive_whatever_they_hold(keys: tuple[str, ...]) -> None:
    assert split_keys(join_keys(keys)) == keys


def test_no_keys_are_no_keys() -> None:
    assert split_keys(join_keys(())) == ()


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\t",
        b"WINDOW\t1\t2",
        b"WINDOW\t1\t2\tx",
        seal("WINDOW\t1\t2")[:-2].encode(),
        seal("WINDOW\t1\t2").replace("1", "7", 1)[:-1].encode(),
        seal("WINDOW\t1")[:-1].encode(),
        seal("WINDOW\ta\tb")[:-1].encode(),
        seal("FUTURE\t1")[:-1].encode(),
        bytes(40),
        b"\xff\xfe\t" + str(crc32(b"\xff\xfe")).encode(),
    ],
)
def test_anything_else_is_no_record(line: bytes) -> None:
    with pytest.raises(BadRecord):
        decode(line)


def test_another_format_is_refused_with_the_way_out() -> None:
    line = seal("JOURNAL\t2\tr\t0\t1\t0\tt\tc\tb\td\t9")[:-1].encode()
    with pytest.raises(JournalBroken, match=r"format 2.*resume with the program that wrote it"):
        decode(line)


def test_the_longest_result_fits_the_room_kept_for_it() -> None:
    disk = JournalDisk()
    wide = "\U0001f4ee" * 10_000
    with a_journal(disk.process()) as journal:
        journal.final(1 << 40, 99, Outcome.SUCCEEDED, "RECIPIENT_INVALID", wide, wide, 1 << 40, wide, 1 << 45)
        journal.retry(1 << 40, 99, 1 << 45, "RECIPIENT_INVALID", wide, True, wide, 1 << 40, wide)
        journal.end("CANCELLED", 1 << 45, wide)

    final, retry, end = lines_written(disk)[2:]

    assert max(len(final), len(retry)) < RESULT_ROOM_BYTES
    assert len(end) < END_ROOM_BYTES
    assert len(decode(end).text) == END_LIMIT
