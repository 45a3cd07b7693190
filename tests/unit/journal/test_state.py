"""What the segments of a shard say together."""

import pytest
from tests.builders.journal_disk import JournalDisk, StoredFile
from tests.builders.journals import FOLDER, a_journal

from postroad.journal import DoubtState, Journal, RetryState, Settled, read_state
from postroad.journal.format import seal
from postroad.journal.segments import Segment
from postroad.vocabulary.errors import JournalBroken, SendConflict
from postroad.vocabulary.outcomes import Outcome

OK = Outcome.SUCCEEDED


def crash(disk: JournalDisk) -> None:
    """The process dies; the machine goes on."""
    disk.locks = {}


def reboot(disk: JournalDisk) -> None:
    """The power fails, although everything written happens to be on the disk."""
    disk.locks = {}
    disk.boot += 1


def garble(file: StoredFile, *beginnings: str) -> None:
    """Spoils the lines that begin so; their length stays."""
    for beginning in beginnings:
        at = file.data.index(b"\n" + beginning.encode() + b"\t") + 1
        file.data[at : at + 4] = b"\xff\xff\xff\xff"


def begun(disk: JournalDisk, frontier: int = 0, to: int = 10) -> Journal:
    journal = a_journal(disk.process())
    journal.window(frontier, to)
    return journal


def test_an_empty_folder_has_everything_before_it() -> None:
    state = read_state(FOLDER, 0, fs=JournalDisk().process())
    assert (state.next_sequence, state.epochs, state.power_lost, state.counts) == (0, 0, False, {})


def test_items_are_settled_due_again_in_doubt_or_untouched() -> None:
    disk = JournalDisk()
    journal = begun(disk)
    for sequence in (0, 1, 2, 5):
        journal.intent(sequence, 1, 100 + sequence)
    journal.final(0, 1, OK)
    journal.retry(1, 1, 900, "RATE_LIMITED", "429", False)
    journal.flush()
    crash(disk)

    state = read_state(FOLDER, 0, fs=disk.process())

    assert state.settled.is_settled(0)
    assert not state.settled.is_settled(1)
    assert state.counts == {OK: 1}
    assert state.retry == {1: RetryState(1, 900, False, "RATE_LIMITED", "429", 101)}
    assert state.doubt == {2: DoubtState(1, 102), 5: DoubtState(1, 105)}
    assert state.next_sequence == 6
    assert list(state.untouched_below(6)) == [3, 4]
    assert list(state.untouched_below(6, first=4)) == [4]
    assert not state.power_lost


def test_after_a_power_loss_the_rest_of_the_window_is_in_doubt() -> None:
    disk = JournalDisk()
    journal = begun(disk, frontier=1, to=6)
    journal.intent(1, 1, 100)
    journal.final(1, 1, OK)
    journal.intent(2, 1, 100)
    journal.retry(2, 1, 900, "NETWORK", "", False)
    journal.flush()
    reboot(disk)

    state = read_state(FOLDER, 0, fs=disk.process())

    assert state.power_lost
    assert sorted(state.doubt) == [3, 4, 5]
    assert sorted(state.retry) == [2]
    assert list(state.untouched_below(6)) == [0]
    assert state.next_sequence == 6


def test_doubt_of_a_window_is_as_old_as_the_window_before_it() -> None:
    disk = JournalDisk()
    journal = begun(disk, 0, 4)
    journal.intent(0, 1, 5_000)
    journal.window(1, 8)
    journal.intent(1, 1, 7_000)
    journal.window(2, 9)
    journal.flush()
    reboot(disk)

    state = read_state(FOLDER, 0, fs=disk.process())

    assert state.doubt[8] == DoubtState(1, 5_000)
    assert state.doubt[0] == DoubtState(1, 5_000)


