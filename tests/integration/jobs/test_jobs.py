"""Jobs in the database: their parts are there and fit, and cannot be taken away under them."""

import threading

import pytest
from tests.builders.configuration import AUDIENCE, HTTP_CONTENT, Workbench
from tests.builders.databases import WORKSPACE

from postroad.kernel.pages import PageRequest
from postroad.kernel.uow import UnitOfWork
from postroad.kernel.versions import Expected
from postroad.modules import accounts, jobs, messages
from postroad.modules.accounts import AccountChange, AccountStatus, Referrer
from postroad.modules.jobs import AudienceRef, Job, JobChange, JobFilter, JobStatus, NewJob, OpenApiMark, Sending
from postroad.vocabulary.refusals import (
    AccessDenied,
    ProviderConfigInvalid,
    StateConflict,
    ValidationFailed,
    VersionConflict,
)
from postroad.vocabulary.roles import Role


def _change(bench: Workbench, job: Job, **parts: object) -> Job:
    ask = JobChange(WORKSPACE, job.id, Expected(job.version), **parts)
    return bench.write(lambda uow: jobs.change_job(uow, ask, bench.job_needs))


def _archive(bench: Workbench, job: Job) -> Job:
    return bench.write(lambda uow: jobs.archive_job(uow, WORKSPACE, job.id, Expected(job.version), bench.job_needs))


def test_a_job_is_kept_with_its_policies_written_out(bench: Workbench) -> None:
    made = bench.job()
    found = bench.read(lambda reading: jobs.get_job(reading, WORKSPACE, made.id))
    assert (found, found.policies["concurrency"]["target"], found.open_api) == (made, 16, OpenApiMark())


def test_every_part_that_is_not_there_is_told_at_once(bench: Workbench) -> None:
    ask = NewJob(WORKSPACE, "Ghost", Sending("a", "m", None, "p"))
    with pytest.raises(ValidationFailed) as refused:
        bench.write(lambda uow: jobs.create_job(uow, ask, bench.job_needs))
    assert [(one.path, one.code) for one in refused.value.problems] == [
        ("accountId", "NOT_FOUND"),
        ("messageId", "NOT_FOUND"),
        ("audienceId", "NOT_FOUND"),
    ]


def test_a_part_that_cannot_be_used_is_told(bench: Workbench) -> None:
    account, message = bench.account(), bench.message()
    off = AccountChange(WORKSPACE, account.id, Expected(1), status=AccountStatus.DISABLED)
    bench.write(lambda uow: accounts.change_account(uow, off, bench.account_needs))
    bench.write(
        lambda uow: messages.archive_message(uow, WORKSPACE, message.message.id, Expected(1), bench.message_needs)
    )
    bench.neighbours.audiences[AUDIENCE] = AudienceRef("People", "ARCHIVED")
    with pytest.raises(ValidationFailed) as refused:
        bench.job(account=account, message=message)
    assert [one.path for one in refused.value.problems] == ["accountId", "messageId", "audienceId"]
    assert {one.code for one in refused.value.problems} == {"NOT_ACTIVE"}


def test_account_and_message_are_of_one_provider(bench: Workbench) -> None:
    mail = bench.account("Mail", "smtp", {"host": "mail.example.org"})
    with pytest.raises(ValidationFailed) as refused:
        bench.job(account=mail)
    assert [(one.path, one.code) for one in refused.value.problems] == [("messageId", "OTHER_PROVIDER")]


def test_a_message_that_this_account_cannot_send_is_found(bench: Workbench) -> None:
    message = bench.message(content={**HTTP_CONTENT, "headers": {"Authorization": "Bearer {{ key }}"}})
    with pytest.raises(ProviderConfigInvalid, match="'Welcome' cannot be sent with the account 'Shop'"):
        bench.job(message=message)


def test_a_pinned_revision_must_be_there(bench: Workbench) -> None:
    message = bench.message()
    assert bench.job("Pinned", message=message, revision=1).sending.message_revision == 1
    with pytest.raises(ValidationFailed) as refused:
        bench.job("Ahead", account=bench.account("Other"), message=message, revision=2)
    assert [one.path for one in refused.value.problems] == ["messageRevision"]


def test_a_revision_is_pinned_and_unpinned_and_dropped_with_its_message(bench: Workbench) -> None:
    job = bench.job()
    pinned = _change(bench, job, message_revision=1)
    kept = _change(bench, pinned, name="Other name")
    other = bench.message("Other")
    moved = _change(bench, kept, message_id=other.message.id)
    again = _change(bench, moved, message_revision=1)
    free = _change(bench, again, message_revision=None)
    revisions = [one.sending.message_revision for one in (pinned, kept, moved, again, free)]
    assert revisions == [1, 1, None, 1, None]


def test_a_change_that_changes_nothing_makes_no_version(bench: Workbench) -> None:
    job = bench.job()
    same = _change(bench, job, name=job.name, policies={}, account_id=job.sending.account_id)
    assert same == job


