"""The writer on a good disk: positions, one write a flush, what is durable when, reserved room."""

import pytest
from tests.builders.journal_disk import JournalDisk
from tests.builders.journals import FOLDER, a_journal

from postroad.journal import read_state
from postroad.journal.format import END_ROOM_BYTES, RESULT_ROOM_BYTES
from postroad.vocabulary.errors import JournalBroken
from postroad.vocabulary.outcomes import Outcome

OK = Outcome.SUCCEEDED


def test_all_lines_of_a_flush_share_one_write() -> None:
    process = JournalDisk().process()
    journal = a_journal(process)
    process.calls.clear()
    for sequence in range(100):
        journal.intent(sequence, 1, 5)
        journal.final(sequence, 1, OK)

    journal.flush()
    journal.flush()

    assert process.calls.count("write") == 1


def test_nothing_is_written_before_the_flush() -> None:
    disk = JournalDisk()
    journal = a_journal(disk.process())
    journal.intent(0, 1, 5)
    assert journal.position == 0
    assert read_state(FOLDER, 0, fs=disk.process()).doubt == {}

    assert journal.flush() == journal.position > 0
    assert sorted(read_state(FOLDER, 0, fs=disk.process()).doubt) == [0]


def test_a_window_says_where_it_will_end() -> None:
    journal = a_journal(JournalDisk().process())
    journal.intent(0, 1, 5, ("domain:пример",))
    position = journal.window(0, 10)
    assert journal.flush() == position


def test_who_waits_is_called_once_his_position_is_durable_and_in_order() -> None:
    journal = a_journal(JournalDisk().process())
    called: list[str] = []
    journal.on_durable(0, lambda: called.append("now"))
    window = journal.window(0, 10)
    first = journal.flush()
    journal.intent(0, 1, 5)
    second = journal.flush()
    journal.on_durable(second, lambda: called.append("second"))
    journal.on_durable(second + 1, lambda: called.append("never"))
    journal.on_durable(window, lambda: called.append("first"))
    assert (called, journal.durable) == (["now"], 0)

    journal.sync_now()

    assert first == window
    assert called == ["now", "first", "second"]
    assert journal.durable == second


def test_a_sync_with_nothing_new_costs_no_call() -> None:
    process = JournalDisk().process()
    journal = a_journal(process)
    journal.window(0, 10)
    journal.flush()
    journal.sync_now()
    process.calls.clear()
    journal.sync_now()
    assert process.calls == []


def test_room_is_kept_for_the_result_of_every_open_intent() -> None:
    disk = JournalDisk(room=100_000 + END_ROOM_BYTES)
    journal = a_journal(disk.process())
    for sequence in range(30):
        journal.intent(sequence, 1, 5)
    journal.flush()
    disk.room = 0

    for sequence in range(30):
        journal.final(sequence, 1, OK, summary="x" * 300, request_id="y" * 128, code="z" * 64)
    journal.end("PARTIAL", 9, "s" * 8_000)
    journal.flush()
    journal.close()

    state = read_state(FOLDER, 0, fs=disk.process())
    assert (state.counts, state.ended) == ({OK: 30}, "PARTIAL")


def test_answers_give_their_room_back() -> None:
    disk = JournalDisk(room=10 * RESULT_ROOM_BYTES + END_ROOM_BYTES)
    process = disk.process()
    journal = a_journal(process)
    for sequence in range(60):
        journal.intent(sequence, 1, 5)
        journal.flush()
        journal.final(sequence, 1, OK)
        journal.flush()
    journal.close()
    assert read_state(FOLDER, 0, fs=disk.process()).counts == {OK: 60}


def test_closing_writes_syncs_frees_the_room_and_unlocks() -> None:
    disk = JournalDisk(room=10_000_000)
    process = disk.process()
    journal = a_journal(process)
    journal.intent(0, 1, 5)
    journal.final(0, 1, OK)

    journal.close()
    journal.close()

    (stored,) = (stored for path, stored in disk.files.items() if path.suffix == ".journal")
    assert stored.synced == len(stored.data) == 10_000_000 - (disk.room or 0)
    assert disk.locks == {}
    assert read_state(FOLDER, 0, fs=disk.process()).counts == {OK: 1}
    with pytest.raises(JournalBroken, match="closed"):
        journal.flush()
    with pytest.raises(JournalBroken, match="closed"):
        journal.intent(1, 1, 5)
    with pytest.raises(JournalBroken, match="closed"):
        journal.recover()


def test_many_bytes_that_nobody_synced_ask_for_a_sync_by_themselves() -> None:
    disk = JournalDisk()
    with a_journal(disk.process(), sync_interval_s=0.0) as journal:
        for sequence in range(40_000):
            journal.intent(sequence, 1, 1_790_000_000_000, ("a key that is rather long, as some of them are " * 2,))
        asked: list[bool] = []
        journal.sync_soon = lambda: asked.append(True)  # type: ignore[method-assign]
        journal.flush()
    assert asked == [True]


def test_forgotten_keys_are_made_again() -> None:
    disk = JournalDisk()
    with a_journal(disk.process()) as journal:
        for sequence in range(10_050):
            journal.intent(sequence, 1, 5, (f"domain:{sequence}",))
        journal.intent(0, 2, 5, ("domain:0",))
    times = read_state(FOLDER, 0, fs=disk.process()).bucket_times
    assert times[0] == times[-1] == (5, ("domain:0",), 1)
    assert times[10_049] == (5, ("domain:10049",), 1)
