"""Secrets: kept encrypted, never shown again, handed to flows alone.

A secret has a namespace and a name in its workspace. Workspace secrets live in open namespaces (`default`, `mail`) and
are set through the API; the secrets of an account live in a namespace of its own and change only together with the
account. Each is sealed by `foundation.envelope` under a key of its own, bound to workspace, record and version, so no
row can stand in for another. Setting one anew raises its version and overwrites the old text.

Tables: `secret_records` (what is sealed now), `secret_versions` (when and by whom each version was set; no text).
Invariants: no use case returns a text but `resolve`, which is for flows; a text has 1 byte to 64 KiB; a record is
sealed with the version it has; what an account, a job or a run still names cannot be deleted.
Events: `secret.changed` (operation REPLACED or DELETED).
"""

from postroad.modules.secrets.commands import change_set, delete_secret, delete_set, put_secret
from postroad.modules.secrets.model import (
    LARGEST_BYTES,
    SecretChange,
    SecretFilter,
    SecretOperation,
    SecretState,
    SecretVersion,
    SecretView,
)
from postroad.modules.secrets.parts.needs import Referrer, SecretUses
from postroad.modules.secrets.parts.rewrapping import rewrap_service, rewrap_some
from postroad.modules.secrets.queries import get_secret, get_version, list_secrets, names_in_set, resolve, set_states
from postroad.modules.secrets.store import key_versions_in

__all__ = [
    "LARGEST_BYTES",
    "Referrer",
    "SecretChange",
    "SecretFilter",
    "SecretOperation",
    "SecretState",
    "SecretUses",
    "SecretVersion",
    "SecretView",
    "change_set",
    "delete_secret",
    "delete_set",
    "get_secret",
    "get_version",
    "key_versions_in",
    "list_secrets",
    "names_in_set",
    "put_secret",
    "resolve",
    "rewrap_service",
    "rewrap_some",
    "set_states",
]
