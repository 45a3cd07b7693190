"""The page of every channel, from its own descriptor."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from postroad.app.composition import LocalComposition
from postroad.app.reference.markdown import code, page, paragraph, table
from postroad.entrypoints.cli.show.providers import AT_ONCE, COMMIT_POINTS
from postroad.spi import ProviderDescriptor, Rate

_INTRODUCTION = """
The channels that come with the program. A message counts as gone at the **commit point**: a failure before it is tried
again; silence after it is doubt and ends as UNKNOWN, unless the receiver keeps idempotency keys. Without a rate in the
job the **safe rate** holds. Each folder `src/postroad/providers/<id>/` holds a README with the table of codes, limits
and quirks; [write a provider](../howto/write-a-provider.md) shows how to add one.
"""
_PERIODS = {1.0: "second", 60.0: "minute", 3600.0: "hour", 86400.0: "day"}


def providers_page() -> str:
    return page("Providers", paragraph(_INTRODUCTION), *map(_section, LocalComposition().descriptors().values()))


def _section(descriptor: ProviderDescriptor) -> str:
    blocks = [f"## {descriptor.provider_id}", paragraph(_story(descriptor))]
    for heading, schema in (
        ("account", descriptor.account_schema),
        ("message", descriptor.message_schema),
        ("fields of a recipient", descriptor.recipient_schema),
    ):
        fields = table(("Field", "Type", "Required", "Meaning"), _fields(schema))
        if fields:
            blocks += [f"### {descriptor.provider_id}: {heading}", fields]
    return "\n\n".join(blocks)


def _story(descriptor: ProviderDescriptor) -> str:
    can, default = descriptor.capabilities, descriptor.default_rate
    limits = "; ".join(f"{_rate(limit.rate)} for each {limit.scope.lower()}" for limit in descriptor.limits)
    pieces = [
        f"{descriptor.title}: {descriptor.description.rstrip('.')}.",
        f"A message counts as gone {COMMIT_POINTS[descriptor.commit_point]}.",
        f"Safe rate: {_rate(default)}." if default is not None else "",
        f"Limits of the vendor: {limits}." if limits else "",
        f"Sessions: {AT_ONCE[descriptor.concurrency_mode].format(n=descriptor.max_concurrency)}.",
        f"Up to {can.batch_size} recipients in one call." if can.batch_size > 1 else "",
        "May use idempotency keys." if can.idempotency else "",
        "Takes attachments." if can.attachments else "",
        "Keeps answers where asked." if can.response_body else "",
    ]
    return " ".join(piece for piece in pieces if piece)


def _rate(rate: Rate) -> str:
    return (
        f"{rate.count} per {_PERIODS[rate.per_s]}" if rate.per_s in _PERIODS else f"{rate.count} per {rate.per_s:g} s"
    )


def _fields(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    required = set(schema.get("required", ()))
    for name, given in schema.get("properties", {}).items():
        field = _resolved(given, schema)
        meaning = str(given.get("description") or given.get("title") or "").rstrip(".") + "."
        default = f" Default: {code(json.dumps(given['default'], ensure_ascii=False))}." if "default" in given else ""
        yield code(name), _kind(field), "yes" if name in required else "", meaning + default


def _kind(field: Mapping[str, Any]) -> str:
    if field.get("x-postroad-secret"):
        return "secret"
    kind = field.get("type") or ", ".join(map(str, field.get("enum", ()))) or "one of several shapes"
    return kind if isinstance(kind, str) else " or ".join(kind)


def _resolved(field: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The field, or what its local reference leads to."""
    place = str(field.get("$ref", ""))
    if not place.startswith("#/"):
        return field
    found: Any = schema
    for step in place.removeprefix("#/").split("/"):
        found = found[step]
    return found if isinstance(found, Mapping) else field
