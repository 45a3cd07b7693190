"""Accounts in the database: checked, named once, changed by version, archived when nobody needs them."""

import threading

import pytest
from tests.builders.configuration import HTTP_CONFIG, Workbench
from tests.builders.databases import OTHER_WORKSPACE, WORKSPACE

from postroad.kernel.authz import PrincipalKind
from postroad.kernel.pages import PageRequest
from postroad.kernel.versions import Expected
from postroad.modules import accounts
from postroad.modules.accounts import Account, AccountChange, AccountFilter, AccountStatus, ConnectionTest, NewAccount
from postroad.vocabulary.events import EventName
from postroad.vocabulary.refusals import (
    AccessDenied,
    AuthenticationRequired,
    PreconditionRequired,
    ProviderConfigInvalid,
    ProviderNotAvailable,
    ResourceNotFound,
    StateConflict,
    ValidationFailed,
    VersionConflict,
)
from postroad.vocabulary.roles import Role


def _change(bench: Workbench, account: Account, **parts: object) -> Account:
    ask = AccountChange(WORKSPACE, account.id, Expected(account.version), **parts)
    return bench.write(lambda uow: accounts.change_account(uow, ask, bench.account_needs))


def _archive(bench: Workbench, account: Account) -> Account:
    return bench.write(
        lambda uow: accounts.archive_account(uow, WORKSPACE, account.id, Expected(account.version), bench.account_needs)
    )


def _test_result(**parts: object) -> ConnectionTest:
    known = {"at_ms": 5, "ok": True, "summary": "answers", "category": "", "not_proved": ("DELIVERY",)}
    return ConnectionTest(**{**known, "proved": ("CONNECTION", "CREDENTIALS"), "account_version": 1, **parts})


def test_an_account_is_kept_as_it_was_given(bench: Workbench) -> None:
    made = bench.account("  Shop  one ")
    found = bench.read(lambda reading: accounts.get_account(reading, WORKSPACE, made.id, bench.secrets)).account
    assert found == made
    assert (found.name, found.status, found.version, found.config) == ("Shop one", "ACTIVE", 1, HTTP_CONFIG)
    assert found.document.value() == HTTP_CONFIG


def test_a_view_says_which_secrets_are_set(bench: Workbench) -> None:
    made = bench.account()
    view = bench.read(lambda reading: accounts.get_account(reading, WORKSPACE, made.id, bench.secrets))
    assert [(name, state.configured) for name, state in view.secrets.items()] == [("token", False)]


def test_numbers_keep_their_spelling_on_every_database(bench: Workbench) -> None:
    config = {"accessKeyId": "LTAI", "accessKeySecret": {"$secret": "s"}, "pricePerPart": 1.0}
    made = bench.account("Sms", "aliyun_sms", config)
    found = bench.read(lambda reading: accounts.find_account(reading, WORKSPACE, made.id))
    assert found is not None
    assert found.document.canonical == made.document.canonical


@pytest.mark.parametrize("name", ["shop", "SHOP", "Ｓｈｏｐ", " Shop "])
def test_a_name_that_looks_the_same_is_taken(bench: Workbench, name: str) -> None:
    bench.account("Shop")
    with pytest.raises(ValidationFailed) as refused:
        bench.account(name)
    assert [(one.path, one.code) for one in refused.value.problems] == [("name", "NAME_TAKEN")]


