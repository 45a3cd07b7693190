"""Sending again to those who did not get it: linked, from the frozen send, with the keys of the unknown."""

from pathlib import Path
from typing import Any

import pytest
from tests.behaviour.local_runs.sending import column, send, surroundings, write_job, write_people
from tests.builders.http_receiver import CUT_AFTER, OK, HttpReceiver

from postroad.flows.local_runs import (
    ResendOrder,
    SendSummary,
    open_send,
    resend,
    start_send,
    verify_receipt,
)
from postroad.flows.local_runs import export_public_key as key_of
from postroad.vocabulary.errors import InvalidInput, SendConflict
from postroad.vocabulary.outcomes import Outcome
from postroad.vocabulary.transitions import RunState


def _again(folder: Path, source: str, *only: Outcome, out: str, **order: Any) -> SendSummary:
    around = surroundings(folder)
    prepared = resend(ResendOrder(folder / source, frozenset(only), out=folder / out, **order), around)
    return start_send(prepared, around, confirmed_hash=prepared.hash)


def test_only_the_failed_get_it_again_with_their_row_numbers(tmp_path: Path) -> None:
    write_people(tmp_path, 20)
    with HttpReceiver(lambda who, copy: "404" if who in ("p3", "p11") and copy == 1 else OK) as receiver:
        first = send(tmp_path, write_job(tmp_path, receiver.port))
        second = _again(tmp_path, "out", Outcome.FAILED, out="again")
    assert (second.state, second.counts.total, second.source_run_id) == (RunState.SUCCEEDED, 2, first.run_id)
    assert {who: copies for who, copies in receiver.copies.items() if copies > 1} == {"p3": 2, "p11": 2}
    assert column(tmp_path / "again" / "succeeded.csv", "id") == ["p3", "p11"]
    assert column(tmp_path / "again" / "succeeded.csv", "row") == ["5", "13"]
    home = surroundings(tmp_path).home
    assert verify_receipt(tmp_path / "again" / "receipt.json", key_of(home), tmp_path / "again").ok
    assert open_send(tmp_path / "again").source_run_id == first.run_id


def test_the_unknown_carry_the_key_of_their_first_attempt_through_every_resend(tmp_path: Path) -> None:
    write_people(tmp_path, 10)
    with HttpReceiver(lambda who, copy: CUT_AFTER if who == "p4" and copy < 3 else OK) as receiver:
        account = {
            "baseUrl": f"http://127.0.0.1:{receiver.port}",
            "idempotency": {"header": "Idempotency-Key", "keptFor": "PT24H"},
        }
        job = write_job(tmp_path, receiver.port, account=account, policies={"retry": {"maxAttempts": 1}})
        assert send(tmp_path, job).counts.unknown == 1
        assert _again(tmp_path, "out", Outcome.UNKNOWN, out="second").counts.unknown == 1
        assert _again(tmp_path, "second", Outcome.UNKNOWN, out="third").counts.succeeded == 1
    assert len(receiver.keys["p4"]) == 3
    assert len(set(receiver.keys["p4"])) == 1
    assert receiver.keys["p4"][0] != ""
    assert len({keys[0] for keys in receiver.keys.values()}) == 10


def test_the_unsent_of_a_stopped_send_get_it_after_the_credential_is_mended(tmp_path: Path) -> None:
    write_people(tmp_path, 100)
    refused: set[str] = {"yes"}
    with HttpReceiver(lambda _who, _copy: "401" if refused else OK) as receiver:
        first = send(tmp_path, write_job(tmp_path, receiver.port))
        refused.clear()
        second = _again(tmp_path, "out", Outcome.UNSENT, Outcome.FAILED, out="again", workers=1)
    assert first.counts.unsent + first.counts.failed == 100
    assert (second.counts.succeeded, second.state) == (100, RunState.SUCCEEDED)


def test_a_resend_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    write_people(tmp_path, 5)
    with HttpReceiver() as receiver:
        send(tmp_path, write_job(tmp_path, receiver.port))
        around = surroundings(tmp_path)
        with pytest.raises(InvalidInput, match="nobody"):
            resend(ResendOrder(tmp_path / "out", frozenset({Outcome.FAILED}), out=tmp_path / "x"), around)
        assert not (tmp_path / "x").exists()
        with pytest.raises(InvalidInput, match="succeeded"):
            resend(ResendOrder(tmp_path / "out", frozenset({Outcome.SUCCEEDED})), around)
        changed = ResendOrder(tmp_path / "out", frozenset({Outcome.FAILED}), {"message.path": "/else"})
        with pytest.raises(SendConflict, match="message"):
            resend(changed, around)
        (tmp_path / "out" / "receipt.json").unlink()
        with pytest.raises(SendConflict, match="has not ended"):
            resend(ResendOrder(tmp_path / "out", frozenset({Outcome.FAILED})), around)