@pytest.mark.parametrize(("boot", "device"), [("", "memory"), ("boot-2", "memory"), ("boot-1", "other")])
def test_only_the_same_boot_and_device_are_believed(boot: str, device: str) -> None:
    disk = JournalDisk()
    begun(disk).flush()
    assert not read_state(FOLDER, 0, "boot-1", "memory", fs=disk.process()).power_lost
    assert read_state(FOLDER, 0, boot, device, fs=disk.process()).power_lost


def test_an_unreadable_boot_id_is_never_believed_even_by_itself() -> None:
    disk = JournalDisk()
    a_journal(disk.process(), boot_id="").close()
    assert read_state(FOLDER, 0, "", "memory", fs=disk.process()).power_lost


def test_a_later_attempt_replaces_an_earlier_answer_but_not_the_other_way_round() -> None:
    disk = JournalDisk()
    journal = begun(disk)
    journal.intent(0, 1, 100)
    journal.retry(0, 1, 900, "NETWORK", "", True)
    journal.intent(0, 2, 900)
    journal.retry(0, 1, 900, "NETWORK", "", True)
    journal.intent(0, 1, 100)
    journal.flush()

    state = read_state(FOLDER, 0, fs=disk.process())

    assert state.doubt == {0: DoubtState(2, 900, may_have_left=True, first_at_ms=100)}
    assert state.retry == {}


def test_repeated_records_count_once() -> None:
    disk = JournalDisk()
    journal = begun(disk)
    for _ in range(2):
        journal.intent(0, 1, 100)
        journal.final(0, 1, OK)
        journal.intent(1, 1, 100)
        journal.retry(1, 1, 900, "NETWORK", "", False)
    journal.flush()

    state = read_state(FOLDER, 0, fs=disk.process())

    assert state.counts == {OK: 1}
    assert sorted(state.retry) == [1]
    assert state.doubt == {}


def test_the_first_final_outcome_stands() -> None:
    disk = JournalDisk()
    journal = begun(disk)
    journal.final(0, 1, Outcome.UNKNOWN)
    journal.final(0, 1, OK)
    journal.flush()
    assert read_state(FOLDER, 0, fs=disk.process()).counts == {Outcome.UNKNOWN: 1}


def test_attempts_beyond_the_first_and_possible_doubles_are_counted() -> None:
    disk = JournalDisk()
    journal = begun(disk)
    journal.retry(0, 1, 900, "TEMPORARY_REMOTE", "503", True)
    journal.retry(0, 2, 990, "NETWORK", "", False)
    journal.final(0, 3, OK)
    journal.retry(1, 1, 900, "TEMPORARY_REMOTE", "503", True)
    journal.final(1, 2, Outcome.FAILED)
    journal.retry(2, 2, 900, "NETWORK", "", False)
    journal.intent(3, 2, 900)
    journal.final(4, 0, Outcome.UNSENT)
    journal.flush()

    state = read_state(FOLDER, 0, fs=disk.process())

    assert state.retried == 2 + 1 + 1 + 1
    assert state.maybe_doubled == 1


def test_doubt_is_on_record_before_anybody_settles_it() -> None:
    disk = JournalDisk()
    begun(disk, 0, 3).flush()
    reboot(disk)

    first = a_journal(disk.process()).state
    crash(disk)
    second = a_journal(disk.process()).state

    assert sorted(first.doubt) == [0, 1, 2]
    assert second.doubt == first.doubt
    assert not second.power_lost


def test_a_window_of_an_older_epoch_ends_with_the_next_opening() -> None:
    disk = JournalDisk()
    begun(disk, 0, 3).flush()
    crash(disk)
    a_journal(disk.process())
    reboot(disk)

    assert read_state(FOLDER, 0, fs=disk.process()).doubt == {}


