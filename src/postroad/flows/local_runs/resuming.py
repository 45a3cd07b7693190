"""What may differ when a send goes on: secrets, rate and concurrency. Everything else is named and refused."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import postroad
from postroad.flows.local_runs.keeping.folder import SendFolder
from postroad.flows.local_runs.keeping.plan import SendPlan
from postroad.flows.local_runs.orders import ResumeOrder
from postroad.jobfile import Job, Policies, read_job
from postroad.spi import ProviderDescriptor
from postroad.vocabulary.errors import SendConflict

_FREE = ("policies.rate", "policies.concurrency")


def changed_policies(folder: SendFolder, plan: SendPlan, order: ResumeOrder) -> Policies:
    """The plan's policies with the rate and the concurrency that the order gives. Raises SendConflict."""
    raw = folder.read_job()
    if order.job is not None:
        job = read_job(order.job, order.overrides)
        _compare(job, plan, raw)
        return _only_free(plan.policies, job.policies)
    frozen = {
        "name": plan.name,
        "provider": plan.provider_id,
        "account": plan.account.value(),
        "message": plan.message.value(),
        "audience": raw.get("audience"),
        "policies": plan.policies.canonical(),
    }
    for path, value in order.overrides.items():
        if value is not None and not path.startswith(_FREE) and _at(frozen, path) != value:
            _refuse(path)
    free = {path: value for path, value in order.overrides.items() if value is not None and path.startswith(_FREE)}
    if not free:
        return plan.policies
    laid_over = read_job(None, {**_sections(frozen), **free}, audience_needed=False)
    return _only_free(plan.policies, laid_over.policies)


def check_versions(plan: SendPlan, descriptor: ProviderDescriptor) -> None:
    """Raises SendConflict where provider or engine are not those the send was frozen with."""
    if descriptor.version != plan.provider_version:
        raise SendConflict(
            f"provider {plan.provider_id}: the send was frozen with version {plan.provider_version}, this is "
            f"{descriptor.version}; resume it with the version it was begun with",
            field="providerVersion",
        )
    if plan.engine_version != postroad.__version__:
        raise SendConflict(
            f"the send was frozen by version {plan.engine_version}, this is {postroad.__version__}; resume it with the "
            "version it was begun with",
            field="engineVersion",
        )


def _compare(job: Job, plan: SendPlan, raw: Mapping[str, Any]) -> None:
    ours, theirs = plan.policies.canonical(), job.policies.canonical()
    differing = [
        ("provider", job.provider != plan.provider_id),
        ("account", job.account != plan.account.value()),
        ("message", job.message != plan.message.value()),
        ("audience", job.raw.get("audience") != raw.get("audience")),
        *(
            (f"policies.{name}", ours.get(name) != theirs.get(name))
            for name in ours
            if name not in ("rate", "concurrency")
        ),
    ]
    for path, differs in differing:
        if differs:
            _refuse(path)


def _only_free(frozen: Policies, given: Policies) -> Policies:
    return replace(
        frozen,
        rates=given.rates,
        concurrency_min=given.concurrency_min,
        concurrency_max=given.concurrency_max,
        concurrency_target=given.concurrency_target,
    )


def _sections(frozen: Mapping[str, Any]) -> dict[str, object]:
    copied: dict[str, object] = json.loads(json.dumps({key: frozen[key] for key in frozen if key != "audience"}))
    return copied


def _at(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _refuse(path: str) -> None:
    raise SendConflict(
        f"{path} differs from the frozen send; a resume may change secrets, policies.rate and policies.concurrency "
        "only. Start a new send for the rest",
        field=path,
    )
