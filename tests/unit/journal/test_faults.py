"""Errors of the disk at each call of the writer, and the way back."""

import errno
from contextlib import suppress

import pytest
from tests.builders.journal_disk import JournalDisk, JournalProcess, failing
from tests.builders.journals import FOLDER, a_journal

from postroad.journal import Journal, read_state
from postroad.vocabulary.errors import JournalBroken, StorageFull
from postroad.vocabulary.outcomes import Outcome

OK = Outcome.SUCCEEDED


class Scene:
    """A journal: item 0 is settled durably, 2 in flight; the FINAL of 1 and the INTENT of 3 are not flushed yet."""

    def __init__(self, room: int | None = None, reserves: bool = True) -> None:
        self.disk = JournalDisk(room=room)
        self.process: JournalProcess = self.disk.process()
        self.process.reserves = reserves
        self.journal: Journal = a_journal(self.process)
        self.journal.window(0, 10)
        for sequence in (0, 1, 2):
            self.journal.intent(sequence, 1, 5)
        self.journal.final(0, 1, OK)
        self.journal.flush()
        self.journal.sync_now()
        self.journal.final(1, 1, OK)
        self.journal.intent(3, 1, 6)

    def state_of_next_life(self, power_lost: bool = False) -> tuple[dict[Outcome, int], list[int]]:
        self.disk.locks = {}
        self.disk.boot += power_lost
        state = read_state(FOLDER, 0, fs=self.disk.process())
        return state.counts, sorted(state.doubt)


def test_every_refusal_is_a_fresh_error_with_the_way_out() -> None:
    scene = Scene()
    scene.process.before = failing("write", errno.EIO)
    journal = scene.journal
    with pytest.raises(JournalBroken, match=r"cannot write: Input/output error; nothing more is sent. Check the disk"):
        journal.flush()
    for call in (journal.flush, journal.sync_now, lambda: journal.intent(9, 1, 5), lambda: journal.window(0, 9)):
        with pytest.raises(JournalBroken) as first:
            call()
        assert first.value is not journal.fault


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_a_failed_write_keeps_results_and_drops_intents(code: int) -> None:
    scene = Scene()
    scene.process.before = failing("write", code)
    with pytest.raises(StorageFull if code in (errno.ENOSPC, errno.EDQUOT) else JournalBroken):
        scene.journal.flush()
    scene.journal.final(2, 1, OK)

    scene.journal.recover()

    assert scene.journal.fault is None
    assert scene.journal.recoveries == 1
    assert scene.journal.durable == scene.journal.position
    assert scene.state_of_next_life(power_lost=False)[0] == {OK: 3}
    assert scene.state_of_next_life()[1] == ([] if code in (errno.ENOSPC, errno.EDQUOT) else list(range(3, 10)))


@pytest.mark.parametrize("taken", [0, 1, 30, 60])
def test_a_short_write_is_cut_off_and_written_anew(taken: int) -> None:
    scene = Scene()
    scene.process.short = taken
    with pytest.raises(StorageFull, match="bytes were taken"):
        scene.journal.flush()

    scene.journal.recover()
    scene.journal.intent(4, 1, 7)
    scene.journal.flush()

    assert scene.state_of_next_life() == ({OK: 2}, [2, 4])
    assert len([path for path in scene.disk.files if path.suffix == ".journal"]) == 1


@pytest.mark.parametrize("power_lost", [False, True])
def test_after_a_failed_sync_all_that_was_not_durable_goes_to_a_new_part(power_lost: bool) -> None:
    scene = Scene()
    scene.journal.flush()
    scene.process.before = failing("sync", errno.EIO)
    with pytest.raises(JournalBroken, match="cannot sync"):
        scene.journal.sync_now()
    durable: list[int] = []
    scene.journal.on_durable(scene.journal.position, lambda: durable.append(3))

    scene.journal.recover()

    names = sorted(path.name for path in scene.disk.files)
    assert names == [
        "shard-00000.epoch-000001.part-00.journal",
        "shard-00000.epoch-000001.part-00.opened",
        "shard-00000.epoch-000001.part-00.void",
        "shard-00000.epoch-000001.part-01.journal",
    ]
    assert durable == [3]
    assert (scene.journal.header.part, scene.journal.header.boot_id) == (1, "")
    counts, doubt = scene.state_of_next_life(power_lost)
    assert counts == {OK: 2}
    assert {2, 3} <= set(doubt)