def test_of_two_who_take_a_name_at_once_one_gets_it(bench: Workbench) -> None:
    """The index decides where both looked and found it free."""
    begin, outcomes = threading.Barrier(2), []

    def take() -> None:
        begin.wait(5)
        try:
            outcomes.append(bench.account("Shop").name)
        except ValidationFailed as refused:
            outcomes.append(refused.problems[0].code)

    threads = [threading.Thread(target=take) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert sorted(outcomes) == ["NAME_TAKEN", "Shop"]


def test_the_name_of_an_archived_account_is_free(bench: Workbench) -> None:
    _archive(bench, bench.account("Shop"))
    _archive(bench, bench.account("Shop"))
    assert bench.account("Shop").version == 1


@pytest.mark.parametrize("name", ["", "   ", "x" * 121, "a\x00b", "a\u202eb"])
def test_a_name_that_cannot_be_read_is_refused(bench: Workbench, name: str) -> None:
    with pytest.raises(ValidationFailed) as refused:
        bench.account(name)
    assert refused.value.problems[0].path == "name"


def test_all_that_the_provider_finds_is_told_with_its_path(bench: Workbench) -> None:
    with pytest.raises(ProviderConfigInvalid) as refused:
        bench.account(config={"baseUrl": "ftp://x", "bearer": 1, "auth": {"type": "BEARER", "token": "clear text"}})
    paths = {one.path for one in refused.value.problems}
    assert {"config.auth.token", "config.bearer"} <= paths
    assert "clear text" not in str(refused.value)


def test_an_unknown_provider_names_those_there_are(bench: Workbench) -> None:
    with pytest.raises(ProviderNotAvailable, match="smtp"):
        bench.account(provider="pigeon")


def test_a_file_of_the_server_cannot_be_named(bench: Workbench) -> None:
    with pytest.raises(ProviderConfigInvalid) as refused:
        bench.account(config={**HTTP_CONFIG, "tls": {"caFile": "/etc/passwd"}})
    assert [(one.path, one.code) for one in refused.value.problems] == [("config.tls.caFile", "LOCAL_FILE")]


def test_an_address_that_the_policy_refuses_is_refused_at_once(bench: Workbench) -> None:
    bench.addresses.refused["169.254.169.254"] = "metadata service"
    with pytest.raises(ProviderConfigInvalid, match="metadata service") as refused:
        bench.account(config={"baseUrl": "http://169.254.169.254/latest"})
    assert [one.code for one in refused.value.problems] == ["ADDRESS_REFUSED"]


@pytest.mark.parametrize("value", [float("nan"), "\ud800"])
def test_what_json_cannot_say_is_refused(bench: Workbench, value: object) -> None:
    with pytest.raises(ValidationFailed) as refused:
        bench.account(config={"baseUrl": value})
    assert refused.value.problems[0].code == "NOT_JSON"


def test_a_configuration_nested_without_end_is_refused(bench: Workbench) -> None:
    config: dict[str, object] = {}
    for _ in range(5000):
        config = {"x": config}
    with pytest.raises(ValidationFailed) as refused:
        bench.account(config=config)
    assert refused.value.problems[0].code == "TOO_DEEP"


def test_a_change_names_the_version_it_started_from(bench: Workbench) -> None:
    made = bench.account()
    changed = _change(bench, made, name="Post")
    assert (changed.name, changed.version, changed.config) == ("Post", 2, made.config)
    with pytest.raises(VersionConflict) as stale:
        _change(bench, made, name="Mail")
    assert stale.value.head["version"] == 2
    missing = AccountChange(WORKSPACE, made.id, Expected(None), name="Mail")
    with pytest.raises(PreconditionRequired):
        bench.write(lambda uow: accounts.change_account(uow, missing, bench.account_needs))


def test_a_change_that_changes_nothing_makes_no_version_and_no_event(bench: Workbench) -> None:
    made = bench.account()
    same = bench.write(
        lambda uow: (
            accounts.change_account(
                uow,
                AccountChange(WORKSPACE, made.id, Expected(1), made.name, dict(made.config)),
                bench.account_needs,
            ),
            uow.events,
        )
    )
    assert same == (made, ())


def test_a_change_tells_what_changed_and_no_value(bench: Workbench) -> None:
    made = bench.account()

    def work(uow):
        ask = AccountChange(WORKSPACE, made.id, Expected(1), config={"baseUrl": "https://other.example.com"})
        accounts.change_account(uow, ask, bench.account_needs)
        return uow.events

    (event,) = bench.write(work)
    assert (event.name, event.aggregate.version) == (EventName.ACCOUNT_CHANGED, 2)
    assert event.payload["fields"] == ["config"]
    assert "example.com" not in repr(event.payload)
    entry = bench.databases.audit.entries[-1]
    assert (entry.action, entry.details["fields"]) == ("account.changed", ["config"])
    assert "example.com" not in repr(entry.details)


def test_disabled_is_no_end(bench: Workbench) -> None:
    off = _change(bench, bench.account(), status=AccountStatus.DISABLED)
    on = _change(bench, off, status=AccountStatus.ACTIVE)
    assert (off.status, on.status) == ("DISABLED", "ACTIVE")


def test_an_archived_account_is_never_changed_again(bench: Workbench) -> None:
    gone = _archive(bench, bench.account())
    assert _archive(bench, gone) == gone
    with pytest.raises(StateConflict):
        _change(bench, gone, name="Again")
    with pytest.raises(StateConflict):
        _change(bench, gone, status=AccountStatus.ACTIVE)


def test_an_account_that_is_needed_stays(bench: Workbench) -> None:
    made = bench.account()
    bench.referring.found[made.id] = [accounts.Referrer("run", "r1", "r1")]
    bench.job("Greeting", account=made)
    with pytest.raises(StateConflict, match="job 'Greeting', run 'r1'"):
        _archive(bench, made)


def test_what_lies_in_another_workspace_is_not_there(bench: Workbench) -> None:
    made = bench.account()
    other = bench.databases.member(Role.ADMIN, OTHER_WORKSPACE)
    with pytest.raises(ResourceNotFound):
        bench.read(lambda reading: accounts.get_account(reading, OTHER_WORKSPACE, made.id, bench.secrets), other)
    with pytest.raises(ResourceNotFound):
        bench.read(lambda reading: accounts.get_account(reading, WORKSPACE, made.id, bench.secrets), other)


def test_a_viewer_reads_and_changes_nothing(bench: Workbench) -> None:
    made = bench.account()
    viewer = bench.databases.member(Role.VIEWER)
    bench.read(lambda reading: accounts.get_account(reading, WORKSPACE, made.id, bench.secrets), viewer)
    ask = AccountChange(WORKSPACE, made.id, Expected(1), name="Mine")
    with pytest.raises(AccessDenied):
        bench.write(lambda uow: accounts.change_account(uow, ask, bench.account_needs), viewer)
    with pytest.raises(AccessDenied):
        bench.write(lambda uow: accounts.reset_circuit(uow, WORKSPACE, made.id), viewer)


def test_whoever_is_revoked_meanwhile_writes_nothing(bench: Workbench) -> None:
    bench.databases.standing.revoked.add(bench.operator.user_id)
    with pytest.raises(AuthenticationRequired):
        bench.account()
    assert bench.operator.kind is PrincipalKind.USER


def test_a_list_filters_counts_and_goes_on(bench: Workbench) -> None:
    for number in range(5):
        bench.databases.clock.advance(s=1)
        bench.account(f"Shop {number}")
    bench.account("100%_mail", "smtp", {"host": "mail.example.org"})
    _archive(bench, bench.account("Old shop"))

    def look(request: PageRequest, **wanted: object) -> accounts.AccountList:
        return bench.read(
            lambda reading: accounts.list_accounts(reading, WORKSPACE, request, AccountFilter(**wanted), bench.secrets)
        )

    first = look(PageRequest(3), name="shop", status="ACTIVE")
    second = look(PageRequest(3, first.page.next_cursor), name="shop", status="ACTIVE")
    assert [view.account.name for view in first.page.items] == ["Shop 4", "Shop 3", "Shop 2"]
    assert [view.account.name for view in second.page.items] == ["Shop 1", "Shop 0"]
    assert second.page.next_cursor is None
    assert first.counters == {"ACTIVE": 5, "ARCHIVED": 1}
    assert [view.account.name for view in look(PageRequest(), name="%_").page.items] == ["100%_mail"]
    assert len(look(PageRequest(), provider_id="smtp").page.items) == 1
    with pytest.raises(ValidationFailed):
        look(PageRequest(3, first.page.next_cursor), name="other")


def test_a_list_narrows_by_time(bench: Workbench) -> None:
    early = bench.account("Early")
    bench.databases.clock.advance(s=10)
    late = bench.account("Late")

    def names(**wanted: object) -> list[str]:
        found = bench.read(
            lambda reading: accounts.list_accounts(
                reading, WORKSPACE, PageRequest(), AccountFilter(**wanted), bench.secrets
            )
        )
        return [view.account.name for view in found.page.items]

    assert names(created_after_ms=late.created_at_ms) == ["Late"]
    assert names(created_before_ms=late.created_at_ms) == ["Early"]
    assert names(created_after_ms=early.created_at_ms) == ["Late", "Early"]


def test_a_test_is_recorded_beside_the_account(bench: Workbench) -> None:
    made = bench.account()
    kept = bench.write(lambda uow: accounts.record_test(uow, WORKSPACE, made.id, _test_result()))
    again = bench.write(lambda uow: accounts.record_test(uow, WORKSPACE, made.id, _test_result(ok=False)))
    assert (kept.version, kept.last_test) == (1, _test_result())
    assert again.last_test is not None
    assert not again.last_test.ok


def test_an_account_can_be_created_by_a_new_ask(bench: Workbench) -> None:
    ask = NewAccount(WORKSPACE, "smtp", "Mail", {"host": "mail.example.org"})
    assert bench.write(lambda uow: accounts.create_account(uow, ask, bench.account_needs)).provider_id == "smtp"
