"""The journal on the real disk of this machine: locks, kills, the sync thread, reserved blocks."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.builders.journals import a_journal

from postroad.journal import list_segments, read_records, read_state
from postroad.journal.boot import BOOT_ID
from postroad.vocabulary.errors import AlreadyRunning
from postroad.vocabulary.outcomes import Outcome

ROOT = Path(__file__).resolve().parents[2]
OK = Outcome.SUCCEEDED


def child(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.behaviour.journal_child", *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_another_process_cannot_open_a_shard_that_is_held_and_can_when_its_holder_is_killed(tmp_path: Path) -> None:
    with child("hold", str(tmp_path)) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(AlreadyRunning):
            a_journal(folder=tmp_path)

        holder.kill()
        holder.wait()

        with a_journal(folder=tmp_path) as journal:
            assert journal.header.epoch == 2


def test_a_kill_before_any_line_makes_no_second_copy_and_loses_nobody(tmp_path: Path) -> None:
    with child("killed", str(tmp_path), "23") as lives:
        output, _ = lives.communicate()

    rows = [line.split("|") for line in output.splitlines()]
    assert lives.returncode == 0
    assert len(rows) > 30
    assert [row[0] for row in rows if row[1] == "0"] == [rows[-1][0]]
    assert [row for row in rows if row[2] != "[]"] == []
    assert [row for row in rows if row[3] != "[]"] == []


def test_a_kill_leaves_no_more_in_doubt_than_was_in_flight(tmp_path: Path) -> None:
    with a_journal(folder=tmp_path) as journal:
        journal.window(0, 2000)
        journal.intent(0, 1, 5)
        journal.final(0, 1, OK)
        journal.intent(1, 1, 5)
        journal.flush()

        assert sorted(read_state(tmp_path, 0).doubt) == [1]


def test_a_write_that_the_system_cuts_short_is_mended(tmp_path: Path) -> None:
    with child("full", str(tmp_path)) as sender:
        output, _ = sender.communicate()

    assert sender.returncode == 9
    assert "free some space and resume" in output
    state = read_state(tmp_path, 0)
    assert (state.counts, sorted(state.doubt), state.corrupt) == ({OK: 1}, [1], False)


def test_the_sync_thread_tells_who_waits(tmp_path: Path) -> None:
    told = threading.Event()
    with a_journal(folder=tmp_path, sync_interval_s=0.001) as journal:
        position = journal.window(0, 10)
        journal.flush()
        journal.on_durable(position, told.set)
        journal.sync_soon()

        assert told.wait(30)
        assert journal.durable == position
    assert "journal-sync" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.skipif(sys.platform != "linux", reason="blocks beyond the end of a file are reserved on Linux only")
def test_blocks_are_reserved_beyond_the_end_and_given_back(tmp_path: Path) -> None:
    journal = a_journal(folder=tmp_path)
    journal.intent(0, 1, 5)
    journal.flush()
    (path,) = list_segments(tmp_path)
    size, blocks = path.stat().st_size, path.stat().st_blocks * 512
    assert size < 1_000
    assert blocks >= 4 << 20

    journal.close()

    assert path.stat().st_size == size
    assert path.stat().st_blocks * 512 < 1 << 20


@pytest.mark.skipif(not BOOT_ID.exists(), reason="the boot id is a file of Linux")
def test_a_restarted_process_believes_the_page_cache(tmp_path: Path) -> None:
    with a_journal(folder=tmp_path) as journal:
        journal.window(0, 10)
    with a_journal(folder=tmp_path) as journal:
        assert journal.header.boot_id == BOOT_ID.read_text().strip()
        assert not journal.state.power_lost
        assert journal.state.doubt == {}
    with a_journal(folder=tmp_path, boot_id="another boot") as journal:
        assert journal.state.power_lost


def test_segments_are_read_while_they_are_written(tmp_path: Path) -> None:
    with a_journal(folder=tmp_path) as journal, a_journal(folder=tmp_path, shard=1) as other:
        journal.final(0, 1, OK)
        other.final(1, 1, OK)
        journal.flush()
        other.flush()

        assert len(list_segments(tmp_path)) == 2
        (path,) = list_segments(tmp_path, 1)
        assert [record.sequence for record in read_records(path) if hasattr(record, "sequence")] == [1]
        assert os.stat(path).st_mode & 0o077 == 0
