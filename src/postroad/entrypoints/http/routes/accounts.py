"""Accounts: their configuration and secrets, a look whether they work, their authentication circuit."""

from typing import Annotated

from fastapi import Query, Response

from postroad.entrypoints.http.configuration import ConfigurationComposition
from postroad.entrypoints.http.conventions import (
    Caller,
    CallerOf,
    FiltersAsked,
    IfMatch,
    PageAsked,
    Router,
    WorkspaceId,
    created,
    path_part,
    problems,
    show_version,
)
from postroad.entrypoints.http.wire.accounts import (
    AccountChanged,
    AccountMade,
    AccountPage,
    AccountShown,
    CircuitShown,
    shown_account,
    shown_circuit,
    shown_page,
    wishes,
)
from postroad.flows import account_setup
from postroad.flows.account_setup import AccountChangeAsk, CheckAsk, NewAccountAsk
from postroad.kernel.versions import Expected
from postroad.modules import accounts
from postroad.modules.accounts import AccountChange, AccountFilter, AccountStatus, AccountView, NewAccount

_ALL = "/workspaces/{workspaceId}/accounts"
_ONE = _ALL + "/{accountId}"
AccountId = Annotated[str, path_part("accountId")]
ProviderFilter = Annotated[str | None, Query(alias="providerId", max_length=40, description="Only of this provider.")]


def add_routes(router: Router, composition: ConfigurationComposition) -> None:
    """Below /workspaces/{workspaceId}/accounts."""
    _add_reading(router, composition)
    _add_changing(router, composition)
    _add_states(router, composition)
    _add_looking(router, composition)


def _add_reading(router: Router, composition: ConfigurationComposition) -> None:
    @router.get(_ALL, responses=problems(404))
    async def list_accounts(
        caller: Caller,
        workspace_id: WorkspaceId,
        page: PageAsked,
        filters: FiltersAsked,
        provider_id: ProviderFilter = None,
    ) -> AccountPage:
        """Accounts, newest first, with how many there are of each status."""
        wanted = AccountFilter(filters.name, provider_id, filters.status, filters.created_after, filters.created_before)
        secrets = composition.configuration.account_setup.secrets
        return shown_page(
            await caller.read(lambda reading: accounts.list_accounts(reading, workspace_id, page, wanted, secrets))
        )

    @router.get(_ONE, responses=problems(404))
    async def get_account(
        caller: Caller, workspace_id: WorkspaceId, account_id: AccountId, response: Response
    ) -> AccountShown:
        """One account. Of its secrets only whether they are set."""
        secrets = composition.configuration.account_setup.secrets
        return _shown(
            response,
            await caller.read(lambda reading: accounts.get_account(reading, workspace_id, account_id, secrets)),
        )


def _add_changing(router: Router, composition: ConfigurationComposition) -> None:
    @router.post(_ALL, status_code=201, responses=problems(403, 404, 409, 422))
    async def create_account(
        caller: Caller, workspace_id: WorkspaceId, body: AccountMade, response: Response
    ) -> AccountShown:
        """Makes an account. Its provider checks the configuration; nothing is connected to."""
        new = NewAccount(workspace_id, body.provider_id, body.name, body.config)
        ask = NewAccountAsk(new, wishes(body.secrets))
        made = await caller.write(
            lambda uow: account_setup.create_account(uow, ask, composition.configuration.account_setup)
        )
        created(response, f"/api/v1/workspaces/{workspace_id}/accounts/{made.account.id}", made.account.version)
        return shown_account(made)

    @router.patch(_ONE, responses=problems(403, 404, 409, 412, 422, 428))
    async def change_account(
        caller: Caller,
        workspace_id: WorkspaceId,
        account_id: AccountId,
        if_match: IfMatch,
        body: AccountChanged,
        *,
        response: Response,
    ) -> AccountShown:
        """Changes name, configuration or secrets. A secret that is not named any more is forgotten."""
        change = AccountChange(workspace_id, account_id, if_match, name=body.name, config=body.config)
        ask = AccountChangeAsk(change, wishes(body.secrets))
        return _shown(
            response,
            await caller.write(
                lambda uow: account_setup.change_account(uow, ask, composition.configuration.account_setup)
            ),
        )

    @router.delete(_ONE, responses=problems(403, 404, 409, 412, 428))
    async def archive_account(
        caller: Caller, workspace_id: WorkspaceId, account_id: AccountId, if_match: IfMatch, response: Response
    ) -> AccountShown:
        """Archives an account: its secrets are forgotten, its name is free. Refused while a job or a run needs it."""
        setup = composition.configuration.account_setup
        return _shown(
            response,
            await caller.write(
                lambda uow: account_setup.archive_account(uow, workspace_id, account_id, if_match, setup)
            ),
        )


def _add_states(router: Router, composition: ConfigurationComposition) -> None:
    async def move(
        caller: CallerOf, response: Response, at: tuple[str, str], to: AccountStatus, expected: Expected
    ) -> AccountShown:
        ask = AccountChangeAsk(AccountChange(*at, expected, status=to), {})
        return _shown(
            response,
            await caller.write(
                lambda uow: account_setup.change_account(uow, ask, composition.configuration.account_setup)
            ),
        )

    @router.post(_ONE + "/enable", responses=problems(403, 404, 409, 412, 428))
    async def enable_account(
        caller: Caller, workspace_id: WorkspaceId, account_id: AccountId, if_match: IfMatch, response: Response
    ) -> AccountShown:
        """Lets runs begin with it again."""
        return await move(caller, response, (workspace_id, account_id), AccountStatus.ACTIVE, if_match)

    @router.post(_ONE + "/disable", responses=problems(403, 404, 409, 412, 428))
    async def disable_account(
        caller: Caller, workspace_id: WorkspaceId, account_id: AccountId, if_match: IfMatch, response: Response
    ) -> AccountShown:
        """Lets no further run begin with it. Runs that are under way go on."""
        return await move(caller, response, (workspace_id, account_id), AccountStatus.DISABLED, if_match)


def _add_looking(router: Router, composition: ConfigurationComposition) -> None:
    @router.post(_ONE + "/connection-test", responses=problems(403, 404, 409, 429, 503))
    async def test_account_connection(
        caller: Caller, workspace_id: WorkspaceId, account_id: AccountId, response: Response
    ) -> AccountShown:
        """Connects to the remote now and says what that proved. Nothing is sent to anybody."""
        ask = CheckAsk(workspace_id, account_id, caller.trace_id, caller.address)
        checks = composition.configuration.connection_checks
        return _shown(response, await caller.run(lambda: account_setup.check_connection(caller.principal, ask, checks)))

    @router.get(_ONE + "/authentication-circuit", responses=problems(404))
    async def get_authentication_circuit(
        caller: Caller, workspace_id: WorkspaceId, account_id: AccountId
    ) -> CircuitShown:
        """Whether runs may begin, or have been stopped because the remote refused the credentials run after run."""
        return shown_circuit(await caller.read(lambda reading: accounts.get_circuit(reading, workspace_id, account_id)))

    @router.delete(_ONE + "/authentication-circuit", status_code=204, responses=problems(403, 404))
    async def reset_authentication_circuit(caller: Caller, workspace_id: WorkspaceId, account_id: AccountId) -> None:
        """Lets runs begin again at once."""
        await caller.write(lambda uow: accounts.reset_circuit(uow, workspace_id, account_id))


def _shown(response: Response, view: AccountView) -> AccountShown:
    show_version(response, view.account.version)
    return shown_account(view)
