"""Accounts: the configuration of one provider under a name that is unique in its workspace.

Owns the table `accounts`; its circuit is kept by `kernel.breaker` under the subject `account:<id>`.

- A configuration that is kept was taken by its provider: schema, meaning and addresses, without any network. Secrets
  stand in it by name alone; who writes them is the flow `account_setup`.
- A change names the version it started from. Archiving refuses while a job or a run refers to the account; an archived
  one is never changed again, and its name is free.
- A connection test is recorded beside the account and is no change of it. Nothing tests a connection unasked.
- The authentication circuit counts failing runs. Mending the account closes it.

Publishes account.changed, account.tested, account.circuit_changed.
"""

from postroad.modules.accounts.commands import (
    AccountChange,
    NewAccount,
    archive_account,
    change_account,
    create_account,
    record_test,
)
from postroad.modules.accounts.model import (
    Account,
    AccountFilter,
    AccountStatus,
    AccountView,
    ConnectionTest,
    SecretState,
    account_document,
)
from postroad.modules.accounts.parts.circuit import (
    Admission,
    admit_run,
    circuit_open_until,
    close_circuit,
    get_circuit,
    reset_circuit,
    run_ended_with_authentication_failure,
)
from postroad.modules.accounts.ports import (
    AccountNeeds,
    AddressRules,
    Providers,
    References,
    Referrer,
    SecretStates,
)
from postroad.modules.accounts.queries import (
    AccountList,
    account_to_refer_to,
    find_account,
    get_account,
    list_accounts,
    lock_account_named,
    view_of,
)

__all__ = [
    "Account",
    "AccountChange",
    "AccountFilter",
    "AccountList",
    "AccountNeeds",
    "AccountStatus",
    "AccountView",
    "AddressRules",
    "Admission",
    "ConnectionTest",
    "NewAccount",
    "Providers",
    "References",
    "Referrer",
    "SecretState",
    "SecretStates",
    "account_document",
    "account_to_refer_to",
    "admit_run",
    "archive_account",
    "change_account",
    "circuit_open_until",
    "close_circuit",
    "create_account",
    "find_account",
    "get_account",
    "get_circuit",
    "list_accounts",
    "lock_account_named",
    "record_test",
    "reset_circuit",
    "run_ended_with_authentication_failure",
    "view_of",
]
