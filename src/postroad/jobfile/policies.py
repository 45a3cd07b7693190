"""How fast, how often and how long: the `policies` of a job."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from postroad.jobfile.amounts import describe_duration, describe_rate, parse_duration, parse_rate
from postroad.jobfile.problems import Findings, join, shape_of
from postroad.spi import Rate, RateScope

MAX_CONCURRENCY = 10_000
_SCOPES = tuple(scope.value for scope in RateScope)
_CONCUR = ("min", "max", "target")
_RETRY = ("maxAttempts", "initial", "multiplier", "maxDelay", "jitter", "afterSent")
_TIMEOUT = ("item", "run", "send")
_KNOWN = ("concurrency", "rate", "retry", "timeout", "maxPause", "onMaxPause")


@dataclass(frozen=True, slots=True)
class Policies:
    """Times in seconds; None means no such limit. `rates` has a bucket key (`run`, `account`, `domain`,
    `domain:gmail.com`) for each rate given; a count of 0 is unlimited."""

    concurrency_min: int = 1
    concurrency_max: int = 64
    concurrency_target: int = 16
    rates: Mapping[str, Rate] = field(default_factory=dict)
    max_attempts: int = 3
    initial_s: float = 1.0
    multiplier: float = 2.0
    max_delay_s: float = 60.0
    jitter: float = 0.2
    retry_after_sent: bool = True
    """False: never again what may have left, whatever the provider's table says."""
    item_timeout_s: float | None = None
    run_timeout_s: float | None = None
    send_timeout_s: float | None = None
    max_pause_s: float | None = None
    on_max_pause_cancel: bool = True

    def canonical(self) -> dict[str, Any]:
        """As a job file says it, with every default written out: what the confirmation hash covers."""
        return {
            "concurrency": {
                "min": self.concurrency_min,
                "max": self.concurrency_max,
                "target": self.concurrency_target,
            },
            "rate": {key: describe_rate(rate) for key, rate in sorted(self.rates.items())},
            "retry": {
                "maxAttempts": self.max_attempts,
                "initial": describe_duration(self.initial_s),
                "multiplier": self.multiplier,
                "maxDelay": describe_duration(self.max_delay_s),
                "jitter": self.jitter,
                "afterSent": "table" if self.retry_after_sent else "never",
            },
            "timeout": {
                name: describe_duration(seconds)
                for name, seconds in (
                    ("item", self.item_timeout_s),
                    ("run", self.run_timeout_s),
                    ("send", self.send_timeout_s),
                )
                if seconds is not None
            },
            **({"maxPause": describe_duration(self.max_pause_s)} if self.max_pause_s is not None else {}),
            "onMaxPause": "cancel" if self.on_max_pause_cancel else "resume",
        }

    @staticmethod
    def of(canonical: Mapping[str, Any]) -> "Policies":
        """What `canonical` wrote. Raises JobInvalid where it was changed into something else."""
        findings = Findings()
        policies = read_policies(dict(canonical), findings)
        findings.raise_if_any()
        return policies


def read_policies(value: object, findings: Findings, path: str = "policies") -> Policies:
    """What is missing gets its default; what is wrong becomes a finding."""
    if value is None:
        return Policies()
    if not isinstance(value, dict):
        findings.add(path, f"must be a mapping of {', '.join(_KNOWN)}, not {shape_of(value)}")
        return Policies()
    findings.refuse_unknown(value, _KNOWN, path)
    made: dict[str, Any] = {}
    made |= _concurrency(value.get("concurrency"), findings, join(path, "concurrency"))
    made |= _rates(value.get("rate"), findings, join(path, "rate"))
    made |= _retry(value.get("retry"), findings, join(path, "retry"))
    made |= _timeouts(value.get("timeout"), findings, join(path, "timeout"))
    if (pause := _duration(value.get("maxPause"), findings, join(path, "maxPause"))) is not None:
        made["max_pause_s"] = pause
    choice = _choice(value.get("onMaxPause"), ("cancel", "resume"), findings, join(path, "onMaxPause"))
    made["on_max_pause_cancel"] = choice == "cancel"
    return Policies(**made)


