"""A start happens once: repeated, raced, broken off, fired by two schedulers."""

import threading
from dataclasses import dataclass

import pytest
from tests.builders.databases import WORKSPACE
from tests.builders.faults import breaking_off_everywhere
from tests.builders.sending import SendingRoom

from postroad.flows import sending
from postroad.flows.sending import ScheduledStarts, StartAsk, StartedRun, TrustedStart
from postroad.kernel.authz import Principal
from postroad.modules import runs
from postroad.modules.runs import RunFilter
from postroad.vocabulary.errors import PostroadError
from postroad.vocabulary.refusals import (
    AccessDenied,
    AuthenticationRequired,
    IdempotencyConflict,
    QuotaExceeded,
    StateConflict,
    ValidationFailed,
)
from postroad.vocabulary.roles import Role

SCHEDULER = Principal.system("scheduler")


@dataclass(frozen=True)
class Schedule:
    id: str
    job_id: str
    workspace_id: str = WORKSPACE


def _all_runs(room: SendingRoom) -> list[str]:
    from postroad.kernel.pages import PageRequest

    found, cursor = [], None
    while True:
        page = room.read(
            lambda reading, cursor=cursor: runs.list_runs(reading, WORKSPACE, PageRequest(100, cursor), RunFilter())
        )
        found += [run.id for run in page.items]
        if not page.has_more:
            return found
        cursor = page.next_cursor


def test_a_repeated_start_is_the_same_run_with_the_same_answer(room: SendingRoom) -> None:
    job = room.job()
    token = room.confirm(job.id).token.text

    first = room.start(job.id, token=token, key="once")
    room.change_job(job, name="Another name")
    room.databases.clock.advance(s=3600)
    again = room.start(job.id, token=token, key="once")

    assert (first.is_repeat, again.is_repeat) == (False, True)
    assert StartedRun(**{**_as_dict(again), "is_repeat": False}) == first
    assert _all_runs(room) == [first.id]


def test_a_repeat_after_a_day_shows_the_run_as_it_is(room: SendingRoom) -> None:
    job = room.job()
    token = room.confirm(job.id).token.text
    first = room.start(job.id, token=token, key="once")
    room.begin(room.claim_one())

    room.databases.clock.advance(s=86_401)
    again = room.start(job.id, token=token, key="once")

    assert (again.id, again.state, again.is_repeat) == (first.id, "RUNNING", True)


def test_the_same_key_for_another_request_is_refused(room: SendingRoom) -> None:
    job = room.job()
    room.start(job.id, dry_run=True, key="once")

    with pytest.raises(IdempotencyConflict):
        room.start(job.id, dry_run=True, key="once", reason="another")


def test_a_key_is_needed_and_bounded(room: SendingRoom) -> None:
    job = room.job()
    for key in (None, "", "k" * 257, "k\n"):
        ask = StartAsk(WORKSPACE, job.id, key, dry_run=True)
        with pytest.raises(ValidationFailed, match="Idempotency-Key"):
            room.databases.database.write(room.operator, lambda uow, ask=ask: sending.start_run(uow, ask, room.needs))


def test_keys_of_two_people_are_two_keys(room: SendingRoom) -> None:
    job = room.job()
    one = room.start(job.id, dry_run=True, key="once")
    two = room.start(job.id, dry_run=True, key="once", by=room.databases.member(Role.ADMIN, user_id="user-2"))

    assert one.id != two.id


def test_two_presses_at_once_make_one_run(room: SendingRoom) -> None:
    job = room.job()
    token = room.confirm(job.id).token.text
    answers, failures = _at_once(4, lambda _: room.start(job.id, token=token, key="once"))

    assert failures == []
    assert len({answer.id for answer in answers}) == 1
    assert sorted(answer.is_repeat for answer in answers) == [False, True, True, True]
    assert len(_all_runs(room)) == 1


def test_two_presses_with_two_keys_and_one_confirmation_make_one_run(room: SendingRoom) -> None:
    job = room.job()
    token = room.confirm(job.id).token.text
    answers, failures = _at_once(4, lambda number: room.start(job.id, token=token, key=f"key {number}"))

    assert len(answers) == 1
    assert {failure.code for failure in failures} == {"VERSION_CONFLICT"}
    assert _all_runs(room) == [answers[0].id]


