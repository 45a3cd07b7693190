"""`policyOverrides`: one run may be sent more carefully than its job says, never more freely.

The overrides are a part of the policies as a job file writes them. Fewer sends at once, a slower rate, fewer attempts,
shorter limits of time: taken. Anything that would let more through than the job or the provider allows is refused with
the range. Pure.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from postroad.jobfile import Findings, Policies, describe_duration, describe_rate, read_policies
from postroad.spi import ProviderDescriptor, Rate
from postroad.vocabulary.refusals import FieldProblem, ValidationFailed

PATH = "policyOverrides"
_TIMES = (
    ("timeout.item", "item_timeout_s"),
    ("timeout.run", "run_timeout_s"),
    ("timeout.send", "send_timeout_s"),
    ("maxPause", "max_pause_s"),
    ("retry.maxDelay", "max_delay_s"),
)


def narrowed(
    job: Mapping[str, Any], overrides: Mapping[str, Any] | None, descriptor: ProviderDescriptor
) -> dict[str, Any]:
    """The canonical policies of a run. Raises ValidationFailed with every override that is too free or malformed."""
    base = _at_most(Policies.of(job), descriptor)
    if not overrides:
        return base.canonical()
    findings = Findings()
    asked = read_policies(_merged(base.canonical(), overrides), findings, PATH)
    if findings.problems:
        _refuse([FieldProblem(one.field, one.code, one.message) for one in findings.problems])
    problems = [
        *_concurrency(base, asked),
        *_rates(base, asked, descriptor),
        *_retries(base, asked),
        *_times(base, asked),
    ]
    if problems:
        _refuse(problems)
    return replace(asked, rates=_kept(base, asked, descriptor)).canonical()


def _at_most(policies: Policies, descriptor: ProviderDescriptor) -> Policies:
    """The provider takes no more at once than this from all of us."""
    most = max(1, min(policies.concurrency_max, descriptor.max_concurrency))
    return replace(
        policies,
        concurrency_min=min(policies.concurrency_min, most),
        concurrency_max=most,
        concurrency_target=min(policies.concurrency_target, most),
    )


def _merged(base: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Mappings are laid over each other; anything else replaces. A bare rate is the rate of the run."""
    merged = dict(base)
    for name, value in overrides.items():
        below = merged.get(name)
        given = {"run": value} if name == "rate" and not isinstance(value, Mapping) else value
        if name == "concurrency":
            given = _concurrency_of(base["concurrency"], value)
        merged[name] = {**below, **given} if isinstance(below, Mapping) and isinstance(given, Mapping) else given
    return merged


def _concurrency_of(base: Mapping[str, Any], value: object) -> object:
    """A bare number is the target; a lower most takes the target with it."""
    if not isinstance(value, Mapping):
        return {"target": value}
    most = value.get("max")
    if "target" not in value and isinstance(most, int) and most < base["target"]:
        return {"target": most, **value}
    return value


def _concurrency(base: Policies, asked: Policies) -> list[FieldProblem]:
    low, high = base.concurrency_min, base.concurrency_max
    found = []
    for name, number in (
        ("min", asked.concurrency_min),
        ("max", asked.concurrency_max),
        ("target", asked.concurrency_target),
    ):
        if not low <= number <= high:
            said = f"the job and its provider allow {low}..{high}, not {number}"
            found.append(FieldProblem(f"{PATH}.concurrency.{name}", "OUT_OF_RANGE", said))
    return found


def _rates(base: Policies, asked: Policies, descriptor: ProviderDescriptor) -> list[FieldProblem]:
    allowed = dict(base.rates)
    for limit in descriptor.limits:
        allowed.setdefault(limit.scope.value, limit.rate)
    if not base.rates and descriptor.default_rate is not None:
        allowed.setdefault("run", descriptor.default_rate)
    found = []
    for key, rate in asked.rates.items():
        most = allowed.get(key) or allowed.get(key.partition(":")[0])
        if most is not None and _is_faster(rate, most):
            said = f"the job and its provider allow {describe_rate(most)}, not {describe_rate(rate)}"
            found.append(FieldProblem(f"{PATH}.rate.{key}", "OUT_OF_RANGE", said))
    return found


def _kept(base: Policies, asked: Policies, descriptor: ProviderDescriptor) -> dict[str, Rate]:
    """The rates asked for, and what would no longer hold beside them: naming one domain says nothing about the others,
    and a rate of the account nothing about the provider's safe rate of the run."""
    rates = dict(asked.rates)
    if rates and not base.rates and descriptor.default_rate is not None:
        rates.setdefault("run", descriptor.default_rate)
    for limit in descriptor.limits:
        scope = limit.scope.value
        if any(key.startswith(f"{scope}:") for key in rates):
            rates.setdefault(scope, limit.rate)
    return rates


def _is_faster(rate: Rate, most: Rate) -> bool:
    if most.count == 0:
        return False
    return rate.count == 0 or rate.count / rate.per_s > most.count / most.per_s


def _retries(base: Policies, asked: Policies) -> list[FieldProblem]:
    found = []
    if asked.max_attempts > base.max_attempts:
        said = f"the job allows {base.max_attempts} attempts, not {asked.max_attempts}"
        found.append(FieldProblem(f"{PATH}.retry.maxAttempts", "OUT_OF_RANGE", said))
    if asked.retry_after_sent and not base.retry_after_sent:
        said = "the job never sends again what may have left"
        found.append(FieldProblem(f"{PATH}.retry.afterSent", "NOT_ALLOWED", said))
    if asked.initial_s < base.initial_s:
        said = f"the job waits {describe_duration(base.initial_s)} before another attempt; wait as long or longer"
        found.append(FieldProblem(f"{PATH}.retry.initial", "OUT_OF_RANGE", said))
    return found


def _times(base: Policies, asked: Policies) -> list[FieldProblem]:
    found = []
    for path, name in _TIMES:
        most, wanted = getattr(base, name), getattr(asked, name)
        if most is not None and (wanted is None or wanted > most):
            said = f"the job allows {describe_duration(most)} at most"
            found.append(FieldProblem(f"{PATH}.{path}", "OUT_OF_RANGE", said))
    if asked.on_max_pause_cancel != base.on_max_pause_cancel and base.on_max_pause_cancel:
        said = "the job ends a run whose pause is too long; it cannot go on by itself"
        found.append(FieldProblem(f"{PATH}.onMaxPause", "NOT_ALLOWED", said))
    return found


def _refuse(problems: list[FieldProblem]) -> None:
    raise ValidationFailed(f"{problems[0].path}: {problems[0].message}", problems=problems)
