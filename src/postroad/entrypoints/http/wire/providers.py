"""Providers on the wire."""

from typing import Any

from postroad.entrypoints.http.conventions import Shown
from postroad.spi import ProviderDescriptor, Rate


class RateShown(Shown):
    """At most `count` in any `perSeconds` seconds."""

    count: int
    per_seconds: float


class LimitShown(Shown):
    """A limit of the vendor, and what it belongs to: `account`, `sender`, `domain`, `recipient`."""

    scope: str
    rate: RateShown


class CapabilitiesShown(Shown):
    """What the channel can do at its best; some of it depends on how an account is configured."""

    preview: bool
    dry_run: bool
    idempotency: bool
    batch_size: int
    delivery_reports: bool
    response_body: bool
    attachments: bool


class TimeoutsShown(Shown):
    connect_seconds: float
    send_seconds: float


class ProviderShown(Shown):
    id: str
    title: str
    category: str
    description: str
    icon: str
    version: str
    spi_version: str
    schema_version: str
    commit_point: str
    concurrency_mode: str
    """THREAD_SAFE: any number of sends at once; SERIALIZED: one; SESSION_PER_WORKER: one for each session."""
    max_concurrency: int
    limits: list[LimitShown]
    default_rate: RateShown | None
    """How fast a run goes when its job says nothing; null means the limits alone."""
    price_per_part: float | None
    currency: str
    capabilities: CapabilitiesShown
    timeouts: TimeoutsShown


class ProviderList(Shown):
    items: list[ProviderShown]


class SchemaShown(Shown):
    """A JSON Schema 2020-12 with `x-postroad-*` hints, and how a form for it looks."""

    provider_id: str
    kind: str
    schema_version: str
    json_schema: dict[str, Any]
    ui_schema: dict[str, Any]


def shown_provider(descriptor: ProviderDescriptor) -> ProviderShown:
    one = descriptor
    return ProviderShown(
        id=one.provider_id,
        title=one.title,
        category=one.category,
        description=one.description,
        icon=one.icon,
        version=one.version,
        spi_version=one.spi_version,
        schema_version=one.schema_version,
        commit_point=one.commit_point.value,
        concurrency_mode=one.concurrency_mode.value,
        max_concurrency=one.max_concurrency,
        limits=[LimitShown(scope=limit.scope.value, rate=_rate(limit.rate)) for limit in one.limits],
        default_rate=None if one.default_rate is None else _rate(one.default_rate),
        price_per_part=one.price_per_part,
        currency=one.currency,
        capabilities=CapabilitiesShown.of(one.capabilities),
        timeouts=TimeoutsShown(connect_seconds=one.timeouts.connect_s, send_seconds=one.timeouts.send_s),
    )


def _rate(rate: Rate) -> RateShown:
    return RateShown(count=rate.count, per_seconds=rate.per_s)
