"""Setting up accounts: the account and its secrets in one transaction, and a look whether it works.

create_account, change_account, archive_account    one unit of work each, over modules.accounts and the secrets
check_connection                                   only when asked: prepare, look at the remote, record
"""

from postroad.flows.account_setup.checking import CheckAsk, check_connection
from postroad.flows.account_setup.editing import (
    AccountChangeAsk,
    NewAccountAsk,
    archive_account,
    change_account,
    create_account,
)
from postroad.flows.account_setup.ports import (
    AccountSecrets,
    AccountSetup,
    ConnectionChecks,
    ConnectionFactories,
    Operation,
    SecretWish,
)

__all__ = [
    "AccountChangeAsk",
    "AccountSecrets",
    "AccountSetup",
    "CheckAsk",
    "ConnectionChecks",
    "ConnectionFactories",
    "NewAccountAsk",
    "Operation",
    "SecretWish",
    "archive_account",
    "change_account",
    "check_connection",
    "create_account",
]
