import csv
from pathlib import Path

import pytest
from tests.builders.journals import a_journal
from tests.builders.tables import import_text

from postroad.journal import Journal, list_segments
from postroad.recipients import (
    Chosen,
    ExportRequest,
    ResultFiles,
    Snapshot,
    export_results,
    list_items,
    write_items,
)
from postroad.recipients.results.export_child import run_export
from postroad.vocabulary.errors import AccountingBroken, InvalidInput, JournalBroken
from postroad.vocabulary.ids import RunId, SnapshotId, item_id
from postroad.vocabulary.outcomes import Outcome


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    rows = "".join(f"1380000000{n},=n{n}\n" for n in range(8))
    return import_text(tmp_path, f"mobile,code\n{rows}", mapping={"to": "mobile"}).snapshot


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "journal").mkdir()
    return tmp_path / "journal"


def _export(folder: Path, snapshot: Snapshot, first: int = 0, end: int | None = None) -> ResultFiles:
    request = ExportRequest(list_segments(folder), snapshot, folder.parent / "results", "run-1", "snap-1", first, end)
    return export_results(request)


def _one_of_each(journal: Journal) -> None:
    for sequence in range(6):
        journal.intent(sequence, 1, 1_000 + sequence)
    journal.final(0, 1, Outcome.SUCCEEDED, request_id="r0", latency_ms=12, at_ms=2_000)
    journal.final(1, 1, Outcome.FAILED, "RECIPIENT_INVALID", "=5\t50", "r1", 3, 'no\n"such" \\ user', 2_001)
    journal.final(6, 0, Outcome.SKIPPED, code="suppressed", at_ms=2_002)
    journal.retry(3, 1, 9_000, "RATE_LIMITED", "429", may_have_left=True, summary="slow")
    journal.retry(4, 1, 9_000, "NETWORK", "refused", may_have_left=False)
    journal.retry(5, 1, 9_000, "TEMPORARY_REMOTE", "503", may_have_left=True)
    journal.intent(5, 2, 1_900)
    journal.close()


def test_each_item_has_exactly_one_outcome(folder: Path, snapshot: Snapshot) -> None:
    _one_of_each(a_journal(folder=folder))

    files = _export(folder, snapshot)

    page = list_items(files.results)
    assert [(item.sequence, item.outcome.value, item.category, item.attempts) for item in page.items] == [
        (0, "SUCCEEDED", "", 1),
        (1, "FAILED", "RECIPIENT_INVALID", 1),
        (2, "UNKNOWN", "UNKNOWN", 1),
        (3, "FAILED", "RATE_LIMITED", 1),
        (4, "UNSENT", "NETWORK", 1),
        (5, "UNKNOWN", "UNKNOWN", 2),
        (6, "SKIPPED", "", 0),
        (7, "UNSENT", "", 0),
    ]
    counts = files.counts
    assert (counts.succeeded, counts.failed, counts.unknown, counts.unsent, counts.skipped) == (1, 2, 2, 2, 1)
    assert counts.total == 8


def test_an_item_carries_its_answer_its_row_and_its_recipient(folder: Path, snapshot: Snapshot) -> None:
    _one_of_each(a_journal(folder=folder))

    item = list_items(_export(folder, snapshot).results, after=0, limit=1).items[0]

    assert (item.sequence, item.row, item.code, item.request_id) == (1, 3, "=5\t50", "r1")
    assert (item.latency_ms, item.finished_at_ms, item.summary) == (3, 2_001, 'no\n"such" \\ user')
    assert item.fields == {"mobile": "13800000001", "code": "=n1", "to": "13800000001"}
    assert item.item_id == item_id(RunId("run-1"), SnapshotId("snap-1"), 1)


def test_the_tables_hold_no_formulas_and_name_their_columns(folder: Path, snapshot: Snapshot) -> None:
    _one_of_each(a_journal(folder=folder))

    files = _export(folder, snapshot)

    with files.tables["failed"].open(encoding="utf-8", newline="") as file:
        header, first, _ = csv.reader(file)
    assert header[:6] == ["sequence", "row", "outcome", "category", "code", "request_id"]
    assert header[6:] == ["attempts", "latency_ms", "finished_at_ms", "summary", "mobile", "code_2"]
    assert first[:6] == ["1", "3", "FAILED", "RECIPIENT_INVALID", "'=5\t50", "r1"]
    assert first[6:] == ["1", "3", "2001", 'no\n"such" \\ user', "13800000001", "'=n1"]
    assert sorted(files.tables) == ["failed", "skipped", "succeeded", "unknown", "unsent"]
    assert all(path.is_file() for path in files.tables.values())


def test_regression_who_did_not_get_it_has_an_answer_page_by_page(folder: Path, snapshot: Snapshot) -> None:
    _one_of_each(a_journal(folder=folder))
    results = _export(folder, snapshot).results

    first = list_items(results, outcome=Outcome.UNKNOWN, limit=1)
    assert first.next_after is not None
    second = list_items(results, outcome=Outcome.UNKNOWN, after=first.next_after, limit=1)

    assert [item.sequence for item in first.items + second.items] == [2, 5]
    assert second.next_after is None