def test_a_start_broken_off_anywhere_leaves_nothing_and_can_be_repeated(room: SendingRoom) -> None:
    job = room.job()
    ask = StartAsk(WORKSPACE, job.id, "once", room.confirm(job.id).token.text)

    started, broken = breaking_off_everywhere(
        room.databases, room.operator, lambda uow: sending.start_run(uow, ask, room.needs)
    )

    assert broken >= 15
    assert _all_runs(room) == [started.id]


def test_a_right_taken_away_before_the_lock_starts_nothing(room: SendingRoom) -> None:
    job = room.job()
    token = room.confirm(job.id).token.text
    room.databases.standing.instead["user-1"] = room.databases.member(Role.VIEWER)
    with pytest.raises(AccessDenied):
        room.start(job.id, token=token)

    room.databases.standing.revoked.add("session-1")
    with pytest.raises(AuthenticationRequired):
        room.start(job.id, token=token)
    assert _all_runs(room) == []


def test_a_reason_has_an_end(room: SendingRoom) -> None:
    job = room.job()
    with pytest.raises(ValidationFailed, match="500"):
        room.start(job.id, dry_run=True, reason="x" * 501)


def test_a_trusted_start_refuses_a_larger_audience_than_it_may_reach(room: SendingRoom) -> None:
    job = room.job()
    with pytest.raises(QuotaExceeded, match="100 recipients"):
        room.write(
            lambda uow: sending.start_trusted(
                uow, TrustedStart(WORKSPACE, job.id, "open API", most_recipients=99), room.needs
            )
        )


def test_a_schedule_starts_the_job_as_it_is_now(room: SendingRoom) -> None:
    job = room.job()
    room.audiences.next_snapshot(7)
    starts = ScheduledStarts(room.needs)

    run_id = room.databases.database.write(
        SCHEDULER, lambda uow: starts.fire(uow, Schedule("schedule-1", job.id), 1_800_000_000_000)
    )

    run = room.run(run_id)
    assert (run.schedule_id, run.fire_at_ms, run.counts.total) == ("schedule-1", 1_800_000_000_000, 7)
    assert run.created_by == "system:scheduler"
    assert room.databases.audit.entries[-1].details["scheduleId"] == "schedule-1"


def test_a_firing_is_refused_while_the_account_is_locked_out(room: SendingRoom) -> None:
    job = room.job()
    room.standing.until[job.sending.account_id] = 1_900_000_000_000
    starts = ScheduledStarts(room.needs)

    with pytest.raises(StateConflict, match="credentials"):
        room.databases.database.write(SCHEDULER, lambda uow: starts.fire(uow, Schedule("s", job.id), 1))


def test_a_thousand_firings_by_two_schedulers_are_a_thousand_runs(room: SendingRoom) -> None:
    job = room.job()
    starts = ScheduledStarts(room.needs)
    number = 1000 if room.databases.dialect_name == "sqlite" else 300

    def fire_all(scheduler: int) -> list[str]:
        made = []
        for at in range(number):
            made.append(
                room.databases.database.write(
                    SCHEDULER, lambda uow, at=at: starts.fire(uow, Schedule("schedule-1", job.id), at)
                )
            )
        return made

    answers, failures = _at_once(2, fire_all)

    assert failures == []
    assert answers[0] == answers[1]
    assert len(set(answers[0])) == number
    assert len(_all_runs(room)) == number


def _at_once(number: int, work: object) -> tuple[list, list[PostroadError]]:
    answers: list = []
    failures: list[PostroadError] = []
    barrier = threading.Barrier(number)

    def one(index: int) -> None:
        barrier.wait()
        try:
            answers.append(work(index))  # type: ignore[operator]
        except PostroadError as error:
            failures.append(error)

    threads = [threading.Thread(target=one, args=(index,)) for index in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers, failures


def _as_dict(started: StartedRun) -> dict:
    from dataclasses import asdict

    return asdict(started)
