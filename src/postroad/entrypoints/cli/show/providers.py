"""The channels and what they can do, from their own descriptors."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rich.table import Table

from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say
from postroad.spi import ProviderDescriptor


def table(descriptors: Mapping[str, ProviderDescriptor], *, as_json: bool) -> None:
    if as_json:
        console.print_json([_document(descriptor) for descriptor in descriptors.values()])
        return
    shown = console.plain_table(say("id"), say("channel"), say("kind"), say("version"), say("what it does"))
    for name, one_of in descriptors.items():
        shown.add_row(name, one_of.title, one_of.category, one_of.version, one_of.description)
    console.results.print(shown)
    console.tell(say("Look at one with: postroad providers show ID"), "dim")


def one(descriptor: ProviderDescriptor, *, as_json: bool) -> None:
    if as_json:
        console.print_json(_document(descriptor))
        return
    console.results.print(f"{descriptor.title} ({descriptor.provider_id} {descriptor.version})")
    console.results.print(descriptor.description)
    facts = console.plain_table("", "")
    for name, value in _facts(descriptor).items():
        facts.add_row(name, value)
    console.results.print(facts)
    for heading, schema in (
        (say("account"), descriptor.account_schema),
        (say("message"), descriptor.message_schema),
        (say("recipient"), descriptor.recipient_schema),
    ):
        console.results.print(f"\n{heading}")
        console.results.print(_fields(schema))
    console.tell(say("A job file for it: postroad init {id}", id=descriptor.provider_id), "dim")


def _facts(descriptor: ProviderDescriptor) -> dict[str, str]:
    can = descriptor.capabilities
    limits = [f"{limit.rate.count} per {limit.rate.per_s:g} s per {limit.scope}" for limit in descriptor.limits]
    default = descriptor.default_rate
    return {
        say("counts as gone"): str(descriptor.commit_point),
        say("sends at once"): f"{descriptor.concurrency_mode}, ≤ {descriptor.max_concurrency}",
        say("limits"): "; ".join(limits) or "-",
        say("safe default rate"): f"{default.count} per {default.per_s:g} s" if default else "-",
        say("batch"): str(can.batch_size) if can.batch_size > 1 else "-",
        say("idempotency"): console.duration(can.idempotency_kept_for_s) if can.idempotency else "-",
        say("attachments"): say("yes") if can.attachments else say("no"),
    }


def _fields(schema: Mapping[str, Any]) -> Table:
    required = set(schema.get("required", ()))
    rows = console.plain_table(say("field"), say("type"), say("required"), say("meaning"))
    for name, property_ in schema.get("properties", {}).items():
        kind = property_.get("type") or "|".join(map(str, property_.get("enum", ()))) or "…"
        secret = say(" (secret)") if property_.get("x-postroad-secret") else ""
        rows.add_row(
            name,
            f"{kind}{secret}",
            say("yes") if name in required else "",
            str(property_.get("description") or property_.get("title") or ""),
        )
    return rows


def _document(descriptor: ProviderDescriptor) -> dict[str, object]:
    return asdict(descriptor)