def test_a_stale_change_is_refused(bench: Workbench) -> None:
    job = bench.job()
    _change(bench, job, name="New")
    with pytest.raises(VersionConflict):
        _change(bench, job, name="Newer")


def test_a_job_can_be_switched_off_while_its_parts_cannot_be_used_but_not_on(bench: Workbench) -> None:
    account = bench.account()
    job = bench.job(account=account)
    change = AccountChange(WORKSPACE, account.id, Expected(1), status=AccountStatus.DISABLED)
    bench.write(lambda uow: accounts.change_account(uow, change, bench.account_needs))
    off = _change(bench, job, status=JobStatus.DISABLED)
    with pytest.raises(ValidationFailed, match="disabled"):
        _change(bench, off, status=JobStatus.ACTIVE)
    assert _change(bench, off, name="Still off").status is JobStatus.DISABLED


def test_a_job_is_marked_for_programs_only_with_a_cap(bench: Workbench) -> None:
    job = bench.job()
    with pytest.raises(ValidationFailed) as refused:
        _change(bench, job, open_api=OpenApiMark(True, 0))
    assert refused.value.problems[0].path == "openApi.recipientCap"
    assert _change(bench, job, open_api=OpenApiMark(True, 50)).open_api == OpenApiMark(True, 50)


def test_a_copy_says_the_same_and_is_closed_to_programs(bench: Workbench) -> None:
    job = _change(bench, bench.job(), open_api=OpenApiMark(True, 50), policies={"rate": "5/s"})
    copied = bench.write(lambda uow: jobs.copy_job(uow, WORKSPACE, job.id, None, bench.job_needs))
    assert (copied.name, copied.sending, copied.policies) == ("Greeting (copy)", job.sending, job.policies)
    assert (copied.open_api, copied.version) == (OpenApiMark(), 1)


def test_a_job_that_is_needed_stays(bench: Workbench) -> None:
    job = bench.job()
    bench.referring.found[job.id] = [Referrer("schedule", "s1", "daily"), Referrer("run", "r1", "r1")]
    with pytest.raises(StateConflict, match="schedule 'daily', run 'r1'"):
        _archive(bench, job)
    bench.referring.found.clear()
    gone = _archive(bench, job)
    assert (gone.status, _archive(bench, gone)) == ("ARCHIVED", gone)
    with pytest.raises(StateConflict):
        _change(bench, gone, name="Again")
    assert bench.job("greeting", account=bench.account("B"), message=bench.message("B")).version == 1


def test_what_an_archived_job_used_can_be_archived(bench: Workbench) -> None:
    account = bench.account()
    _archive(bench, bench.job(account=account))
    bench.write(lambda uow: accounts.archive_account(uow, WORKSPACE, account.id, Expected(1), bench.account_needs))


def test_a_list_filters_by_what_jobs_refer_to(bench: Workbench) -> None:
    account, message = bench.account(), bench.message()
    bench.job("One", account, message)
    bench.job("Two", account, bench.message("Other"))
    _archive(bench, bench.job("Three", bench.account("B"), message))

    def look(**wanted: object) -> jobs.JobList:
        return bench.read(lambda reading: jobs.list_jobs(reading, WORKSPACE, PageRequest(), JobFilter(**wanted)))

    assert [one.name for one in look(account_id=account.id).page.items] == ["Two", "One"]
    assert [one.name for one in look(message_id=message.message.id, status="ACTIVE").page.items] == ["One"]
    assert look(audience_id=AUDIENCE).counters == {"ACTIVE": 2, "ARCHIVED": 1}


def test_a_viewer_changes_nothing(bench: Workbench) -> None:
    job = bench.job()
    viewer = bench.databases.member(Role.VIEWER)
    with pytest.raises(AccessDenied):
        bench.write(lambda uow: jobs.copy_job(uow, WORKSPACE, job.id, None, bench.job_needs), viewer)


def test_an_account_is_not_archived_while_a_job_is_being_made_with_it(bench: Workbench) -> None:
    """Whoever comes second sees what the first did: never an active job with an archived account."""
    account, message = bench.account(), bench.message()
    at_work, go_on = threading.Event(), threading.Event()
    refusals: list[BaseException] = []

    def make(uow: UnitOfWork) -> None:
        sending = Sending(account.id, message.message.id, None, AUDIENCE)
        jobs.create_job(uow, NewJob(WORKSPACE, "Racing", sending), bench.job_needs)
        at_work.set()
        go_on.wait(5)

    def archive() -> None:
        try:
            bench.write(
                lambda uow: accounts.archive_account(uow, WORKSPACE, account.id, Expected(1), bench.account_needs)
            )
        except StateConflict as refused:
            refusals.append(refused)

    making = threading.Thread(target=lambda: bench.write(make))
    making.start()
    assert at_work.wait(5)
    archiving = threading.Thread(target=archive)
    archiving.start()
    archiving.join(0.1)
    assert archiving.is_alive()
    go_on.set()
    making.join(5)
    archiving.join(5)
    assert len(refusals) == 1
