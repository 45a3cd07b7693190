"""What a process must know to run one shard: plain values that cross a pipe. Secrets travel beside it, by name."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from postroad.engine import (
    ConcurrencyPolicy,
    ExecutionPolicies,
    RetryPolicy,
    TimeoutPolicy,
)
from postroad.flows.local_runs.keeping.folder import SendFolder
from postroad.flows.local_runs.keeping.plan import SendPlan
from postroad.flows.local_runs.running.board import BoardCommand
from postroad.flows.local_runs.running.wire import command_json, command_of
from postroad.jobfile import Policies


@dataclass(frozen=True, slots=True)
class ShardOrder:
    folder: Path
    plan: SendPlan
    policies: Policies
    """Those of this process: rate and concurrency may differ from the plan's after a resume."""
    shard: int
    fencing_token: str
    shares_rate: bool
    """Tokens come from the parent's desk, not from buckets of this process."""
    rehearses: bool = False
    """Everything is made and journalled, nothing is sent."""
    networks: tuple[str, ...] | None = None
    """Private networks that may be reached (CIDR). None: the hosts that the operator wrote in the job, wherever."""
    first: tuple[BoardCommand, ...] = ()
    """Commands from before this process: they hold before the first message leaves."""

    @property
    def range(self) -> tuple[int, int]:
        return self.plan.shards[self.shard]

    @property
    def send_folder(self) -> SendFolder:
        return SendFolder(self.folder)

    def to_json(self) -> dict[str, Any]:
        return {
            "folder": str(self.folder),
            "plan": self.plan.to_json(),
            "policies": self.policies.canonical(),
            "shard": self.shard,
            "fencingToken": self.fencing_token,
            "sharesRate": self.shares_rate,
            "rehearses": self.rehearses,
            "networks": None if self.networks is None else list(self.networks),
            "first": [command_json(command) for command in self.first],
        }

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> "ShardOrder":
        return ShardOrder(
            folder=Path(value["folder"]),
            plan=SendPlan.from_json(value["plan"], "the order of this worker"),
            policies=Policies.of(value["policies"]),
            shard=value["shard"],
            fencing_token=value["fencingToken"],
            shares_rate=value["sharesRate"],
            rehearses=value["rehearses"],
            networks=None if value["networks"] is None else tuple(value["networks"]),
            first=tuple(command_of(command) for command in value["first"]),
        )


def journal_config(plan: SendPlan, *, rehearses: bool) -> str:
    """What a journal is written under: one of a rehearsal is never gone on with by a run that sends."""
    return f"rehearsal:{plan.hash}" if rehearses else plan.hash


def engine_policies(policies: Policies) -> ExecutionPolicies:
    return ExecutionPolicies(
        concurrency=ConcurrencyPolicy(policies.concurrency_min, policies.concurrency_max, policies.concurrency_target),
        rates=policies.rates,
        retry=RetryPolicy(
            max_attempts=policies.max_attempts,
            initial_s=policies.initial_s,
            multiplier=policies.multiplier,
            max_delay_s=policies.max_delay_s,
            jitter=policies.jitter,
            retry_after_sent="table" if policies.retry_after_sent else "never",
        ),
        timeout=TimeoutPolicy(policies.item_timeout_s, policies.run_timeout_s, policies.send_timeout_s),
        max_pause_s=policies.max_pause_s,
        on_max_pause="cancel" if policies.on_max_pause_cancel else "resume",
    )


def share_of(policies: Policies, most_at_once: int, shard: int, shards: int) -> Policies:
    """The part of the concurrency that one of `shards` gets; at least one send at a time.

    `most_at_once` is what the provider takes from all of them together.
    """

    def part(number: int) -> int:
        shared = min(number, most_at_once)
        return max(1, shared * (shard + 1) // shards - shared * shard // shards)

    target = part(policies.concurrency_target)
    return replace(
        policies,
        concurrency_min=min(part(policies.concurrency_min), target),
        concurrency_max=max(part(policies.concurrency_max), target),
        concurrency_target=target,
    )
