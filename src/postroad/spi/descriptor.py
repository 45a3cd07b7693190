"""What a provider says about itself, as data: the engine, the CLI, the pages and the reference all read it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class CommitPoint(StrEnum):
    """When a message counts as gone. A failure before it may be retried; silence after it is doubt."""

    FIRST_REQUEST_BYTE = "FIRST_REQUEST_BYTE"
    """HTTP: the first byte of the request was written."""
    FINAL_DOT = "FINAL_DOT"
    """SMTP: the dot that ends DATA was written (RFC 5321 §4.5.3.2.6)."""
    SUBMIT_WRITTEN = "SUBMIT_WRITTEN"
    """Carrier protocols: the submit was written."""


class ConcurrencyMode(StrEnum):
    """Source: spec wepush §9.4."""

    THREAD_SAFE = "THREAD_SAFE"
    """One session serves any number of sends at once."""
    SERIALIZED = "SERIALIZED"
    """One session, one send at a time."""
    SESSION_PER_WORKER = "SESSION_PER_WORKER"
    """As many sessions as permits; each serves one send at a time."""


class RateScope(StrEnum):
    """What a budget belongs to. A bucket's key is the scope, or `scope:name` for the scopes with a name."""

    RUN = "run"
    ACCOUNT = "account"
    SENDER = "sender"
    DOMAIN = "domain"
    RECIPIENT = "recipient"


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `count` tokens in any `per_s` seconds; exact also for a count of one over a long window."""

    count: int
    per_s: float


@dataclass(frozen=True, slots=True)
class RateLimit:
    scope: RateScope
    rate: Rate


@dataclass(frozen=True, slots=True)
class Capabilities:
    preview: bool = True
    dry_run: bool = True
    idempotency: bool = False
    """The remote drops a second copy that carries the same key."""
    idempotency_kept_for_s: float = 0.0
    batch_size: int = 1
    """How many items one `send_batch` takes; 1 means there is no batch call."""
    delivery_reports: bool = False
    response_body: bool = False
    attachments: bool = False


@dataclass(frozen=True, slots=True)
class Timeouts:
    connect_s: float = 5.0
    send_s: float = 30.0
    """Whole time of one attempt, from dispatch to answer."""


@dataclass(frozen=True, slots=True)
class ProviderDescriptor:
    """Source: spec wepush §13.4. Schemas are JSON Schema 2020-12 with `x-postroad-*` hints (spec §14.2)."""

    provider_id: str
    title: str
    category: str
    description: str
    icon: str
    version: str
    account_schema: Mapping[str, Any]
    message_schema: Mapping[str, Any]
    recipient_schema: Mapping[str, Any]
    commit_point: CommitPoint
    ui_schema: Mapping[str, Any] = field(default_factory=dict)
    spi_version: str = "1.0"
    schema_version: str = "1"
    platforms: tuple[str, ...] = ("any",)
    capabilities: Capabilities = Capabilities()
    concurrency_mode: ConcurrencyMode = ConcurrencyMode.SERIALIZED
    max_concurrency: int = 1000
    limits: tuple[RateLimit, ...] = ()
    """The vendor's own limits: they hold unless the job gives others."""
    default_rate: Rate | None = None
    """The safe rate of a run when the job gives none; None means the limits alone."""
    price_per_part: float | None = None
    currency: str = ""
    timeouts: Timeouts = Timeouts()
