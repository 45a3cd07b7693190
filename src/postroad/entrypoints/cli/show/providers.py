"""The channels and what they can do, from their own descriptors."""

from collections.abc import Mapping
from typing import Any

from rich.table import Table

from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say
from postroad.spi import CommitPoint, ConcurrencyMode, ProviderDescriptor, Rate

COMMIT_POINTS = {
    CommitPoint.FIRST_REQUEST_BYTE: "when the first byte of its request was written",
    CommitPoint.FINAL_DOT: "when the dot that ends the mail was written",
    CommitPoint.SUBMIT_WRITTEN: "when its submit was written",
}
AT_ONCE = {
    ConcurrencyMode.THREAD_SAFE: "one session for all, at most {n} at once",
    ConcurrencyMode.SERIALIZED: "one after another",
    ConcurrencyMode.SESSION_PER_WORKER: "a session for each, at most {n}",
}


def rate_of(rate: Rate) -> str:
    unit = {1.0: "s", 60.0: "min", 3600.0: "h", 86400.0: "d"}.get(rate.per_s)
    return f"{rate.count}/{unit}" if unit else f"{rate.count} / {console.duration(rate.per_s)}"


def table(descriptors: Mapping[str, ProviderDescriptor], *, as_json: bool) -> None:
    if as_json:
        console.print_json(list(descriptors.values()))
        return
    shown = console.plain_table(say("id"), say("channel"), say("kind"), say("version"), say("what it does"))
    for name, one_of in descriptors.items():
        shown.add_row(name, one_of.title, one_of.category, one_of.version, one_of.description)
    console.results.print(shown)
    console.tell(say("Look at one with: postroad providers show ID"), "dim")


def one(descriptor: ProviderDescriptor, *, as_json: bool) -> None:
    if as_json:
        console.print_json(descriptor)
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
        if not schema.get("properties"):
            continue
        console.results.print(f"\n{heading}")
        console.results.print(_fields(schema))
    console.tell(say("A job file for it: postroad init {id}", id=descriptor.provider_id), "dim")


def _facts(descriptor: ProviderDescriptor) -> dict[str, str]:
    can = descriptor.capabilities
    limits = [f"{rate_of(limit.rate)} ({limit.scope})" for limit in descriptor.limits]
    default = descriptor.default_rate
    return {
        say("counts as gone"): say(COMMIT_POINTS[descriptor.commit_point]),
        say("sends at once"): say(AT_ONCE[descriptor.concurrency_mode], n=descriptor.max_concurrency),
        say("limits"): "; ".join(limits) or "-",
        say("safe default rate"): rate_of(default) if default else "-",
        say("batch"): str(can.batch_size) if can.batch_size > 1 else "-",
        say("idempotency"): console.duration(can.idempotency_kept_for_s) if can.idempotency else "-",
        say("attachments"): say("yes") if can.attachments else say("no"),
    }


def _fields(schema: Mapping[str, Any]) -> Table:
    required = set(schema.get("required", ()))
    rows = console.plain_table(say("field"), say("type"), say("required"), say("meaning"))
    for name, property_ in schema.get("properties", {}).items():
        kind = property_.get("type") or "|".join(map(str, property_.get("enum", ()))) or "…"
        kind = say("secret") if property_.get("x-postroad-secret") else kind
        rows.add_row(
            name,
            kind,
            say("yes") if name in required else "",
            str(property_.get("description") or property_.get("title") or ""),
        )
    return rows
