"""What is settled of a run that goes on, looked at while its journal grows."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from tests.builders.daemons import wait_until
from tests.builders.journals import a_journal
from tests.builders.processes import children_of
from tests.builders.tables import import_text

from postroad.journal import Journal, list_segments
from postroad.recipients import Chosen, ExportRequest, LiveParts, LiveRun, Snapshot, list_items, list_live_items
from postroad.recipients.live import sealing
from postroad.recipients.live.sealing import RunSealer
from postroad.recipients.results.export_child import run_export
from postroad.vocabulary.outcomes import Outcome

PEOPLE = 40
OK, BAD, UNSURE = Outcome.SUCCEEDED, Outcome.FAILED, Outcome.UNKNOWN


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    return import_text(tmp_path, "id,name\n" + "".join(f"p{n},Name {n}\n" for n in range(PEOPLE))).snapshot


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    (tmp_path / "journal").mkdir()
    opened = a_journal(folder=tmp_path / "journal")
    yield opened
    opened.close()


@pytest.fixture
def live(tmp_path: Path, snapshot: Snapshot) -> LiveRun:
    return LiveRun(tmp_path / "live", snapshot.path, "run-1", snapshot.sha256)


@pytest.fixture
def sealer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunSealer]:
    monkeypatch.setattr(sealing, "PART_RECORDS", 10)
    with duckdb.connect() as connection:
        yield RunSealer(tmp_path / "journal", tmp_path / "live", connection)


def _settle(journal: Journal, *sequences: int, outcome: Outcome = OK, summary: str = "") -> None:
    for sequence in sequences:
        journal.intent(sequence, 1, 1_000 + sequence)
        journal.final(sequence, 1, outcome, "" if outcome is OK else "PERMANENT_REMOTE", at_ms=9, summary=summary)
    journal.flush()


def _sequences(live: LiveRun, chosen: Chosen | None = None, after: int = -1, limit: int = 100) -> list[int]:
    return [item.sequence for item in list_live_items(live, chosen or Chosen(), after, limit)]


def test_nothing_is_there_before_anything_was_settled(live: LiveRun) -> None:
    assert list_live_items(live, Chosen(), -1, 10) == ()


def test_what_is_settled_appears_while_the_journal_grows(journal: Journal, live: LiveRun, sealer: RunSealer) -> None:
    _settle(journal, 3, 1)
    assert not sealer.seal()
    assert _sequences(live) == [1, 3]
    _settle(journal, 2, 7, outcome=BAD)
    sealer.seal()
    assert _sequences(live) == [1, 2, 3, 7]
    assert _sequences(live, Chosen(frozenset({BAD}))) == [2, 7]


def test_a_full_part_is_never_written_again(journal: Journal, live: LiveRun, sealer: RunSealer) -> None:
    _settle(journal, *range(25))
    while sealer.seal():
        pass
    full = [part for part in live.parts.glob("*.parquet") if "open" not in part.name]
    written = {part: part.stat().st_mtime_ns for part in full}
    _settle(journal, *range(25, 28))
    sealer.seal()
    assert full
    assert {part: part.stat().st_mtime_ns for part in full} == written
    assert _sequences(live) == list(range(28))


def test_pages_follow_each_other_without_gap_or_repeat(journal: Journal, live: LiveRun, sealer: RunSealer) -> None:
    _settle(journal, *range(0, PEOPLE, 2))
    _settle(journal, 4, 6, 8)
    while sealer.seal():
        pass
    found: list[int] = []
    while page := _sequences(live, after=found[-1] if found else -1, limit=7):
        found += page
    assert found == list(range(0, PEOPLE, 2))


def test_a_page_is_what_the_results_will_say(
    journal: Journal, live: LiveRun, sealer: RunSealer, snapshot: Snapshot, tmp_path: Path
) -> None:
    _settle(journal, *range(20), summary="a\tb\nc\\d")
    _settle(journal, 30, outcome=BAD)
    while sealer.seal():
        pass
    request = ExportRequest(list_segments(tmp_path / "journal"), snapshot, tmp_path / "out")
    wire = {
        "journals": [str(path) for path in request.journals],
        "snapshot": str(snapshot.path),
        "out_dir": str(tmp_path),
        "run_id": "run-1",
        "snapshot_id": snapshot.sha256,
        "first": 0,
        "end": None,
    }
    run_export(wire, lambda _: None)
    for chosen in (Chosen(frozenset({OK, BAD})), Chosen(frozenset({OK}), text="NAME 1"), Chosen(text="b\nc\\d", end=5)):
        final = list_items(tmp_path / "results.parquet", chosen=chosen).items
        assert list_live_items(live, chosen, -1, 100) == final
        assert final


def test_later_epochs_and_other_shards_are_followed_too(
    journal: Journal, live: LiveRun, sealer: RunSealer, tmp_path: Path
) -> None:
    _settle(journal, 1)
    sealer.seal()
    journal.close()
    again = a_journal(folder=tmp_path / "journal")
    other = a_journal(folder=tmp_path / "journal", shard=1)
    _settle(again, 2)
    _settle(other, 30)
    sealer.seal()
    assert _sequences(live) == [1, 2, 30]
    again.close()
    other.close()


def test_half_a_line_is_left_and_a_damaged_one_passed_over(
    journal: Journal, live: LiveRun, sealer: RunSealer, tmp_path: Path
) -> None:
    _settle(journal, 1)
    journal.close()
    (segment,) = list_segments(tmp_path / "journal")
    whole = segment.read_bytes()
    line = next(line for line in whole.split(b"\n") if line.startswith(b"FINAL"))
    segment.write_bytes(whole + line.replace(b"\t1\t", b"\t2\t", 1) + b"\n" + line[:-3])
    sealer.seal()
    assert _sequences(live) == [1]
    with segment.open("ab") as file:
        file.write(line[-3:] + b"\n")
    sealer.seal()
    assert _sequences(live) == [1]


def test_a_child_follows_runs_and_leaves_nothing_when_they_are_over(
    journal: Journal, live: LiveRun, tmp_path: Path
) -> None:
    parts = LiveParts()
    try:
        parts.show(tmp_path / "journal", live.parts)
        _settle(journal, 5)
        wait_until(lambda: _sequences(live) == [5], "the child wrote a part")
        for child in children_of("postroad.recipients.live.seal_child"):
            os.kill(child, signal.SIGKILL)
        _settle(journal, 6)

        def is_anew() -> bool:
            parts.revive()
            return _sequences(live) == [5, 6]

        wait_until(is_anew, "another child wrote it anew")
        parts.hide(live.parts)
        wait_until(lambda: not live.parts.exists(), "the parts are gone")
    finally:
        parts.stop()
    parts.show(tmp_path / "journal", live.parts)
    assert not live.parts.exists()
