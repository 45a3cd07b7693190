"""Secrets: the key ring of the service, what the routes ask for, and the secrets of accounts as flows know them."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from postroad.app.areas.ground import Ground, storage
from postroad.entrypoints.http.routes.secrets import SecretParts
from postroad.flows.account_setup import SecretWish
from postroad.foundation.keyring import KeyRing
from postroad.foundation.secret_lookup import GivenSecrets
from postroad.foundation.service_settings import Settings
from postroad.kernel.authz import Principal
from postroad.kernel.service import BackgroundService
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules import accounts, secrets
from postroad.modules.secrets import SecretChange, SecretOperation
from postroad.reads.secret_uses import uses_of_secret
from postroad.spi import SecretResolver
from postroad.vocabulary.errors import KeysUnusable

_ME = Principal.system("vault")
_START_S = 10.0


def open_ring(settings: Settings) -> KeyRing:
    """The key ring of the settings; made only at the first start of a standalone service.

    A database that holds secrets already must not get a new key ring: its secrets would be lost in silence. Raises
    KeysUnusable, and what opening the database raises.
    """
    file = settings.keys.file
    may_make = settings.is_standalone and not file.exists()
    if may_make and needed_keys(settings):
        raise KeysUnusable(
            f"the key ring {file} is missing and the database holds secrets that were encrypted with it; put it back "
            "from its backup",
            field="keys.file",
        )
    return KeyRing.load_or_make(file, may_make=may_make)


class VaultArea(Ground):
    @cached_property
    def secrets(self) -> SecretParts:
        return SecretParts(self.keys, _Uses())

    @cached_property
    def account_secrets(self) -> "AccountSecretsIn":
        return AccountSecretsIn(self.keys)

    def check_keys(self) -> None:
        """Raises KeysUnusable where the database holds secrets that this key ring cannot open."""
        self.keys.require(self.database.read(_ME, lambda reading: secrets.key_versions_in(reading.connection)))

    def background_services(self) -> list[BackgroundService]:
        return [*super().background_services(), secrets.rewrap_service(self.background_database, self.keys)]


class AccountSecretsIn:
    """`flows.account_setup.AccountSecrets` over the room of secrets."""

    def __init__(self, ring: KeyRing) -> None:
        self._ring = ring

    def states(
        self, reading: Reading, workspace_id: str, names: Mapping[str, Sequence[str]]
    ) -> Mapping[str, Mapping[str, accounts.SecretState]]:
        found = secrets.set_states(reading, workspace_id, names)
        return {
            account_id: {
                name: accounts.SecretState(state.configured, state.updated_at_ms) for name, state in states.items()
            }
            for account_id, states in found.items()
        }

    def own_names(self, uow: UnitOfWork, workspace_id: str, account_id: str) -> frozenset[str]:
        return secrets.names_in_set(uow, workspace_id, account_id)

    def change(self, uow: UnitOfWork, workspace_id: str, account_id: str, wishes: Mapping[str, SecretWish]) -> None:
        changes = {
            name: SecretChange(SecretOperation(wish.operation.value), wish.value) for name, wish in wishes.items()
        }
        secrets.change_set(uow, self._ring, workspace_id, account_id, changes)

    def resolver(
        self, reading: Reading, workspace_id: str, account_id: str, references: Sequence[str]
    ) -> SecretResolver:
        found = secrets.resolve(reading, self._ring, workspace_id, references, account_id)
        return GivenSecrets({name: secret.reveal() for name, secret in found.items()})


class _Uses:
    def of_secret(self, uow: UnitOfWork, workspace_id: str, namespace: str, name: str) -> Sequence[secrets.Referrer]:
        found = uses_of_secret(uow, workspace_id, namespace, name)
        return [secrets.Referrer(use.kind, use.id, use.name) for use in found]


def needed_keys(settings: Settings) -> frozenset[str]:
    """The versions that stored secrets were encrypted with."""
    if settings.database.is_sqlite and not settings.database.sqlite_path.exists():
        return frozenset()
    dialect = storage.dialect_of(settings.database)
    try:
        with dialect.reading(_START_S) as opened:
            return secrets.key_versions_in(opened.connection)
    finally:
        dialect.close()
