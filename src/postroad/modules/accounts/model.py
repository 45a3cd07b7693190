"""What an account is: the configuration of one provider under a name. Pure: it decides and does not do.

No secret is ever here: where one stands, the configuration says `{"$secret": "name"}`.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from postroad.spi import ConfigDocument
from postroad.vocabulary.refusals import StateConflict

Config = Mapping[str, Any]


class AccountStatus(StrEnum):
    ACTIVE = "ACTIVE"
    DISABLED = "DISABLED"
    """No run can begin with it until it is switched on again."""
    ARCHIVED = "ARCHIVED"
    """Kept for the runs that used it, without its secrets; its name is free."""


@dataclass(frozen=True, slots=True)
class ConnectionTest:
    """What the last connection test found. `proved` and `not_proved` say how much that means."""

    at_ms: int
    ok: bool
    summary: str
    category: str
    proved: tuple[str, ...]
    not_proved: tuple[str, ...]
    account_version: int
    """The version that was tested; older than the account's own where it was changed since."""

    def as_json(self) -> dict[str, Any]:
        return {
            "atMs": self.at_ms,
            "ok": self.ok,
            "summary": self.summary,
            "category": self.category,
            "proved": list(self.proved),
            "notProved": list(self.not_proved),
            "accountVersion": self.account_version,
        }


@dataclass(frozen=True, slots=True)
class Account:
    id: str
    workspace_id: str
    provider_id: str
    schema_version: str
    name: str
    config: Config
    status: AccountStatus
    last_test: ConnectionTest | None
    version: int
    created_at_ms: int
    updated_at_ms: int

    @property
    def document(self) -> ConfigDocument:
        return account_document(self.provider_id, self.schema_version, self.config)

    def changed(self, now_ms: int, **parts: Any) -> "Account":
        """The next version. Raises StateConflict for an archived account."""
        if self.status is AccountStatus.ARCHIVED:
            raise StateConflict(f"the account {self.name!r} is archived and cannot be changed; make a new one")
        return replace(self, version=self.version + 1, updated_at_ms=now_ms, **parts)


@dataclass(frozen=True, slots=True)
class AccountFilter:
    name: str | None = None
    """A part of the name, in any case."""
    provider_id: str | None = None
    status: str | None = None
    created_after_ms: int | None = None
    created_before_ms: int | None = None

    def as_filters(self) -> dict[str, object]:
        """What a cursor is bound to."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class SecretState:
    configured: bool
    updated_at_ms: int | None


@dataclass(frozen=True, slots=True)
class AccountView:
    """An account as it is shown: `secrets` has every secret that its configuration names."""

    account: Account
    secrets: Mapping[str, SecretState]


def account_document(provider_id: str, schema_version: str, config: Config) -> ConfigDocument:
    return ConfigDocument.of(f"{provider_id}/account", schema_version, config)


def config_of(canonical: str) -> Config:
    found: dict[str, Any] = json.loads(canonical)
    return found


def test_of(value: Mapping[str, Any] | None) -> ConnectionTest | None:
    if value is None:
        return None
    return ConnectionTest(
        at_ms=value["atMs"],
        ok=value["ok"],
        summary=value["summary"],
        category=value["category"],
        proved=tuple(value["proved"]),
        not_proved=tuple(value["notProved"]),
        account_version=value["accountVersion"],
    )
