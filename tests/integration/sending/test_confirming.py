"""A confirmation shows what would be sent, and stands for exactly that."""

import pytest
from sqlalchemy import update
from tests.builders.configuration import HTTP_CONFIG, HTTP_CONTENT
from tests.builders.databases import WORKSPACE
from tests.builders.sending import SendingRoom

from postroad.flows.sending import ConfirmationStale
from postroad.kernel.versions import Expected
from postroad.modules import accounts, messages
from postroad.modules.accounts import AccountChange, AccountStatus
from postroad.modules.jobs import JobStatus
from postroad.modules.workspaces._tables import workspaces
from postroad.vocabulary.refusals import (
    AccessDenied,
    ResourceNotFound,
    StateConflict,
    ValidationFailed,
    VersionConflict,
)
from postroad.vocabulary.roles import Role


def test_a_confirmation_shows_what_would_be_sent(room: SendingRoom) -> None:
    job = room.job(concurrency={"target": 8}, rate={"run": "10/s"})

    shown = room.confirm(job.id)

    assert (shown.total, shown.parts.account.name, shown.parts.message.name) == (100, "Shop", "Welcome")
    assert (shown.parts.revision.revision, shown.parts.audience.revision) == (1, 1)
    assert (shown.estimate.concurrency, shown.estimate.rates) == (8, {"run": "10/1s"})
    assert (shown.estimate.seconds, shown.estimate.parts) == (9.0, 100)
    assert [sample.row for sample in shown.estimate.samples] == [2, 3, 4]
    assert '"Ada"' in shown.estimate.samples[0].preview.parts["body"]
    assert (shown.same_as, shown.warnings) == (None, ())
    assert shown.token.expires_at_ms == room.databases.clock.now_ms() + 300_000


def test_a_confirmation_keeps_nothing(room: SendingRoom) -> None:
    job = room.job()
    before = len(room.databases.audit.entries)

    room.confirm(job.id)

    assert len(room.databases.audit.entries) == before
    assert room.claim() == []


def test_a_field_that_the_first_recipients_do_not_have_is_warned_of(room: SendingRoom) -> None:
    room.audiences.rows = ({"mail": "a@example.org"},)

    shown = room.confirm(room.job().id)

    assert shown.estimate.samples[0].missing_fields == ("name",)
    assert "'name'" in shown.warnings[0]


def test_what_was_sent_before_is_named(room: SendingRoom) -> None:
    job = room.job()
    earlier = room.started(job.id)

    shown = room.confirm(job.id)

    assert shown.same_as is not None
    assert shown.same_as.id == earlier.id
    assert earlier.id in shown.warnings[0]


def test_a_dry_run_is_no_earlier_send(room: SendingRoom) -> None:
    job = room.job()
    room.start(job.id, dry_run=True)

    assert room.confirm(job.id).same_as is None


def test_missing_secrets_and_an_open_circuit_are_warned_of(room: SendingRoom) -> None:
    job = room.job()
    room.standing.lacking.add("token")
    room.standing.until[job.sending.account_id] = 1_900_000_000_000

    secret, circuit = room.confirm(job.id).warnings

    assert "token" in secret
    assert "credentials" in circuit


def test_a_viewer_and_a_stranger_confirm_nothing(room: SendingRoom) -> None:
    job = room.job()
    with pytest.raises(AccessDenied):
        room.confirm(job.id, by=room.databases.member(Role.VIEWER))
    with pytest.raises(ResourceNotFound):
        room.confirm(job.id, by=room.databases.member(Role.ADMIN, "another-workspace"))


def test_a_confirmed_job_starts_once_as_it_was_shown(room: SendingRoom) -> None:
    job = room.job()
    shown = room.confirm(job.id)

    started = room.start(job.id, token=shown.token.text, reason="spring")

    run = room.run(started.id)
    assert (started.state, started.total, started.job_id) == ("PENDING", 100, job.id)
    assert (run.reason, run.created_by, run.dry_run) == ("spring", "user:user-1", False)
    leased = room.claim_one()
    assert leased.plan.hash == shown.hash
    assert leased.plan.account.config == shown.parts.account.document
    entry = room.databases.audit.entries[-1]
    assert (entry.action, entry.resource_id, entry.details["hash"]) == ("run.start", started.id, shown.hash)


