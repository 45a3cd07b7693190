"""Sending again to those who were not reached: counted first, confirmed, from the source's snapshot."""

import pytest
from tests.builders.configuration import HTTP_CONTENT
from tests.builders.databases import WORKSPACE
from tests.builders.faults import breaking_off_everywhere
from tests.builders.runs import counts
from tests.builders.sending import SendingRoom

from postroad.flows import sending
from postroad.flows.sending import ConfirmationStale, ResendAsk, ResendStart
from postroad.kernel.versions import Expected
from postroad.modules import accounts, messages
from postroad.modules.accounts import AccountChange, AccountStatus
from postroad.modules.runs import AUDIENCE, FROZEN, ORIGINS, RESULTS, ArtifactFact, RunEnd, end_run
from postroad.vocabulary.outcomes import Outcome
from postroad.vocabulary.refusals import (
    AccessDenied,
    ArtifactNotReady,
    ResourceNotFound,
    RunStateConflict,
    StateConflict,
    ValidationFailed,
    VersionConflict,
)
from postroad.vocabulary.roles import Role
from postroad.vocabulary.transitions import RunState

FAILED, UNKNOWN, UNSENT = Outcome.FAILED, Outcome.UNKNOWN, Outcome.UNSENT


def test_a_resend_shows_how_many_before_it_sends(room: SendingRoom) -> None:
    run = room.ended(room.job().id, failed=3, unknown=2)

    shown = room.confirm_resend(run.id, FAILED, UNKNOWN)

    assert (shown.counts, shown.total) == ({FAILED: 3, UNKNOWN: 2}, 5)
    assert (shown.message_name, shown.message_revision, shown.account_name) == ("Welcome", 1, "Shop")
    assert not shown.carries_keys
    assert "2 may have got the message already" in shown.warnings[0]


def test_a_resend_is_a_linked_run_over_the_sources_snapshot(room: SendingRoom) -> None:
    run = room.ended(room.job().id, failed=3, unknown=2)
    source = room.read(lambda reading: sending_plan(reading, run.id))

    again = room.resend(run.id, FAILED, UNKNOWN, token=room.confirm_resend(run.id, FAILED, UNKNOWN).token.text)

    linked = room.run(again.id)
    assert (linked.source_run_id, linked.source_outcomes) == (run.id, ("FAILED", "UNKNOWN"))
    assert (again.total, again.source_run_id, linked.counts) == (5, run.id, counts(5))
    plan = room.claim_one().plan
    assert (plan.message, plan.account, plan.policies) == (source.message, source.account, source.policies)
    assert (plan.audience.artifact_id, plan.audience.sha256) == (source.audience.artifact_id, source.audience.sha256)
    assert plan.shards == ((0, 5),)
    assert plan.source is not None
    assert (plan.source.run_id, plan.source.outcomes) == (run.id, (FAILED, UNKNOWN))
    assert plan.source.artifacts == {RESULTS: f"results-of-{run.id}"}


def test_a_resend_says_what_the_source_said_whatever_became_of_the_job(room: SendingRoom) -> None:
    job = room.job()
    run = room.ended(job.id, failed=3)
    token = room.confirm_resend(run.id, FAILED).token.text
    found = room.bench.read(lambda reading: messages.find_message(reading, WORKSPACE, job.sending.message_id))
    ask = messages.MessageChange(
        WORKSPACE, found.id, Expected(found.version), content={**HTTP_CONTENT, "path": "/other"}
    )
    room.bench.write(lambda uow: messages.change_message(uow, ask, room.bench.message_needs))
    room.change_job(job, name="Other")
    room.audiences.next_snapshot(7)

    again = room.resend(run.id, FAILED, token=token)

    plan = room.claim_one().plan
    assert (again.total, plan.message.revision, plan.job_name) == (3, 1, "Greeting")


def test_a_resend_of_a_resend_is_cut_from_the_resends_own_audience(room: SendingRoom) -> None:
    first = room.ended(room.job().id, failed=5)
    second = room.resend(first.id, FAILED, token=room.confirm_resend(first.id, FAILED).token.text)
    leased = room.begun()
    room.finish(leased, counts(5, succeeded=3, unknown=2))
    names = (RESULTS, AUDIENCE, ORIGINS, FROZEN)
    files = {name: ArtifactFact(f"{name}-2", f"{number}" * 64, 1) for number, name in enumerate(names)}
    room.write(lambda uow: end_run(uow, RunEnd(second.id, counts(5, succeeded=3, unknown=2), files), room.around))

    third = room.resend(second.id, UNKNOWN, token=room.confirm_resend(second.id, UNKNOWN).token.text)

    plan = room.claim_one().plan
    assert (third.total, plan.audience.artifact_id, plan.audience.sha256) == (2, "audience-2", "1" * 64)
    assert plan.source.artifacts == {name: f"{name}-2" for name in names}


def test_a_resend_without_results_is_refused(room: SendingRoom) -> None:
    run = room.started(room.job().id)
    room.finish(room.begun(), counts(100, failed=100), RunState.PARTIAL)
    room.write(lambda uow: end_run(uow, RunEnd(run.id, counts(100, failed=100)), room.around))

    with pytest.raises(ArtifactNotReady, match="results"):
        room.resend(run.id, FAILED, token=room.confirm_resend(run.id, FAILED).token.text)