def test_what_a_failed_sync_lost_is_still_known_after_the_next_opening_and_a_power_loss() -> None:
    scene = Scene()
    scene.journal.flush()
    scene.process.before = failing("sync", errno.EIO)
    with pytest.raises(JournalBroken):
        scene.journal.sync_now()
    scene.disk.locks = {}

    state = a_journal(scene.disk.process()).state
    assert (state.power_lost, state.counts) == (True, {OK: 2})
    for stored in scene.disk.files.values():
        for start, end in stored.lost:
            stored.data[start:end] = bytes(end - start)

    later = a_journal(forget_locks(scene.disk)).state
    assert (later.power_lost, later.counts) == (False, {OK: 2})
    assert sorted(later.doubt) == sorted(state.doubt) == [2, 3, 4, 5, 6, 7, 8, 9]


def test_an_old_segment_that_cannot_be_synced_becomes_void_and_the_opening_fails() -> None:
    scene = Scene()
    scene.journal.flush()
    process = forget_locks(scene.disk)
    process.before = failing("sync_file", errno.EIO)
    with pytest.raises(JournalBroken, match="open the journal"):
        a_journal(process)

    assert scene.disk.locks == {}
    assert read_state(FOLDER, 0, fs=scene.disk.process()).power_lost


@pytest.mark.parametrize("call", ["lock", "create", "write", "sync", "sync_folder"])
@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC])
def test_an_opening_that_fails_changes_nothing_and_can_be_repeated(call: str, code: int) -> None:
    scene = Scene()
    scene.journal.flush()
    for at in (1, 2):
        process = forget_locks(scene.disk)
        process.before = failing(call, code, at=at)
        with suppress(JournalBroken):
            a_journal(process).close()
        assert scene.disk.locks == {}

    state = a_journal(forget_locks(scene.disk)).state
    assert state.counts == {OK: 2}
    assert sorted(state.doubt) == [2, 3]


def test_a_segment_whose_first_sync_failed_is_not_read_by_the_next_opening() -> None:
    disk = JournalDisk()
    process = disk.process()
    process.before = failing("sync", errno.EIO, at=2)
    with pytest.raises(JournalBroken):
        a_journal(process)
    assert [path.name for path in disk.files] == []


@pytest.mark.parametrize("call", ["create", "write", "sync", "sync_folder", "reserve"])
def test_a_recovery_that_fails_can_be_repeated(call: str) -> None:
    scene = Scene()
    scene.journal.flush()
    scene.process.before = failing("sync", errno.EIO)
    with pytest.raises(JournalBroken):
        scene.journal.sync_now()
    scene.process.before = failing(call, errno.EIO)
    with pytest.raises(JournalBroken, match="cannot recover"):
        scene.journal.recover()
    assert scene.journal.fault is not None

    scene.journal.recover()
    scene.journal.intent(4, 1, 7)
    scene.journal.flush()
    scene.journal.close()

    counts, doubt = scene.state_of_next_life(power_lost=True)
    assert counts == {OK: 2}
    assert {2, 3, 4} <= set(doubt)


def test_a_file_that_cannot_be_cut_is_left_for_a_new_part() -> None:
    scene = Scene()
    scene.process.short = 20
    with pytest.raises(StorageFull):
        scene.journal.flush()
    scene.process.before = failing("truncate", errno.EIO)
    with pytest.raises(JournalBroken):
        scene.journal.recover()

    scene.journal.recover()

    assert scene.journal.header.part == 1
    assert scene.state_of_next_life()[0] == {OK: 2}


