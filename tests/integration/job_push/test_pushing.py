"""A job file pushed: account, message and job by their names, once however often."""

from collections.abc import Mapping
from typing import Any

import pytest
from tests.builders.configuration import AUDIENCE, Workbench
from tests.builders.databases import WORKSPACE

from postroad.flows import account_setup
from postroad.flows.account_setup import AccountChangeAsk, NewAccountAsk, Operation, SecretWish
from postroad.flows.job_push import PushAsk, Pushed, PushNeeds, PushResult, push_job
from postroad.kernel.pages import PageRequest
from postroad.kernel.uow import UnitOfWork
from postroad.kernel.versions import Expected
from postroad.modules import jobs
from postroad.modules.accounts import Account, AccountChange, NewAccount
from postroad.modules.jobs import JobChange, JobFilter, JobStatus, OpenApiMark
from postroad.vocabulary.refusals import AccessDenied, ProviderConfigInvalid, ValidationFailed
from postroad.vocabulary.roles import Role
from postroad.vocabulary.secret import Secret

FILE: Mapping[str, Any] = {
    "name": "welcome",
    "provider": "http",
    "account": {"baseUrl": "https://api.example.com", "auth": {"type": "BEARER", "token": {"$secret": "token"}}},
    "message": {"path": "/send", "bodyTemplate": {"to": "{{ name }}"}},
    "audience": {"file": "people.csv"},
    "policies": {"rate": "20/s"},
}
C, CH, U = Pushed.CREATED, Pushed.CHANGED, Pushed.UNCHANGED


class Setter:
    """As the composition root fills it in."""

    def __init__(self, bench: Workbench) -> None:
        self._setup = bench.setup

    def create(self, uow: UnitOfWork, ask: NewAccount, secrets: Mapping[str, Secret]) -> Account:
        return account_setup.create_account(uow, NewAccountAsk(ask, _wishes(secrets)), self._setup).account

    def change(self, uow: UnitOfWork, ask: AccountChange, secrets: Mapping[str, Secret]) -> Account:
        return account_setup.change_account(uow, AccountChangeAsk(ask, _wishes(secrets)), self._setup).account


def _wishes(secrets: Mapping[str, Secret]) -> dict[str, SecretWish]:
    return {name: SecretWish(Operation.REPLACE, value) for name, value in secrets.items()}


def _push(bench: Workbench, file: Mapping[str, Any] = FILE, role: Role = Role.OPERATOR, **more: Any) -> PushResult:
    needs = PushNeeds(Setter(bench), bench.message_needs, bench.job_needs)
    ask = PushAsk(WORKSPACE, file, AUDIENCE, **more)
    return bench.write(lambda uow: push_job(uow, ask, needs), bench.databases.member(role))


def _outcomes(result: PushResult) -> tuple[Pushed, Pushed, Pushed]:
    return result.account_was, result.message_was, result.job_was


def test_a_file_becomes_account_message_and_job(bench: Workbench) -> None:
    result = _push(bench, secrets={"token": Secret("s3cret")})
    assert _outcomes(result) == (C, C, C)
    assert (result.account.name, result.message.message.name, result.job.name) == ("welcome",) * 3
    assert result.job.sending.account_id == result.account.id
    assert result.job.policies["rate"] == {"run": "20/1s"}
    assert bench.secrets.texts == {(result.account.id, "token"): "s3cret"}


def test_the_same_file_again_changes_nothing(bench: Workbench) -> None:
    first = _push(bench)
    again = _push(bench)
    assert _outcomes(again) == (U, U, U)
    assert (again.account, again.message.message, again.job) == (first.account, first.message.message, first.job)


@pytest.mark.parametrize(
    ("change", "outcomes"),
    [
        ({"account": {**FILE["account"], "baseUrl": "https://other.example.com"}}, (CH, U, U)),
        ({"message": {"path": "/other"}}, (U, CH, U)),
        ({"policies": {"rate": "5/s"}}, (U, U, CH)),
        ({"audience": {"count": 3}}, (U, U, U)),
    ],
)
def test_only_the_part_that_differs_is_changed(
    bench: Workbench, change: Mapping[str, Any], outcomes: tuple[Pushed, ...]
) -> None:
    _push(bench)
    assert _outcomes(_push(bench, {**FILE, **change})) == outcomes


def test_secrets_are_set_anew_each_time_they_are_given_and_kept_otherwise(bench: Workbench) -> None:
    _push(bench, secrets={"token": Secret("one")})
    assert _outcomes(_push(bench, secrets={"token": Secret("two")})) == (CH, U, U)
    assert _outcomes(_push(bench)) == (U, U, U)
    assert list(bench.secrets.texts.values()) == ["two"]


def test_what_the_file_does_not_say_stays(bench: Workbench) -> None:
    job = _push(bench).job
    change = JobChange(
        WORKSPACE, job.id, Expected(1), status=JobStatus.DISABLED, open_api=OpenApiMark(True, 5), message_revision=1
    )
    bench.write(lambda uow: jobs.change_job(uow, change, bench.job_needs))
    pushed = _push(bench).job
    assert (pushed.status, pushed.open_api.recipient_cap) == ("DISABLED", 5)
    assert pushed.sending.message_revision is None


def test_two_jobs_may_share_an_account_and_a_message(bench: Workbench) -> None:
    shared = {"account_name": "Shop", "message_name": "Hello"}
    first = _push(bench, **shared)
    second = _push(bench, {**FILE, "name": "second"}, **shared)
    assert _outcomes(second) == (U, U, C)
    assert second.account == first.account


def test_faults_are_told_where_the_file_says_them(bench: Workbench) -> None:
    broken = {**FILE, "account": {"baseUrl": "nowhere"}}
    with pytest.raises(ProviderConfigInvalid) as refused:
        _push(bench, broken)
    assert refused.value.problems[0].path == "job.account.baseUrl"
    with pytest.raises(ProviderConfigInvalid) as refused:
        _push(bench, {**FILE, "message": {"path": "/{{ x"}})
    assert refused.value.problems[0].path == "job.message.path"
    with pytest.raises(ValidationFailed) as unread:
        _push(bench, {**FILE, "polices": {}, "policies": {"rate": 3}})
    assert [one.path for one in unread.value.problems] == ["job.polices", "job.policies.rate"]


def test_a_push_that_fails_keeps_nothing_of_it(bench: Workbench) -> None:
    with pytest.raises(ProviderConfigInvalid):
        _push(bench, {**FILE, "message": {"path": "/{{ x"}})
    assert _outcomes(_push(bench)) == (C, C, C)


def test_an_account_of_another_channel_with_this_name_is_not_overwritten(bench: Workbench) -> None:
    bench.account("welcome", "smtp", {"host": "mail.example.org"})
    with pytest.raises(ValidationFailed, match="give `accountName`"):
        _push(bench)


def test_nesting_without_end_is_refused(bench: Workbench) -> None:
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"x": deep}
    with pytest.raises(ValidationFailed) as refused:
        _push(bench, {**FILE, "message": deep})
    assert refused.value.problems[0].code == "TOO_DEEP"


def test_a_viewer_pushes_nothing(bench: Workbench) -> None:
    with pytest.raises(AccessDenied):
        _push(bench, role=Role.VIEWER)
    found = bench.read(lambda reading: jobs.list_jobs(reading, WORKSPACE, PageRequest(), JobFilter()))
    assert found.page.items == ()
