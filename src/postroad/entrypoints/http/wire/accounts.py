"""Accounts on the wire."""

from typing import Any

from pydantic import Field, SecretStr

from postroad.entrypoints.http.conventions import Asked, Instant, PageShown, Shown, stamp
from postroad.flows.account_setup import Operation, SecretWish
from postroad.kernel.breaker import Circuit
from postroad.modules.accounts import AccountList, AccountView
from postroad.vocabulary.secret import Secret


class SecretStateShown(Shown):
    """Whether a secret is set, of the account or of the workspace. Its text is never shown."""

    configured: bool
    updated_at: Instant | None = stamp("updated_at_ms")


class ConnectionTestShown(Shown):
    """What the last look at the remote found, and how much that means."""

    tested_at: Instant = stamp("at_ms")
    ok: bool
    summary: str
    category: str
    proved: list[str]
    not_proved: list[str]
    account_version: int
    """The version that was looked at; older than the account's where it was changed since."""


class AccountShown(Shown):
    id: str
    workspace_id: str
    provider_id: str
    schema_version: str
    name: str
    status: str
    config: dict[str, Any]
    secrets: dict[str, SecretStateShown]
    """By the names that the configuration refers to."""
    last_test: ConnectionTestShown | None
    version: int
    created_at: Instant = stamp("created_at_ms")
    updated_at: Instant = stamp("updated_at_ms")


class AccountPage(Shown):
    items: list[AccountShown]
    page: PageShown
    counters: dict[str, int]
    """Status → how many fit the other filters."""


class CircuitShown(Shown):
    """CLOSED: runs may begin. OPEN: none until `openUntil`. HALF_OPEN: one may try."""

    state: str
    failing_runs: int
    open_until: Instant | None


class SecretWishAsked(Asked):
    """REPLACE sets `value`; KEEP leaves what is set."""

    operation: Operation
    value: SecretStr | None = Field(default=None, max_length=65536)

    def wish(self) -> SecretWish:
        return SecretWish(self.operation, None if self.value is None else Secret(self.value.get_secret_value()))


class AccountMade(Asked):
    provider_id: str = Field(max_length=40)
    name: str = Field(max_length=500)
    config: dict[str, Any]
    """As the provider's account schema wants it; a secret stands there as `{"$secret": "name"}`."""
    secrets: dict[str, SecretWishAsked] = Field(default_factory=dict, max_length=50)


class AccountChanged(Asked):
    """What is not given stays as it is; `config` is replaced as a whole."""

    name: str | None = Field(default=None, max_length=500)
    config: dict[str, Any] | None = None
    secrets: dict[str, SecretWishAsked] = Field(default_factory=dict, max_length=50)


def wishes(asked: dict[str, SecretWishAsked]) -> dict[str, SecretWish]:
    return {name: one.wish() for name, one in asked.items()}


def shown_account(view: AccountView) -> AccountShown:
    account = view.account
    parts = ("id", "workspace_id", "provider_id", "schema_version", "name", "status", "config", "last_test", "version")
    times = ("created_at_ms", "updated_at_ms")
    return AccountShown.of({name: getattr(account, name) for name in (*parts, *times)} | {"secrets": view.secrets})


def shown_page(found: AccountList) -> AccountPage:
    return AccountPage(
        items=[shown_account(view) for view in found.page.items],
        page=PageShown.of(found.page),
        counters=found.counters,
    )


def shown_circuit(circuit: Circuit) -> CircuitShown:
    return CircuitShown(state=circuit.state.value, failing_runs=circuit.failures, open_until=circuit.open_until_ms)
