"""The order of an opening on the disk, and who may open."""

import pytest
from tests.builders.journal_disk import JournalDisk, Killed
from tests.builders.journals import FOLDER, a_journal

from postroad.journal import Doubt, Opened, read_records, read_state
from postroad.journal.segments import Segment, segments_among
from postroad.vocabulary.errors import AlreadyRunning


def test_a_second_opener_is_refused_until_the_first_closes() -> None:
    disk = JournalDisk()
    first = a_journal(disk.process())
    with pytest.raises(AlreadyRunning, match="shard 0 in /sends/one is being sent by another process"):
        a_journal(disk.process())
    a_journal(disk.process(), shard=1).close()

    first.close()

    assert a_journal(disk.process()).header.epoch == 2


def test_old_segments_header_and_folder_are_durable_before_the_opening_is() -> None:
    disk = JournalDisk()
    a_journal(disk.process()).close()
    process = disk.process()

    a_journal(process)

    calls = [call for call in process.calls if call != "lock"]
    assert calls == ["sync_file", "create", "write", "sync", "sync_folder", "sync_folder", "write", "sync", "mark"]


def test_doubt_is_written_and_durable_before_the_opening_is() -> None:
    disk = JournalDisk()
    journal = a_journal(disk.process())
    journal.window(0, 2)
    journal.flush()
    disk.locks, disk.boot = {}, 2
    process = disk.process()

    a_journal(process)

    assert process.calls[-5:] == ["write", "sync", "write", "sync", "mark"]
    path = FOLDER / Segment(0, 2, 0).name
    assert list(read_records(path, process))[1:] == [Doubt(0, 1, 1_000), Doubt(1, 1, 1_000), Opened()]


def test_a_death_at_any_call_of_an_opening_loses_no_doubt() -> None:
    for dies_at in range(1, 20):
        disk = JournalDisk()
        journal = a_journal(disk.process())
        journal.window(0, 3)
        journal.flush()
        disk.locks, disk.boot = {}, 2
        process = disk.process()
        process.before = lambda call, process=process, dies_at=dies_at: dies(len(process.calls) >= dies_at)
        try:
            a_journal(process)
        except Killed:
            disk.locks = {}
        else:
            break

        assert sorted(a_journal(disk.process()).state.doubt) == [0, 1, 2]
    assert dies_at > 8


def dies(now: bool) -> None:
    if now:
        raise Killed


def test_an_epoch_that_died_while_opening_does_not_hide_the_reboot_before_it() -> None:
    disk = JournalDisk()
    journal = a_journal(disk.process())
    journal.window(0, 3)
    journal.flush()
    disk.locks, disk.boot = {}, 2
    process = disk.process()
    process.before = lambda call: dies(call == "sync")
    with pytest.raises(Killed):
        a_journal(process)
    disk.locks = {}

    state = read_state(FOLDER, 0, fs=disk.process())

    assert state.power_lost
    assert state.epochs == 2


def test_segments_come_in_the_order_of_writing_and_strange_files_are_left_alone() -> None:
    segments = [Segment(0, 2, 1), Segment(1, 1, 0), Segment(0, 10, 0), Segment(0, 2, 0)]
    names = [segment.name for segment in segments] + ["shard-00000.lock", "notes.txt", "shard-0.journal.bak"]
    assert segments_among(names, 0) == [Segment(0, 2, 0), Segment(0, 2, 1), Segment(0, 10, 0)]
    assert len(segments_among(names)) == 4