@pytest.mark.parametrize(
    ("outcomes", "said"), [((), "nothing"), ((Outcome.SUCCEEDED,), "SUCCEEDED"), ((FAILED, Outcome.SKIPPED), "SKIPPED")]
)
def test_only_those_who_were_not_reached_can_be_sent_to_again(
    room: SendingRoom, outcomes: tuple[Outcome, ...], said: str
) -> None:
    run = room.ended(room.job().id, failed=3)

    with pytest.raises(ValidationFailed, match=said):
        room.confirm_resend(run.id, *outcomes)


def test_nobody_to_send_to_again_is_said(room: SendingRoom) -> None:
    run = room.ended(room.job().id, failed=3)

    with pytest.raises(StateConflict, match="nobody"):
        room.confirm_resend(run.id, UNSENT)


def test_a_run_under_way_and_a_dry_run_are_not_sent_again(room: SendingRoom) -> None:
    job = room.job()
    running = room.started(job.id)
    with pytest.raises(RunStateConflict, match="ended"):
        room.confirm_resend(running.id, FAILED)
    room.begun()
    dry = room.start(job.id, dry_run=True)
    room.finish(room.begun(), counts(100, failed=100), RunState.PARTIAL)
    room.end(dry.id)
    with pytest.raises(StateConflict, match="dry run"):
        room.confirm_resend(dry.id, FAILED)


def test_a_confirmation_of_a_resend_is_for_these_outcomes_and_for_one_run(room: SendingRoom) -> None:
    run = room.ended(room.job().id, failed=3, unsent=2)
    token = room.confirm_resend(run.id, FAILED).token.text

    with pytest.raises(ConfirmationStale, match="outcomes"):
        room.resend(run.id, FAILED, UNSENT, token=token)
    with pytest.raises(ValidationFailed, match="not one for this"):
        room.resend(run.id, FAILED, token=token, by=room.databases.member(Role.OPERATOR, user_id="user-2"))
    room.resend(run.id, FAILED, token=token)
    with pytest.raises(VersionConflict, match="started run"):
        room.resend(run.id, FAILED, token=token)


def test_a_confirmation_of_a_job_is_none_of_a_resend(room: SendingRoom) -> None:
    job = room.job()
    run = room.ended(job.id, failed=3)

    with pytest.raises(ValidationFailed, match="not one for this"):
        room.resend(run.id, FAILED, token=room.confirm(job.id).token.text)
    with pytest.raises(ValidationFailed, match="not one for this"):
        room.start(job.id, token=room.confirm_resend(run.id, FAILED).token.text)
    with pytest.raises(ValidationFailed, match="confirmation"):
        room.resend(run.id, FAILED, token=None)


def test_a_confirmation_of_a_resend_lasts_five_minutes(room: SendingRoom) -> None:
    run = room.ended(room.job().id, failed=3)
    token = room.confirm_resend(run.id, FAILED).token.text
    room.databases.clock.advance(s=300)

    with pytest.raises(ConfirmationStale, match="five minutes"):
        room.resend(run.id, FAILED, token=token)


def test_a_repeated_resend_is_the_same_run(room: SendingRoom) -> None:
    run = room.ended(room.job().id, failed=3)
    token = room.confirm_resend(run.id, FAILED).token.text

    first = room.resend(run.id, FAILED, token=token, key="once")
    again = room.resend(run.id, FAILED, token=token, key="once")

    assert (first.id, first.is_repeat, again.is_repeat) == (again.id, False, True)


def test_a_resend_broken_off_anywhere_leaves_nothing(room: SendingRoom) -> None:
    run = room.ended(room.job().id, failed=3)
    what = ResendAsk(WORKSPACE, run.id, frozenset({FAILED}))
    ask = ResendStart(what, "once", room.confirm_resend(run.id, FAILED).token.text)

    _, broken = breaking_off_everywhere(
        room.databases, room.operator, lambda uow: sending.start_resend(uow, ask, room.needs)
    )

    assert broken >= 12


def test_a_resend_needs_the_account_as_it_stands_now(room: SendingRoom) -> None:
    job = room.job()
    run = room.ended(job.id, failed=3)
    token = room.confirm_resend(run.id, FAILED).token.text
    found = room.bench.read(lambda reading: accounts.find_account(reading, WORKSPACE, job.sending.account_id))
    off = AccountChange(WORKSPACE, found.id, Expected(found.version), status=AccountStatus.DISABLED)
    room.bench.write(lambda uow: accounts.change_account(uow, off, room.bench.account_needs))

    with pytest.raises(StateConflict, match="not active"):
        room.resend(run.id, FAILED, token=token)


def test_a_viewer_and_a_stranger_resend_nothing(room: SendingRoom) -> None:
    run = room.ended(room.job().id, failed=3)
    with pytest.raises(AccessDenied):
        room.confirm_resend(run.id, FAILED, by=room.databases.member(Role.VIEWER))
    with pytest.raises(ResourceNotFound):
        room.confirm_resend(run.id, FAILED, by=room.databases.member(Role.ADMIN, "another"))


def sending_plan(reading: object, run_id: str) -> object:
    from postroad.modules.runs import plan_of_run

    return plan_of_run(reading, run_id)


@pytest.mark.parametrize("which", ["audience", "results"])
def test_what_it_would_be_made_of_must_still_be_there(room: SendingRoom, which: str) -> None:
    run = room.ended(room.job().id, failed=3)
    token = room.confirm_resend(run.id, FAILED).token.text
    files = {"audience": room.audiences.present.artifact_id, "results": f"results-of-{run.id}"}
    room.artifacts.removed.add(files[which])
    with pytest.raises(ArtifactNotReady):
        room.resend(run.id, FAILED, token=token)
