"""What may be known of secrets; and, for flows alone, their texts."""

from collections.abc import Mapping, Sequence

from postroad.foundation.envelope import unseal
from postroad.foundation.keyring import KeyRing
from postroad.kernel.authz import Action, Resource
from postroad.kernel.pages import Listing, Page, PageRequest
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.secrets import store
from postroad.modules.secrets.model import (
    SecretFilter,
    SecretRecord,
    SecretState,
    SecretVersion,
    SecretView,
    refuse_names,
)
from postroad.spi.secret_references import SecretReference, account_namespace
from postroad.vocabulary.errors import SecretMissing
from postroad.vocabulary.refusals import ResourceNotFound
from postroad.vocabulary.secret import Secret


def get_secret(reading: Reading, at: tuple[str, str, str]) -> SecretView:
    """The workspace secret at (workspace, namespace, name), without its text."""
    return _known(reading, at).view


def get_version(reading: Reading, at: tuple[str, str, str], version: int) -> SecretVersion:
    """When and by whom a version was set; of a replaced one that is all there is left."""
    record = _known(reading, at)
    found = store.version(reading, record.id, version)
    if found is None:
        raise ResourceNotFound(f"{record.namespace}/{record.name} has no version {version}")
    return SecretVersion(found.version, found.updated_at_ms, found.updated_by, is_current=version == record.version)


def list_secrets(reading: Reading, workspace_id: str, request: PageRequest, wanted: SecretFilter) -> Page[SecretView]:
    """Workspace secrets, newest first. Those of accounts are shown with their accounts."""
    resource = Resource(workspace_id, "secret")
    reading.authorize(Action.SECRETS_READ, resource)
    filters = {
        "namespace": wanted.namespace,
        "name": wanted.name,
        "after": wanted.created_after_ms,
        "before": wanted.created_before_ms,
    }
    listing = Listing.open(reading.cursors, request, resource, filters)
    return store.page(reading, listing, workspace_id, wanted)


def set_states(
    reading: Reading, workspace_id: str, names: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, SecretState]]:
    """Account id → reference → whether it is set, for what each account's configuration names. One statement.

    The caller has authorised the reading of the accounts.
    """
    places = {place for account_id, texts in names.items() for text in texts for place in _places(text, account_id)}
    found = store.at_places(reading, workspace_id, places)
    return {
        account_id: {text: _state(found, _places(text, account_id)) for text in texts}
        for account_id, texts in names.items()
    }


def names_in_set(uow: UnitOfWork, workspace_id: str, account_id: str) -> frozenset[str]:
    """What an account has set of its own, held until the end of the transaction.

    The caller has authorised the change of the account.
    """
    return frozenset(store.lock_namespace(uow, workspace_id, account_namespace(account_id)))


def resolve(
    reading: Reading, ring: KeyRing, workspace_id: str, references: Sequence[str], account_id: str = ""
) -> dict[str, Secret]:
    """Reference → text. For flows only: the caller has authorised what the secrets are for, and shows them to nobody.

    Raises SecretMissing with all that are not set, SecretUnreadable, KeysUnusable.
    """
    wanted = {text: _places(text, account_id) for text in references}
    found = store.at_places(reading, workspace_id, {place for places in wanted.values() for place in places})
    chosen = {text: next((found[place] for place in places if place in found), None) for text, places in wanted.items()}
    missing = [text for text, record in chosen.items() if record is None]
    if missing:
        raise SecretMissing(f"not set: {', '.join(missing)}; set it at the account or as a secret", field=missing[0])
    return {text: Secret(_text(ring, record)) for text, record in chosen.items() if record is not None}


def _known(reading: Reading, at: tuple[str, str, str]) -> SecretRecord:
    workspace_id, namespace, name = at
    reading.authorize(Action.SECRETS_READ, Resource(workspace_id, "secret"))
    refuse_names(namespace, name)
    record = store.find(reading, workspace_id, namespace, name)
    if record is None:
        raise ResourceNotFound(f"there is no secret {namespace}/{name}")
    return record


def _places(text: str, account_id: str) -> tuple[tuple[str, str], ...]:
    """Nowhere for a reference that cannot be one: it is simply not set."""
    try:
        return SecretReference.parse(text).places(account_id)
    except ValueError:
        return ()


def _state(found: Mapping[tuple[str, str], SecretRecord], places: Sequence[tuple[str, str]]) -> SecretState:
    record = next((found[place] for place in places if place in found), None)
    return SecretState(configured=False) if record is None else SecretState(True, record.updated_at_ms, record.version)


def _text(ring: KeyRing, record: SecretRecord) -> str:
    return unseal(ring, record.place, record.sealed).decode()
