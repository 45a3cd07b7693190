"""An account and its secrets: kept together, forgotten together, never shown."""

import pytest
from tests.builders.configuration import HTTP_CONFIG, Workbench
from tests.builders.databases import WORKSPACE

from postroad.flows import account_setup
from postroad.flows.account_setup import AccountChangeAsk, NewAccountAsk, Operation, SecretWish
from postroad.kernel.versions import Expected
from postroad.modules.accounts import AccountChange, AccountView, NewAccount
from postroad.vocabulary.refusals import ProviderConfigInvalid, ValidationFailed
from postroad.vocabulary.secret import Secret

NO_AUTH = {"baseUrl": "https://api.example.com"}
KEEP = SecretWish(Operation.KEEP)


def _replace(text: str) -> SecretWish:
    return SecretWish(Operation.REPLACE, Secret(text))


def _create(bench: Workbench, config: object = HTTP_CONFIG, **secrets: SecretWish) -> AccountView:
    ask = NewAccountAsk(NewAccount(WORKSPACE, "http", "Shop", config), secrets)
    return bench.write(lambda uow: account_setup.create_account(uow, ask, bench.setup))


def _change(bench: Workbench, view: AccountView, config: object = None, **secrets: SecretWish) -> AccountView:
    account = view.account
    ask = AccountChangeAsk(AccountChange(WORKSPACE, account.id, Expected(account.version), config=config), secrets)
    return bench.write(lambda uow: account_setup.change_account(uow, ask, bench.setup))


def _texts(bench: Workbench) -> dict[str, str]:
    return {name: text for (_, name), text in bench.secrets.texts.items()}


def test_an_account_comes_with_its_secrets(bench: Workbench) -> None:
    view = _create(bench, token=_replace("s3cret"))
    assert view.secrets["token"].configured
    assert _texts(bench) == {"token": "s3cret"}
    assert "s3cret" not in repr([view, bench.databases.audit.entries])


def test_an_account_may_be_kept_before_its_secrets_are_set(bench: Workbench) -> None:
    assert not _create(bench).secrets["token"].configured


def test_a_secret_that_nothing_names_is_refused(bench: Workbench) -> None:
    with pytest.raises(ValidationFailed, match="it names token") as refused:
        _create(bench, tokn=_replace("x"))
    assert [(one.path, one.code) for one in refused.value.problems] == [("secrets.tokn", "NOT_NAMED")]


def test_there_is_nothing_to_keep_at_first(bench: Workbench) -> None:
    with pytest.raises(ValidationFailed) as refused:
        _create(bench, token=KEEP)
    assert [(one.path, one.code) for one in refused.value.problems] == [("secrets.token", "SECRET_NOT_SET")]


def test_a_configuration_that_is_refused_sets_no_secret(bench: Workbench) -> None:
    with pytest.raises(ProviderConfigInvalid):
        _create(bench, {"baseUrl": "nowhere"}, token=_replace("s3cret"))
    assert _texts(bench) == {}


def test_a_replaced_secret_is_a_new_version(bench: Workbench) -> None:
    view = _change(bench, _create(bench, token=_replace("one")), token=_replace("two"))
    assert (view.account.version, _texts(bench)) == (2, {"token": "two"})
    assert bench.databases.audit.entries[-1].details["fields"] == ["secrets"]


def test_what_a_change_does_not_mention_is_kept(bench: Workbench) -> None:
    view = _create(bench, token=_replace("one"))
    changed = _change(bench, view, {**HTTP_CONFIG, "baseUrl": "https://other.example.com"})
    same = _change(bench, changed, token=KEEP)
    assert (changed.account.version, same.account.version, _texts(bench)) == (2, 2, {"token": "one"})


def test_what_is_not_named_any_more_is_forgotten(bench: Workbench) -> None:
    view = _change(bench, _create(bench, token=_replace("one")), NO_AUTH)
    assert (view.secrets, _texts(bench)) == ({}, {})


def test_a_secret_can_move_to_another_name(bench: Workbench) -> None:
    view = _create(bench, token=_replace("one"))
    config = {**HTTP_CONFIG, "auth": {"type": "BEARER", "token": {"$secret": "other"}}}
    changed = _change(bench, view, config, other=_replace("two"))
    assert (list(changed.secrets), _texts(bench)) == (["other"], {"other": "two"})


def test_a_secret_of_the_workspace_is_no_secret_of_the_account(bench: Workbench) -> None:
    config = {**HTTP_CONFIG, "auth": {"type": "BEARER", "token": {"$secret": "mail/token"}}}
    with pytest.raises(ValidationFailed) as refused:
        _create(bench, config, **{"mail/token": _replace("x")})
    assert refused.value.problems[0].code == "NOT_NAMED"


def test_an_archived_account_has_no_secrets(bench: Workbench) -> None:
    view = _create(bench, token=_replace("one"))
    bench.write(lambda uow: account_setup.archive_account(uow, WORKSPACE, view.account.id, Expected(1), bench.setup))
    assert _texts(bench) == {}
