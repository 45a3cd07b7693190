"""One run through the engine or the installed program, and its account held against what a server says it got."""

import asyncio
import csv
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.builders.engine_parts import Results
from tests.builders.provider_context import config, loopback_egress

from postroad.engine import (
    ConcurrencyPolicy,
    Engine,
    ExecutionPolicies,
    ItemResult,
    RetryPolicy,
    RunSpec,
    RunSummary,
    TimeoutPolicy,
)
from postroad.providers.http import HttpProvider
from postroad.providers.smtp import SmtpProvider
from postroad.spi import Rate, Recipient
from postroad.vocabulary.values import RecipientValue

Row = Mapping[str, RecipientValue]
PATIENT = RetryPolicy(max_attempts=12, initial_s=0.05, max_delay_s=0.4)
"""Outlasts a restart."""
ONCE = RetryPolicy(max_attempts=1)
_COPIES = {"SUCCEEDED": (1,), "UNKNOWN": (0, 1)}


@dataclass(frozen=True)
class Ran:
    """`items` by the recipient's name."""

    summary: RunSummary
    items: Mapping[str, ItemResult]

    @property
    def outcomes(self) -> dict[str, str]:
        return {name: item.outcome.value for name, item in self.items.items()}


@dataclass(frozen=True)
class Plan:
    """`identity` is the column that names a recipient; `rate` is per second, 0 without limit."""

    channel: str
    account: dict[str, Any]
    message: Mapping[str, Any]
    identity: str
    at_once: int = 4
    rate: int = 0
    retry: RetryPolicy = PATIENT
    send_s: float = 10.0

    async def run(self, rows: Sequence[Row], meanwhile: Callable[[], None] = lambda: None) -> Ran:
        """`meanwhile` runs in a thread beside the run and may block."""
        policies = ExecutionPolicies(
            concurrency=ConcurrencyPolicy(1, self.at_once, self.at_once),
            rates={"run": Rate(self.rate, 1.0)},
            retry=self.retry,
            timeout=TimeoutPolicy(send_s=self.send_s),
        )
        spec = RunSpec("run-1", self.channel, config(self.account), config(self.message), policies, total=len(rows))
        results, egress = Results(), loopback_egress()
        people = (Recipient(n, dict(row), n + 2) for n, row in enumerate(rows))
        async with Engine([HttpProvider(egress), SmtpProvider(egress)], result_sink=results) as engine:
            ending: Awaitable[RunSummary] = (await engine.start(spec, people)).completion()
            _, summary = await asyncio.gather(asyncio.to_thread(meanwhile), ending)
        return Ran(summary, {str(rows[item.sequence][self.identity]): item for item in results.items})


def check(outcomes: Mapping[str, str], expected: Sequence[str], copies: Counter[str]) -> None:
    """Everybody has one outcome; who succeeded got one copy, who is unknown at most one, all others none."""
    assert sorted(outcomes) == sorted(expected)
    wrong = {who: (said, copies[who]) for who, said in outcomes.items() if copies[who] not in _COPIES.get(said, (0,))}
    assert wrong == {}
    assert set(copies) <= set(outcomes)


def outcomes_in(folder: Path, identity: str) -> dict[str, str]:
    """What the result files of the installed program say. Raises AssertionError for a recipient in two of them."""
    told: dict[str, str] = {}
    for outcome in ("succeeded", "failed", "unknown", "unsent", "skipped"):
        with (folder / f"{outcome}.csv").open(encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file):
                assert row[identity] not in told, f"{row[identity]} is both {told[row[identity]]} and {outcome}"
                told[row[identity]] = outcome.upper()
    return told