def test_a_later_epoch_has_the_last_word(folder: Path, snapshot: Snapshot) -> None:
    _one_of_each(a_journal(folder=folder))
    again = a_journal(folder=folder)
    again.final(2, 1, Outcome.UNKNOWN, "UNKNOWN", at_ms=5_000)
    again.intent(4, 2, 5_001)
    again.final(4, 2, Outcome.SUCCEEDED, at_ms=5_002)
    again.close()

    items = list_items(_export(folder, snapshot).results).items

    assert [(items[n].outcome, items[n].attempts, items[n].finished_at_ms) for n in (2, 4)] == [
        (Outcome.UNKNOWN, 1, 5_000),
        (Outcome.SUCCEEDED, 2, 5_002),
    ]


def test_exporting_again_gives_the_same_files(folder: Path, snapshot: Snapshot) -> None:
    _one_of_each(a_journal(folder=folder))

    assert _export(folder, snapshot).results_sha256 == _export(folder, snapshot).results_sha256
    assert sorted(path.name for path in (folder.parent / "results").iterdir()) == [
        "failed.csv",
        "results.parquet",
        "skipped.csv",
        "succeeded.csv",
        "unknown.csv",
        "unsent.csv",
    ]


def test_a_run_that_sent_nothing_is_all_unsent(folder: Path, snapshot: Snapshot) -> None:
    a_journal(folder=folder).close()

    assert _export(folder, snapshot).counts.unsent == 8


def test_a_range_is_counted_alone(folder: Path, snapshot: Snapshot) -> None:
    journal = a_journal(folder=folder)
    journal.final(5, 1, Outcome.SUCCEEDED)
    journal.close()

    files = _export(folder, snapshot, 4, 6)

    assert (files.counts.total, files.counts.succeeded) == (2, 1)
    assert [(item.sequence, item.row) for item in list_items(files.results).items] == [(4, 6), (5, 7)]


def test_items_of_another_run_are_refused(folder: Path, snapshot: Snapshot) -> None:
    _one_of_each(a_journal(folder=folder))

    with pytest.raises(AccountingBroken, match="5 items outside 0–1"):
        _export(folder, snapshot, 0, 2)


def test_a_damaged_journal_that_nobody_resumed_gives_no_results(folder: Path, snapshot: Snapshot) -> None:
    _one_of_each(a_journal(folder=folder))
    segment = list_segments(folder)[0]
    content = bytearray(segment.read_bytes())
    content[content.index(b"INTENT\t2")] ^= 1
    segment.write_bytes(content)

    with pytest.raises(JournalBroken, match="damaged and the run was not resumed since"):
        _export(folder, snapshot)


def test_a_failed_export_leaves_the_files_before_it(folder: Path, snapshot: Snapshot) -> None:
    _one_of_each(a_journal(folder=folder))
    before = _export(folder, snapshot)
    wire = {
        "journals": [str(path) for path in list_segments(folder)],
        "snapshot": str(snapshot.path),
        "out_dir": str(before.results.parent),
        "run_id": "",
        "snapshot_id": "",
        "first": 0,
        "end": 1,
    }

    with pytest.raises(AccountingBroken):
        run_export(wire, lambda _: None)

    assert list_items(before.results).items[7].outcome == Outcome.UNSENT
    assert len(list(before.results.parent.iterdir())) == 6


def test_results_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="export them first"):
        list_items(tmp_path / "results.parquet")


def test_items_are_chosen_by_text_outcome_and_range(folder: Path, snapshot: Snapshot) -> None:
    _one_of_each(a_journal(folder=folder))
    results = _export(folder, snapshot).results
    everybody = list_items(results).items

    def sequences(chosen: Chosen) -> list[int]:
        return [one.sequence for one in list_items(results, chosen=chosen).items]

    assert sequences(Chosen(first=1, end=3)) == [1, 2]
    assert sequences(Chosen(text="NO\n")) == [1]
    assert sequences(Chosen(text="13800000004")) == [4]
    assert sequences(Chosen(text="% _ '")) == []
    unknown_or_unsent = frozenset({Outcome.UNKNOWN, Outcome.UNSENT})
    wanted = [one.sequence for one in everybody if one.outcome in unknown_or_unsent]
    assert sequences(Chosen(outcomes=unknown_or_unsent)) == wanted
    first = list_items(results, chosen=Chosen(outcomes=unknown_or_unsent, first=3), limit=1)
    assert [one.sequence for one in first.items] == wanted[1:2]


def test_chosen_items_are_written_as_a_csv_without_formulas(folder: Path, snapshot: Snapshot) -> None:
    _one_of_each(a_journal(folder=folder))
    files = _export(folder, snapshot)

    number = write_items(files.results, folder / "some.csv", Chosen(frozenset({Outcome.FAILED}), text="no\n"))

    with (folder / "some.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    with files.tables["failed"].open(newline="") as file:
        same_header, *failed = csv.reader(file)
    assert (number, header) == (1, same_header)
    assert rows == [row for row in failed if row[0] == "1"]
