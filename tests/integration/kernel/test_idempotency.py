"""A repeated request is done once and answered the same."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.builders.databases import OTHER_WORKSPACE, WORKSPACE, Databases
from tests.builders.notes import SYSTEM, add_note, texts

from postroad.kernel.authz import Principal, PrincipalKind
from postroad.kernel.idempotency import (
    ANSWER_KEPT_MS,
    IdempotencyKey,
    KeptAnswer,
    forget_answers,
    forget_resource,
    keep,
    once,
    request_digest,
)
from postroad.kernel.uow import UnitOfWork
from postroad.vocabulary.refusals import IdempotencyConflict, ValidationFailed

KEY = IdempotencyKey(WORKSPACE, "runs:start", "k1")
DIGEST = request_digest({"dryRun": False, "jobId": "j1"})


def _request(uow: UnitOfWork, key: IdempotencyKey = KEY, digest: str = DIGEST) -> KeptAnswer | str:
    """A use case: makes a note, unless it was made under this key before."""
    kept = once(uow, key, digest)
    if kept is not None:
        return kept
    note_id = add_note(uow, "made")
    keep(uow, key, digest, status=202, body={"id": note_id}, resource_id=note_id)
    return note_id


def test_a_repeat_is_answered_as_the_first_and_does_nothing(databases: Databases) -> None:
    note_id = databases.database.write(SYSTEM, _request)
    assert databases.database.write(SYSTEM, _request) == KeptAnswer(202, {"id": note_id}, str(note_id))
    assert databases.database.read(SYSTEM, texts) == ["made"]


def test_a_digest_does_not_depend_on_the_order_of_fields() -> None:
    assert request_digest({"jobId": "j1", "dryRun": False}) == DIGEST
    assert request_digest({"jobId": "j1", "dryRun": True}) != DIGEST


def test_another_request_under_the_key_is_refused(databases: Databases) -> None:
    databases.database.write(SYSTEM, _request)
    with pytest.raises(IdempotencyConflict, match="use a new one"):
        databases.database.write(SYSTEM, lambda uow: _request(uow, digest="other"))


def test_a_key_counts_for_one_workspace_project_actor_and_action(databases: Databases) -> None:
    person = Principal(PrincipalKind.USER, "u1")
    others = [
        (SYSTEM, IdempotencyKey(OTHER_WORKSPACE, "runs:start", "k1")),
        (SYSTEM, IdempotencyKey(WORKSPACE, "runs:resend", "k1")),
        (SYSTEM, IdempotencyKey(WORKSPACE, "runs:start", "k2")),
        (SYSTEM, IdempotencyKey(WORKSPACE, "runs:start", "k1", project_id="p1")),
        (person, KEY),
    ]
    databases.database.write(SYSTEM, _request)
    for principal, key in others:
        assert isinstance(databases.database.write(principal, lambda uow, key=key: _request(uow, key)), str)
    assert len(databases.database.read(SYSTEM, texts)) == 1 + len(others)


def test_a_person_has_the_same_keys_by_session_and_by_token(databases: Databases) -> None:
    databases.database.write(Principal(PrincipalKind.USER, "u1", session_id="s1"), _request)
    kept = databases.database.write(Principal(PrincipalKind.TOKEN, "u1", token_id="t1"), _request)
    assert isinstance(kept, KeptAnswer)


def test_what_was_undone_keeps_no_answer(databases: Databases) -> None:
    def breaks(uow: UnitOfWork) -> None:
        _request(uow)
        raise LookupError

    with pytest.raises(LookupError):
        databases.database.write(SYSTEM, breaks)
    assert isinstance(databases.database.write(SYSTEM, _request), str)


def test_an_answer_is_kept_for_a_day_and_the_key_for_good(databases: Databases) -> None:
    note_id = databases.database.write(SYSTEM, _request)
    databases.clock.advance(ms=ANSWER_KEPT_MS - 1)
    assert databases.database.write(SYSTEM, lambda uow: forget_answers(uow, 10)) == 0
    assert databases.database.write(SYSTEM, _request) == KeptAnswer(202, {"id": note_id}, str(note_id))
    databases.clock.advance(ms=1)
    assert databases.database.write(SYSTEM, _request) == KeptAnswer(None, None, str(note_id))
    assert databases.database.write(SYSTEM, lambda uow: forget_answers(uow, 10)) == 1
    assert databases.database.write(SYSTEM, lambda uow: forget_answers(uow, 10)) == 0
    assert databases.database.write(SYSTEM, _request) == KeptAnswer(None, None, str(note_id))
    with pytest.raises(IdempotencyConflict):
        databases.database.write(SYSTEM, lambda uow: _request(uow, digest="other"))


def test_a_key_ends_with_what_it_created(databases: Databases) -> None:
    note_id = databases.database.write(SYSTEM, _request)
    databases.database.write(SYSTEM, lambda uow: forget_resource(uow, str(note_id)))
    assert isinstance(databases.database.write(SYSTEM, _request), str)


@pytest.mark.parametrize("key", [None, "", "x" * 257, "schlüssel", "two\nlines", "nul\0"])
def test_a_key_has_1_to_256_printable_characters(key: str | None) -> None:
    with pytest.raises(ValidationFailed) as refused:
        IdempotencyKey(WORKSPACE, "runs:start", key)
    assert refused.value.problems[0].path == "Idempotency-Key"


def test_two_at_once_under_one_key_happen_once(databases: Databases) -> None:
    together = threading.Barrier(8)

    def work(_: int) -> KeptAnswer | str:
        together.wait(20)
        return databases.database.write(SYSTEM, _request)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(work, range(8)))
    made = [answer for answer in answers if isinstance(answer, str)]
    assert databases.database.read(SYSTEM, texts) == ["made"]
    assert {answer.resource_id for answer in answers if isinstance(answer, KeptAnswer)} == set(made)
    assert len(made) == 1
