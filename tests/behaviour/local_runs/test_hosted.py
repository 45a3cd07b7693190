"""The folder of a run that a host executes: made once, accounted for where no worker can, ended once."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.builders.journals import a_journal
from tests.builders.tables import import_text

from postroad.flows.local_runs import (
    AudienceRecord,
    HostedRun,
    ShardAccount,
    StandingShard,
    count_as_it_stands,
    end_hosted,
    find_hosted,
    freeze_hosted,
    is_frozen,
    times_spent,
)
from postroad.foundation.home import Home
from postroad.jobfile import Policies
from postroad.spi import ConfigDocument
from postroad.vocabulary.errors import AccountingBroken, SendConflict
from postroad.vocabulary.outcomes import Outcome
from postroad.vocabulary.transitions import RunState

PEOPLE = 10
Kill = Callable[[], None]


def _unheard(_kill: Kill) -> None:
    return None


@pytest.fixture
def run(tmp_path: Path) -> HostedRun:
    snapshot = import_text(tmp_path, "id\n" + "".join(f"p{number}\n" for number in range(PEOPLE))).snapshot
    return HostedRun(
        folder=tmp_path / "runs" / "run-1",
        run_id="run-1",
        name="News",
        provider_id="http",
        provider_version="1",
        engine_version="1",
        account=ConfigDocument.of("http/account", "1", {"baseUrl": "http://127.0.0.1:1"}),
        message=ConfigDocument.of("http/message", "1", {"path": "/"}),
        policies=Policies(),
        shards=((0, PEOPLE),),
        snapshot=snapshot.path,
        audience=AudienceRecord(snapshot.sha256, PEOPLE, PEOPLE, 0, 0),
        frozen_at_ms=1_000,
    )


def test_a_folder_is_frozen_once_and_belongs_to_one_run(run: HostedRun) -> None:
    assert find_hosted(run.folder, "run-1", has_begun=False) is None
    plan = freeze_hosted(run)
    assert find_hosted(run.folder, "run-1", has_begun=True) == plan
    with pytest.raises(SendConflict, match="belongs to run run-1"):
        find_hosted(run.folder, "run-2", has_begun=False)


def test_a_run_that_has_begun_is_never_begun_anew(run: HostedRun) -> None:
    with pytest.raises(SendConflict, match="is gone, and with it who was sent to"):
        find_hosted(run.folder, "run-1", has_begun=True)
    freeze_hosted(run)
    (run.folder / "journal").rmdir()
    with pytest.raises(SendConflict, match="is gone, and with it who was sent to"):
        find_hosted(run.folder, "run-1", has_begun=True)


def test_another_snapshot_than_the_planned_one_is_not_sent_to(run: HostedRun, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = import_text(tmp_path / "other", "id\nx\n").snapshot
    with pytest.raises(Exception, match="was changed"):
        freeze_hosted(replace(run, snapshot=other.path))
    assert not is_frozen(run.folder)


def test_what_a_power_loss_left_in_doubt_is_unknown_where_no_worker_goes_on(run: HostedRun) -> None:
    plan = freeze_hosted(run)
    journal = a_journal(
        folder=run.folder / "journal", run_id="run-1", config_sha256=plan.hash, boot_id="another machine's life"
    )
    journal.window(0, 6)
    journal.sync_now()
    for sequence in range(3):
        journal.intent(sequence, 1, 2_000)
    journal.final(0, 1, Outcome.SUCCEEDED)
    journal.flush()
    journal.close()

    shard = StandingShard(run.folder, 0, rehearses=False)
    counts = [count_as_it_stands(shard, "fence", 3_000, _unheard) for _ in range(2)]

    assert counts[0] == counts[1]
    assert (counts[0].succeeded, counts[0].unknown, counts[0].unsent) == (1, 5, 4)


def test_a_shard_that_nobody_began_is_unsent(run: HostedRun) -> None:
    freeze_hosted(run)
    counts = count_as_it_stands(StandingShard(run.folder, 0, rehearses=False), "fence", 3_000, _unheard)
    assert (counts.total, counts.unsent) == (PEOPLE, PEOPLE)
    assert list((run.folder / "journal").iterdir()) == []


def test_the_end_is_made_once_and_only_for_counts_that_the_journal_has(run: HostedRun, tmp_path: Path) -> None:
    freeze_hosted(run)
    counts = count_as_it_stands(StandingShard(run.folder, 0, rehearses=False), "fence", 3_000, _unheard)
    account = ShardAccount(RunState.CANCELLED, "a person", counts, 1_000, 2_000)
    home = Home(tmp_path / "home")

    first = end_hosted(run.folder, account, home, _unheard)
    again = end_hosted(run.folder, account, home, _unheard)

    assert first == again
    assert set(first.files) == {"results", "summary", "receipt", "succeeded", "failed", "unknown", "unsent", "skipped"}
    (run.folder / "ended.json").unlink()
    (run.folder / "receipt.json").unlink()
    wrong = replace(account, counts=replace(counts, unsent=PEOPLE - 1, succeeded=1))
    with pytest.raises(AccountingBroken):
        end_hosted(run.folder, wrong, home, _unheard)


def test_what_was_spent_is_read_from_all_journals_of_a_run(run: HostedRun) -> None:
    assert times_spent(run.folder, 0) == []
    freeze_hosted(run)
    for shard in range(2):
        journal = a_journal(folder=run.folder / "journal", shard=shard, run_id="run-1")
        journal.intent(shard, 1, 5_000 + shard, ("domain:a",))
        journal.close()
    assert times_spent(run.folder, 5_000) == [(5_000, ("domain:a",), 1), (5_001, ("domain:a",), 1)]
    assert times_spent(run.folder, 5_001) == [(5_001, ("domain:a",), 1)]
