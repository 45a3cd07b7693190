"""The frozen plan: it comes back as it was, and its hash is the one that `postroad send` confirms."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.builders.runs import plan_for

from postroad.engine import split_into_shards
from postroad.flows.local_runs.keeping.plan import AudienceRecord, SendPlan
from postroad.jobfile import Policies
from postroad.modules.runs import RunPlan, SourceRun, secrets_named
from postroad.modules.runs.parts.plan import plan_of
from postroad.vocabulary.outcomes import Outcome


def test_a_plan_comes_back_as_it_was() -> None:
    source = SourceRun("run-0", (Outcome.FAILED, Outcome.UNKNOWN), {"results": "artifact-9"})
    for plan in (plan_for(10, shards=3), replace(plan_for(10), source=source, dry_run=True)):
        assert plan_of(json.loads(json.dumps(plan.to_json()))) == plan


def test_the_hash_is_the_one_of_a_local_send() -> None:
    plan = plan_for(10)
    local = SendPlan(
        run_id="another",
        name="another",
        provider_id=plan.provider_id,
        provider_version=plan.provider_version,
        engine_version="another",
        audience=AudienceRecord(plan.audience.sha256, 10, 10, 0, 0),
        account=plan.account.config,
        message=plan.message.content,
        policies=Policies.of(plan.policies),
        endpoints=(),
        base=Path(),
        shards=((0, 10),),
    )

    assert plan.hash == local.hash


@pytest.mark.parametrize(
    "change",
    [
        lambda plan: replace(plan, provider_version="2.0"),
        lambda plan: replace(plan, audience=replace(plan.audience, sha256="c" * 64)),
        lambda plan: replace(plan, policies={**plan.policies, "onMaxPause": "resume"}),
        lambda plan: replace(plan, source=SourceRun("run-0", (Outcome.FAILED,))),
        lambda plan: replace(plan, account=replace(plan.account, config=plan.message.content)),
        lambda plan: replace(plan, message=replace(plan.message, content=plan.account.config)),
    ],
)
def test_what_is_confirmed_changes_the_hash(change: object) -> None:
    plan = plan_for(10)

    changed: RunPlan = change(plan)  # type: ignore[operator]

    assert changed.hash != plan.hash


def test_outcomes_of_a_resend_are_covered_in_any_order() -> None:
    plan = plan_for(10)
    one = replace(plan, source=SourceRun("run-0", (Outcome.FAILED, Outcome.UNSENT)))
    other = replace(plan, source=SourceRun("run-0", (Outcome.UNSENT, Outcome.FAILED)))

    assert one.hash == other.hash != replace(plan, source=SourceRun("run-0", (Outcome.UNSENT,))).hash


def test_another_format_is_no_plan() -> None:
    with pytest.raises(ValueError, match="format"):
        plan_of({**plan_for(10).to_json(), "format": "postroad-run/2"})


def test_the_secrets_of_a_plan_are_named_and_not_there() -> None:
    assert secrets_named(plan_for(10)) == ("TOKEN",)


@pytest.mark.parametrize(("count", "parts", "ranges"), [(10, 3, [(0, 3), (3, 6), (6, 10)]), (2, 5, [(0, 1), (1, 2)])])
def test_shards_are_contiguous_and_cover_everybody(count: int, parts: int, ranges: list[tuple[int, int]]) -> None:
    assert list(split_into_shards(count, parts)) == ranges