def test_a_full_disk_stops_sends_but_not_results() -> None:
    scene = Scene(room=60_000)
    scene.disk.room = 0
    for sequence in range(100, 200):
        scene.journal.intent(sequence, 1, 6)
    with pytest.raises(StorageFull, match="free some space and resume"):
        scene.journal.flush()
    with pytest.raises(StorageFull):
        scene.journal.recover()

    with pytest.raises(StorageFull):
        scene.journal.intent(200, 1, 6)
    scene.journal.final(2, 1, OK)
    scene.journal.end("FAILED", 9, "no room")
    scene.journal.flush()
    scene.journal.sync_now()
    scene.journal.close()

    state = read_state(FOLDER, 0, fs=scene.disk.process())
    assert (state.counts, state.doubt, state.ended) == ({OK: 3}, {}, "FAILED")
    assert not state.power_lost


def test_sends_go_on_when_somebody_made_room() -> None:
    scene = Scene(room=60_000)
    scene.disk.room = 0
    for sequence in range(100, 200):
        scene.journal.intent(sequence, 1, 6)
    for call in (scene.journal.flush, scene.journal.recover):
        with pytest.raises(StorageFull):
            call()
    scene.disk.room = 10_000_000

    scene.journal.recover()
    scene.journal.intent(3, 1, 7)
    scene.journal.flush()
    scene.journal.close()

    assert scene.state_of_next_life() == ({OK: 2}, [2, 3])


def test_without_reserved_room_a_full_disk_is_still_a_storage_full() -> None:
    scene = Scene(reserves=False)
    scene.disk.room = 10
    with pytest.raises(StorageFull):
        scene.journal.flush()
    with pytest.raises(StorageFull):
        scene.journal.recover()
    scene.disk.room = 1_000_000
    scene.journal.recover()
    assert scene.state_of_next_life()[0] == {OK: 2}


def test_a_position_given_out_before_a_fault_is_not_reached_early() -> None:
    scene = Scene()
    window = scene.journal.window(3, 13)
    scene.process.before = failing("write", errno.EIO)
    with pytest.raises(JournalBroken):
        scene.journal.flush()
    assert scene.journal.durable < window

    scene.journal.recover()

    assert scene.journal.durable >= window
    scene.disk.boot += 1
    assert max(read_state(FOLDER, 0, fs=scene.disk.process()).doubt) == 12


def test_who_waits_hears_of_the_fault() -> None:
    scene = Scene()
    heard: list[str] = []
    scene.journal.on_fault(lambda: heard.append(str(scene.journal.fault)))
    scene.journal.flush()
    scene.process.before = failing("sync", errno.EIO)
    with pytest.raises(JournalBroken):
        scene.journal.sync_now()
    assert len(heard) == 1
    assert "cannot sync" in heard[0]


def test_closing_after_a_known_fault_unlocks_and_says_nothing_more() -> None:
    scene = Scene()
    scene.process.before = failing("write", errno.EIO)
    with pytest.raises(JournalBroken):
        scene.journal.flush()
    scene.journal.close()
    assert scene.disk.locks == {}


@pytest.mark.parametrize("call", ["write", "sync"])
def test_a_fault_met_in_closing_is_raised_and_unlocks(call: str) -> None:
    scene = Scene()
    scene.process.before = failing(call, errno.EIO)
    with pytest.raises(JournalBroken):
        scene.journal.close()
    assert scene.disk.locks == {}


def test_a_second_part_is_followed_by_the_next_epoch() -> None:
    scene = Scene()
    scene.journal.flush()
    scene.process.before = failing("sync", errno.EIO)
    with pytest.raises(JournalBroken):
        scene.journal.sync_now()
    scene.journal.recover()
    scene.journal.final(2, 1, OK)
    scene.journal.close()

    later = a_journal(scene.disk.process())

    assert later.header.epoch == 2
    assert later.state.epochs == 1
    assert later.state.counts == {OK: 3}
    assert not any(path.suffix == ".void" for path in scene.disk.files)


def forget_locks(disk: JournalDisk) -> JournalProcess:
    """A new process after the death of the others."""
    disk.locks = {}
    return disk.process()
