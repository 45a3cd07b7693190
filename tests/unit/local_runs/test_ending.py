import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.local_runs.plans import a_plan

from postroad.flows.local_runs.ending.account import ShardAccount, fold
from postroad.flows.local_runs.ending.finish import summary_json, summary_of
from postroad.flows.local_runs.ending.receipt import export_public_key, verify_receipt, write_receipt
from postroad.flows.local_runs.keeping.folder import SendFolder
from postroad.foundation.home import Home
from postroad.foundation.installation_key import InstallationKey
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.errors import AccountingBroken, ConfigInvalid, InvalidInput
from postroad.vocabulary.transitions import RunState

STATES = [RunState.SUCCEEDED, RunState.PARTIAL, RunState.CANCELLED, RunState.FAILED, RunState.LOST]


def _account(state: RunState = RunState.PARTIAL, reason: str = "", **counts: int) -> ShardAccount:
    return ShardAccount(state, reason, Counts(**(counts or {"total": 5, "succeeded": 4, "failed": 1})), 1_000, 2_000)


@given(st.lists(st.sampled_from(STATES), min_size=1, max_size=6))
def test_the_worst_shard_decides(states: list[RunState]) -> None:
    assert fold([_account(state) for state in states]).state is max(states, key=STATES.index)


def test_counts_of_shards_add_up_and_reasons_are_told_once() -> None:
    folded = fold([_account(RunState.FAILED, "no key"), _account(RunState.FAILED, "no key"), _account(reason="other")])
    assert (folded.counts, folded.reason) == (Counts(total=15, succeeded=12, failed=3), "no key")


def test_an_account_reads_back() -> None:
    account = _account(RunState.CANCELLED, "enough", total=3, unsent=3)
    assert ShardAccount.from_json(json.loads(json.dumps(account.to_json()))) == account


@pytest.mark.parametrize("counts", [Counts(total=10, succeeded=9), Counts(total=9, succeeded=9), Counts(total=10)])
def test_wrong_sums_are_never_an_end(counts: Counts) -> None:
    with pytest.raises(AccountingBroken):
        counts.check(10, "a send")


@pytest.fixture
def ended(tmp_path: Path) -> tuple[SendFolder, Home]:
    folder, home = SendFolder(tmp_path / "send"), Home(tmp_path / "home")
    folder.path.mkdir()
    plan = a_plan()
    folder.write_plan(plan)
    for name in ("audience.parquet", "results.parquet", "summary.json"):
        (folder.path / name).write_bytes(name.encode())
    summary = summary_of(folder, plan, _account(total=10, succeeded=8, failed=1, unknown=1, retried=3))
    write_receipt(folder, plan, summary, home)
    return folder, home


def test_a_receipt_is_checked_with_the_key_from_elsewhere(ended: tuple[SendFolder, Home]) -> None:
    folder, home = ended
    check = verify_receipt(folder.receipt, export_public_key(home), folder.path)
    assert (check.ok, check.problems, check.run_id, check.counts.unknown) == (True, (), "run-1", 1)
    assert check.files_checked == ("frozen.json", "audience.parquet", "results.parquet", "summary.json")


def test_a_receipt_written_again_is_the_same(ended: tuple[SendFolder, Home]) -> None:
    folder, home = ended
    before = folder.receipt.read_bytes()
    write_receipt(
        folder,
        a_plan(),
        summary_of(folder, a_plan(), _account(total=10, succeeded=8, failed=1, unknown=1, retried=3)),
        home,
    )
    assert folder.receipt.read_bytes() == before


def test_a_changed_count_breaks_the_signature(ended: tuple[SendFolder, Home]) -> None:
    folder, home = ended
    value = json.loads(folder.receipt.read_bytes())
    value["body"]["counts"] |= {"failed": 0, "succeeded": 9}
    folder.receipt.write_text(json.dumps(value))
    check = verify_receipt(folder.receipt, export_public_key(home))
    assert not check.ok
    assert "signature" in check.problems[0]


def test_a_forger_with_his_own_key_inside_is_found_out(ended: tuple[SendFolder, Home], tmp_path: Path) -> None:
    folder, home = ended
    plan = a_plan()
    trusted = export_public_key(home)
    write_receipt(folder, plan, summary_of(folder, plan, _account(total=10, succeeded=10)), Home(tmp_path / "forger"))
    assert not verify_receipt(folder.receipt, trusted, folder.path).ok


def test_an_exchanged_result_file_is_found_out(ended: tuple[SendFolder, Home]) -> None:
    folder, home = ended
    folder.results.write_bytes(b"other")
    folder.snapshot.unlink()
    check = verify_receipt(folder.receipt, export_public_key(home), folder.path)
    assert [problem.split()[0] for problem in check.problems] == ["audience.parquet", "results.parquet"]


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"body": {}, "signature": "x"}', '{"body": 1, "signature": "eA=="}']
)
def test_something_else_is_no_receipt(ended: tuple[SendFolder, Home], content: str) -> None:
    folder, home = ended
    folder.receipt.write_text(content)
    assert verify_receipt(folder.receipt, export_public_key(home)).problems == (f"{folder.receipt} is not a receipt",)


def test_a_key_that_is_none_is_refused(ended: tuple[SendFolder, Home]) -> None:
    folder, _ = ended
    with pytest.raises(ConfigInvalid):
        verify_receipt(folder.receipt, b"nonsense")
    with pytest.raises(InvalidInput):
        verify_receipt(folder.path / "missing.json", InstallationKey.load_or_make(folder.path).public_pem())


def test_the_summary_says_everything_by_its_documented_keys(tmp_path: Path) -> None:
    summary = summary_of(SendFolder(tmp_path), a_plan(), _account(total=10, succeeded=8, failed=1, unknown=1))
    assert list(summary_json(summary)) == [
        "runId",
        "state",
        "reason",
        "total",
        "succeeded",
        "failed",
        "unknown",
        "unsent",
        "skipped",
        "retried",
        "maybeDoubled",
        "rows",
        "accepted",
        "duplicates",
        "rejected",
        "startedAt",
        "endedAt",
        "suppressedErrors",
        "sourceRunId",
        "out",
    ]
    assert summary_json(summary)["startedAt"] == "1970-01-01T00:00:01.000Z"
    assert summary.exit_code == 3
