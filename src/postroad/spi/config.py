"""Configuration that crosses the boundary to a provider: immutable, versioned, without secrets."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ConfigDocument:
    """One account or message configuration as canonical JSON.

    `canonical` has sorted keys, no spaces and no secrets: a secret stands there as `{"$secret": "name"}`.
    Source: spec wepush §6.1.
    """

    schema_id: str
    schema_version: str
    canonical: bytes
    media_type: str = "application/json"

    @staticmethod
    def of(schema_id: str, schema_version: str, value: Mapping[str, Any]) -> "ConfigDocument":
        """Freezes `value`. Raises ValueError where it holds something JSON cannot say."""
        text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return ConfigDocument(schema_id, schema_version, text.encode())

    def value(self) -> dict[str, Any]:
        """A fresh copy of the content."""
        loaded: dict[str, Any] = json.loads(self.canonical)
        return loaded


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a configuration: where, what, and how to put it right. Never holds a secret."""

    field: str
    """Dotted path, such as `auth.token`; empty for the whole document."""
    message: str
    code: str = "INVALID"