CHANGES = {
    "job": lambda room, job: room.change_job(job, name="Another name"),
    "account": lambda room, job: _edit_account(room, job.sending.account_id),
    "message": lambda room, job: _edit_message(room, job.sending.message_id),
    "audience": lambda room, job: room.audiences.next_snapshot(),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_confirmation_is_stale_when_what_it_shows_has_changed(room: SendingRoom, name: str) -> None:
    job = room.job()
    token = room.confirm(job.id).token.text

    CHANGES[name](room, job)

    with pytest.raises(ConfirmationStale, match=name) as refused:
        room.start(job.id, token=token)
    assert refused.value.code == "VERSION_CONFLICT"
    assert refused.value.head["changed"] == [name]
    assert room.claim() == []
    assert room.start(job.id, token=room.confirm(job.id).token.text).state == "PENDING"


def test_other_overrides_than_those_confirmed_are_stale(room: SendingRoom) -> None:
    job = room.job()
    token = room.confirm(job.id, concurrency={"target": 4}).token.text

    with pytest.raises(ConfirmationStale, match="policies"):
        room.start(job.id, token=token, overrides={"concurrency": {"target": 8}})
    with pytest.raises(ConfirmationStale, match="policies"):
        room.start(job.id, token=token)
    room.start(job.id, token=token, overrides={"concurrency": {"target": 4}})
    assert room.claim_one().posture.concurrency == 4


def test_another_provider_version_is_stale(room: SendingRoom) -> None:
    from dataclasses import replace as changed

    job = room.job()
    token = room.confirm(job.id).token.text
    real = room.needs.providers.factory("http")

    class Updated:
        def __getattr__(self, name: str) -> object:
            return changed(real.descriptor, version="99") if name == "descriptor" else getattr(real, name)

    class Providers:
        def factory(self, provider_id: str) -> object:
            return Updated()

    room.needs = changed(room.needs, providers=Providers())

    with pytest.raises(ConfirmationStale, match="provider"):
        room.start(job.id, token=token)


def test_a_pinned_message_is_not_stale_by_a_new_revision(room: SendingRoom) -> None:
    job = room.job()
    job = room.change_job(job, message_revision=1)
    token = room.confirm(job.id).token.text

    _edit_message(room, job.sending.message_id)

    assert room.start(job.id, token=token).state == "PENDING"
    assert room.claim_one().plan.message.revision == 1


def test_a_confirmation_lasts_five_minutes(room: SendingRoom) -> None:
    job = room.job()
    token = room.confirm(job.id).token.text

    room.databases.clock.advance(s=299)
    room.start(job.id, token=token)
    token = room.confirm(job.id).token.text
    room.databases.clock.advance(s=300)
    with pytest.raises(ConfirmationStale, match="five minutes"):
        room.start(job.id, token=token)


def test_a_confirmation_belongs_to_who_asked_for_it(room: SendingRoom) -> None:
    job = room.job()
    token = room.confirm(job.id).token.text

    with pytest.raises(ValidationFailed, match="not one for this"):
        room.start(job.id, token=token, by=room.databases.member(Role.OPERATOR, user_id="user-2"))


def test_a_confirmation_belongs_to_its_job(room: SendingRoom) -> None:
    one = room.job()
    other = room.bench.job(
        name="Other", account=room.bench.account(name="Second"), message=room.bench.message(name="Second")
    )
    token = room.confirm(one.id).token.text

    with pytest.raises(ValidationFailed, match="not one for this"):
        room.start(other.id, token=token)


def test_a_confirmation_opens_one_run(room: SendingRoom) -> None:
    job = room.job()
    token = room.confirm(job.id).token.text
    first = room.start(job.id, token=token, key="one")

    with pytest.raises(VersionConflict, match=first.id):
        room.start(job.id, token=token, key="two")


def test_a_start_needs_a_confirmation_unless_it_is_a_dry_run(room: SendingRoom) -> None:
    job = room.job()

    with pytest.raises(ValidationFailed, match="confirmation"):
        room.start(job.id)
    assert room.start(job.id, dry_run=True).dry_run


def test_a_dry_run_needs_no_secret_and_no_standing(room: SendingRoom) -> None:
    job = room.job()
    room.standing.lacking.add("token")
    room.standing.until[job.sending.account_id] = 1_900_000_000_000

    assert room.start(job.id, dry_run=True).state == "PENDING"


UNFIT = {
    "the job is DISABLED": lambda room, job: room.change_job(job, status=JobStatus.DISABLED),
    "the account of the job is DISABLED": lambda room, job: _edit_account(
        room, job.sending.account_id, status=AccountStatus.DISABLED
    ),
    "archived": lambda room, job: setattr(room.audiences, "is_archived", True),
    "no recipients": lambda room, job: room.audiences.next_snapshot(0),
    "workspace": lambda room, job: room.write(
        lambda uow: uow.connection.execute(update(workspaces).values(status="ARCHIVED"))
    ),
}


@pytest.mark.parametrize("said", UNFIT)
def test_what_cannot_be_sent_is_refused_at_confirmation_and_at_the_start(room: SendingRoom, said: str) -> None:
    job = room.job()
    token = room.confirm(job.id).token.text

    UNFIT[said](room, job)

    with pytest.raises(StateConflict, match=said.rsplit(maxsplit=1)[-1]):
        room.confirm(job.id)
    with pytest.raises((StateConflict, ConfirmationStale)):
        room.start(job.id, token=token)
    assert room.claim() == []


def test_an_unset_secret_is_refused_at_the_start(room: SendingRoom) -> None:
    from postroad.vocabulary.errors import SecretMissing

    job = room.job()
    token = room.confirm(job.id).token.text
    room.standing.lacking.add("token")

    with pytest.raises(SecretMissing, match="token"):
        room.start(job.id, token=token)


def test_an_account_that_was_locked_out_starts_nothing(room: SendingRoom) -> None:
    job = room.job()
    token = room.confirm(job.id).token.text
    room.standing.until[job.sending.account_id] = 1_900_000_000_000

    with pytest.raises(StateConflict, match="credentials"):
        room.start(job.id, token=token)


def _edit_account(room: SendingRoom, account_id: str, **parts: object) -> None:
    found = room.bench.read(lambda reading: accounts.find_account(reading, WORKSPACE, account_id))
    assert found is not None
    given = parts or {"config": {**HTTP_CONFIG, "baseUrl": "https://other.example.com"}}
    ask = AccountChange(WORKSPACE, account_id, Expected(found.version), **given)  # type: ignore[arg-type]
    room.bench.write(lambda uow: accounts.change_account(uow, ask, room.bench.account_needs))


def _edit_message(room: SendingRoom, message_id: str) -> None:
    found = room.bench.read(lambda reading: messages.find_message(reading, WORKSPACE, message_id))
    assert found is not None
    ask = messages.MessageChange(
        WORKSPACE, message_id, Expected(found.version), content={**HTTP_CONTENT, "path": "/send/now"}
    )
    room.bench.write(lambda uow: messages.change_message(uow, ask, room.bench.message_needs))