def _concurrency(value: object, findings: Findings, path: str) -> dict[str, Any]:
    if value is None:
        return {}
    if isinstance(value, int) and not isinstance(value, bool):
        number = _whole(value, 1, MAX_CONCURRENCY, findings, path)
        return {"concurrency_target": number, "concurrency_max": number} if number else {}
    if not isinstance(value, dict):
        findings.add(path, f"must be a number or a mapping of min, max and target, not {shape_of(value)}")
        return {}
    findings.refuse_unknown(value, _CONCUR, path)
    found = {
        name: _whole(value[name], 1, MAX_CONCURRENCY, findings, join(path, name)) for name in value if name in _CONCUR
    }
    least = found.get("min") or 1
    most = found.get("max") or max(found.get("target") or 0, least, Policies().concurrency_max)
    target = found.get("target") or min(max(Policies().concurrency_target, least), most)
    if not least <= target <= most:
        findings.add(path, f"min {least}, target {target} and max {most} must not fall; give them in this order")
    return {"concurrency_min": least, "concurrency_max": most, "concurrency_target": target}


def _rates(value: object, findings: Findings, path: str) -> dict[str, Any]:
    if value is None:
        return {}
    given = value if isinstance(value, dict) else {"run": value}
    rates: dict[str, Rate] = {}
    for key, text in given.items():
        field_path = join(path, key) if isinstance(value, dict) else path
        scope, colon, name = str(key).partition(":")
        if scope not in _SCOPES or (colon and not name):
            findings.add(
                field_path, f"is not a budget; known are {', '.join(_SCOPES)} and one by name: domain:gmail.com"
            )
            continue
        try:
            rates[f"{scope}:{name.lower() if scope == 'domain' else name}" if colon else scope] = parse_rate(text)
        except ValueError as error:
            findings.add(field_path, str(error))
    return {"rates": rates}


def _retry(value: object, findings: Findings, path: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        findings.add(path, f"must be a mapping of {', '.join(_RETRY)}, not {shape_of(value)}")
        return {}
    findings.refuse_unknown(value, _RETRY, path)
    found = {
        "max_attempts": _whole(value.get("maxAttempts"), 1, 100, findings, join(path, "maxAttempts")),
        "initial_s": _duration(value.get("initial"), findings, join(path, "initial")),
        "multiplier": _number(value.get("multiplier"), 1.0, 100.0, findings, join(path, "multiplier")),
        "max_delay_s": _duration(value.get("maxDelay"), findings, join(path, "maxDelay")),
        "jitter": _number(value.get("jitter"), 0.0, 1.0, findings, join(path, "jitter")),
    }
    made = {name: number for name, number in found.items() if number is not None}
    after = _choice(value.get("afterSent"), ("table", "never"), findings, join(path, "afterSent"))
    return {**made, "retry_after_sent": after != "never"}


def _timeouts(value: object, findings: Findings, path: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        findings.add(path, f"must be a mapping of {', '.join(_TIMEOUT)}, not {shape_of(value)}")
        return {}
    findings.refuse_unknown(value, _TIMEOUT, path)
    return {
        f"{name}_timeout_s": seconds
        for name in _TIMEOUT
        if (seconds := _duration(value.get(name), findings, join(path, name))) is not None
    }


def _duration(value: object, findings: Findings, path: str) -> float | None:
    if value is None:
        return None
    try:
        return parse_duration(value)
    except ValueError as error:
        findings.add(path, str(error))
        return None


def _whole(value: object, least: int, most: int, findings: Findings, path: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        findings.add(path, f"must be a whole number from {least} to {most}, not {shape_of(value)}")
        return None
    return value


def _number(value: object, least: float, most: float, findings: Findings, path: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        findings.add(path, f"must be a number from {least:g} to {most:g}, not {shape_of(value)}")
        return None
    return float(value)


def _choice(value: object, choices: tuple[str, ...], findings: Findings, path: str) -> str:
    if value is not None and value not in choices:
        findings.add(path, f"must be one of {', '.join(choices)}, not {shape_of(value)}")
    return value if isinstance(value, str) and value in choices else choices[0]