def test_bucket_times_are_the_last_day_only() -> None:
    day = 24 * 3_600_000
    disk = JournalDisk()
    journal = begun(disk)
    journal.intent(0, 1, 1_000, ("domain:a",))
    journal.intent(1, 1, 2_000, ("domain:b", "sender:x"), cost=3)
    journal.intent(2, 1, 2_000 + day)
    journal.flush()

    assert read_state(FOLDER, 0, fs=disk.process()).bucket_times == [
        (2_000, ("domain:b", "sender:x"), 3),
        (2_000 + day, (), 1),
    ]


def test_an_end_is_known_until_the_shard_is_opened_again() -> None:
    disk = JournalDisk()
    with a_journal(disk.process()) as journal:
        journal.end("CANCELLED", 99, "by hand")

    state = read_state(FOLDER, 0, fs=disk.process())
    assert (state.ended, state.end_text) == ("CANCELLED", "by hand")

    a_journal(disk.process())
    assert read_state(FOLDER, 0, fs=disk.process()).ended == ""


def test_damage_in_the_middle_is_a_power_loss_and_puts_due_items_in_doubt() -> None:
    disk = JournalDisk()
    journal = begun(disk, 0, 4)
    journal.retry(0, 1, 900, "NETWORK", "", False)
    journal.flush()
    segment(disk).data += b"this was INTENT 0, attempt 2\n"
    journal.intent(1, 1, 950)
    journal.flush()

    state = read_state(FOLDER, 0, fs=disk.process())

    assert state.power_lost
    assert state.corrupt
    assert state.doubt[0].attempt == 2
    assert sorted(state.doubt) == [0, 1, 2, 3]


def test_regression_damage_in_the_middle_hid_people_who_were_then_sent_a_second_copy() -> None:
    disk = JournalDisk()
    journal = begun(disk, 4, 8)
    for sequence in (4, 5, 6, 7):
        journal.intent(sequence, 1, 100)
        journal.final(sequence, 1, OK)
    journal.window(8, 12)
    journal.intent(8, 1, 200)
    journal.flush()
    garble(segment(disk), "INTENT\t5", "FINAL\t5", "INTENT\t6", "FINAL\t6")

    for other_boot in (False, True):
        disk.boot += other_boot
        state = read_state(FOLDER, 0, first=4, fs=disk.process())
        assert {5, 6, 8} <= set(state.doubt)
        assert list(state.untouched_below(state.next_sequence, first=4)) == []


def test_a_power_loss_with_lost_pages_leaves_only_the_window_in_doubt() -> None:
    disk = JournalDisk()
    journal = begun(disk, 4, 8)
    for sequence in (4, 5, 6):
        journal.intent(sequence, 1, 100)
    journal.final(6, 1, OK)
    journal.flush()
    garble(segment(disk), "INTENT\t5")
    reboot(disk)

    assert sorted(read_state(FOLDER, 0, first=2, fs=disk.process()).doubt) == [4, 5, 7]


def test_regression_damaged_doubt_of_an_opening_was_sent_again() -> None:
    disk = JournalDisk()
    begun(disk, 0, 3).flush()
    reboot(disk)
    a_journal(disk.process())
    garble(list(disk.files.values())[-2], "DOUBT\t0", "DOUBT\t1")
    crash(disk)

    assert sorted(read_state(FOLDER, 0, fs=disk.process()).doubt) == [0, 1, 2]


def test_regression_a_segment_that_was_gone_or_laid_waste_sent_everybody_a_second_copy() -> None:
    for lay_waste in (bytes, lambda size: b"", lambda size: b"x\n" * size):
        disk = JournalDisk()
        begun(disk, 0, 3).close()
        segment(disk).data[:] = lay_waste(len(segment(disk).data))
        with pytest.raises(JournalBroken, match=r"part-00\.journal was overwritten or cut"):
            a_journal(disk.process())
    disk = JournalDisk()
    begun(disk, 0, 3).close()
    del disk.files[FOLDER / Segment(0, 1, 0).name]
    with pytest.raises(JournalBroken, match=r"epoch-000001\.part-00\.journal is gone"):
        a_journal(disk.process())
    assert disk.locks == {}


