"""What a run would take, as far as its first recipients tell: parts, price, time. Pure, but for the rows it is given.

Nothing here is a promise: the dry run renders everybody. What the first recipients already show (a field that nobody
has, an SMS of four parts) is worth seeing before anybody confirms.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from postroad.engine.pacing import effective_rates
from postroad.flows.sending.ingredients import Ingredients
from postroad.jobfile import Policies, describe_rate
from postroad.modules import messages
from postroad.modules.messages import Sample
from postroad.spi import Rate, Recipient, Renderer, RenderError, price_of

LOOKED_AT = 3
_WIDE = ("run", "account", "sender")


@dataclass(frozen=True, slots=True)
class Estimate:
    samples: tuple[Sample, ...]
    """The message as the first recipients get it."""
    rates: Mapping[str, str]
    default_rate_used: bool
    concurrency: int
    parts: int
    """Tokens of the rates over all recipients, if all cost what the first ones cost."""
    seconds: float | None
    """By the rates alone; None where nothing limits them."""
    price: float | None
    currency: str
    warnings: tuple[str, ...]


def estimate(parts: Ingredients, first: Sequence[Recipient], count: int) -> Estimate:
    """Renders the first recipients; outside of any transaction, since a template may take its time."""
    descriptor = parts.factory.descriptor
    renderer = parts.factory.compile(parts.account.document, parts.revision.document)
    policies = Policies.of(parts.policies)
    rates = effective_rates(policies.rates, descriptor.limits, descriptor.default_rate)
    samples = tuple(messages.sample(renderer, recipient) for recipient in first[:LOOKED_AT])
    cost, said = _costs(renderer, first[:LOOKED_AT])
    total = count * cost
    price = price_of(parts.factory, parts.account.document)
    return Estimate(
        samples=samples,
        rates={key: describe_rate(rate) for key, rate in rates.items()},
        default_rate_used=not policies.rates and descriptor.default_rate is not None,
        concurrency=policies.concurrency_target,
        parts=total,
        seconds=_seconds(total, rates),
        price=None if price is None else round(price.per_part * total, 4),
        currency="" if price is None else price.currency,
        warnings=(*said, *_missing(samples)),
    )


def _costs(renderer: Renderer, first: Sequence[Recipient]) -> tuple[int, tuple[str, ...]]:
    """The dearest of the first recipients, and what rendering them warned of."""
    cost, said = 1, dict[str, None]()
    for recipient in first:
        try:
            rendered = renderer.render(recipient)
        except RenderError:
            continue
        cost = max(cost, rendered.cost)
        said.update(dict.fromkeys(rendered.warnings))
    return cost, tuple(said)


def _missing(samples: Sequence[Sample]) -> list[str]:
    fields = dict.fromkeys(field for sample in samples for field in sample.missing_fields)
    return [f"the message asks for the field {field!r}, which the first recipients do not have" for field in fields]


def _seconds(parts: int, rates: Mapping[str, Rate]) -> float | None:
    """The longest time that any one budget of the whole run needs; answers and retries come on top."""
    times = [(parts - 1) // rate.count * rate.per_s for key, rate in rates.items() if key in _WIDE and rate.count > 0]
    return max(times, default=None)