def test_regression_an_older_epoch_that_was_gone_was_not_missed() -> None:
    disk = JournalDisk()
    for _ in range(2):
        a_journal(disk.process()).close()
    del disk.files[FOLDER / Segment(0, 1, 0).name]
    del disk.files[FOLDER / Segment(0, 1, 0).opened_name]
    with pytest.raises(JournalBroken, match=r"epoch-000001\.part-00\.journal is gone"):
        a_journal(disk.process())


def test_regression_exchanged_segments_sent_second_copies() -> None:
    disk = JournalDisk()
    for shard in (0, 1):
        a_journal(disk.process(), shard=shard).close()
    names = [FOLDER / Segment(shard, 1, 0).name for shard in (0, 1)]
    disk.files[names[0]], disk.files[names[1]] = disk.files[names[1]], disk.files[names[0]]
    with pytest.raises(JournalBroken, match=r"shard-00000\S+ was written as shard-00001\S+: files were"):
        a_journal(disk.process())


def test_several_bad_lines_at_the_end_are_no_torn_write() -> None:
    disk = JournalDisk()
    begun(disk, 0, 4).flush()
    segment(disk).data += b"INTENT\t0\t1\t10\nINTENT\t1\t1\t1"

    assert sorted(read_state(FOLDER, 0, fs=disk.process()).doubt) == [0, 1, 2, 3]


def test_a_torn_tail_is_no_damage() -> None:
    disk = JournalDisk()
    begun(disk, 0, 4).flush()
    segment(disk).data += b"INTENT\t0\t1\t100"

    state = read_state(FOLDER, 0, fs=disk.process())

    assert not state.corrupt
    assert state.doubt == {}


def test_a_tail_of_nulls_is_a_power_loss() -> None:
    disk = JournalDisk()
    begun(disk, 0, 4).flush()
    segment(disk).data += bytes(40)

    assert sorted(read_state(FOLDER, 0, fs=disk.process()).doubt) == [0, 1, 2, 3]


def test_another_run_or_configuration_is_refused() -> None:
    disk = JournalDisk()
    a_journal(disk.process()).close()

    with pytest.raises(SendConflict, match=r"run_id: .*run-1.*not to run-2"):
        a_journal(disk.process(), run_id="run-2")
    with pytest.raises(SendConflict, match="config_sha256"):
        a_journal(disk.process(), config_sha256="beef")
    assert disk.locks == {}


def test_a_record_of_a_newer_program_is_not_guessed_at() -> None:
    disk = JournalDisk()
    begun(disk).flush()
    segment(disk).data += seal("FINAL\t1\t1\tSUCCEEDED\tnew field").encode()
    with pytest.raises(JournalBroken, match=r"FINAL line .* cannot read"):
        read_state(FOLDER, 0, fs=disk.process())


def test_shards_do_not_see_each_other() -> None:
    disk = JournalDisk()
    for shard in (0, 1):
        with a_journal(disk.process(), shard=shard) as journal:
            journal.final(shard, 1, OK)

    assert read_state(FOLDER, 1, fs=disk.process()).settled.is_settled(1)
    assert not read_state(FOLDER, 1, fs=disk.process()).settled.is_settled(0)


def test_gaps_step_over_what_is_settled() -> None:
    settled = Settled()
    for sequence in [*range(64), 70, 100_000]:
        assert settled.add(sequence)
    assert not settled.add(70)
    assert list(settled.gaps(0, 72)) == [64, 65, 66, 67, 68, 69, 71]
    assert list(settled.gaps(99_999, 100_002)) == [99_999, 100_001]
    assert not settled.is_settled(1 << 40)


def segment(disk: JournalDisk) -> StoredFile:
    (stored,) = (stored for path, stored in disk.files.items() if path.suffix == ".journal")
    return stored
