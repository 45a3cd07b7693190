import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.local_runs.plans import a_plan

from postroad.engine import split_into_shards
from postroad.flows.local_runs.keeping.plan import AudienceRecord, SendPlan, SourceSend, readable_json
from postroad.jobfile import Policies
from postroad.spi import ConfigDocument, Rate
from postroad.vocabulary.errors import SendConflict
from postroad.vocabulary.outcomes import Outcome


def test_a_frozen_plan_reads_back_as_it_was() -> None:
    source = SourceSend("run-0", "/sends/a", (Outcome.FAILED,), ("run-0",))
    for plan in (a_plan(), a_plan(source=source, policies=Policies(rates={"run": Rate(1, 120)}))):
        assert SendPlan.from_json(json.loads(readable_json(plan.to_json())), "frozen.json") == plan


@pytest.mark.parametrize(
    "change",
    [
        {"audience": AudienceRecord("cd" * 32, 12, 10, 1, 1)},
        {"message": ConfigDocument.of("http/message", "1", {"body": {}})},
        {"account": ConfigDocument.of("http/account", "1", {})},
        {"provider_version": "1.1"},
        {"provider_id": "smtp"},
        {"source": SourceSend("run-0", "/sends/a", (Outcome.FAILED,))},
        {"policies": Policies(max_attempts=1)},
        {"policies": Policies(rates={"run": Rate(1, 1)})},
    ],
)
def test_the_hash_changes_with_what_is_confirmed(change: dict[str, Any]) -> None:
    assert a_plan(**change).hash != a_plan().hash


def test_the_hash_stays_for_what_is_not_confirmed() -> None:
    other = a_plan(run_id="run-2", name="other", shards=((0, 10),), frozen_at_ms=5)
    assert other.hash == a_plan().hash


@pytest.mark.parametrize(
    ("place", "value"),
    [("message", {"schemaId": "m", "schemaVersion": "1", "value": {"body": 1}}), ("hash", "0" * 64), ("format", "x")],
)
def test_a_plan_changed_after_freezing_is_refused(place: str, value: object) -> None:
    with pytest.raises(SendConflict, match=r"frozen"):
        SendPlan.from_json(a_plan().to_json() | {place: value}, "frozen.json")


@pytest.mark.parametrize(
    ("place", "value"), [("shards", [[0, 10], [5, 10]]), ("frozenAtMs", 5), ("runId", "run-2"), ("endpoints", ["a:1"])]
)
def test_regression_shards_and_counts_could_be_changed_after_freezing(place: str, value: object) -> None:
    with pytest.raises(SendConflict, match=r"was changed after it was frozen"):
        SendPlan.from_json(a_plan().to_json() | {place: value}, "frozen.json")


def test_a_plan_with_a_missing_part_is_refused() -> None:
    value = a_plan().to_json()
    del value["audience"]
    with pytest.raises(SendConflict, match="audience"):
        SendPlan.from_json(value, "frozen.json")


@given(st.integers(1, 5000), st.integers(1, 64))
def test_shards_cover_everybody_once_and_differ_by_one(count: int, workers: int) -> None:
    shards = split_into_shards(count, workers)
    assert [sequence for first, end in shards for sequence in range(first, end)] == list(range(count))
    lengths = {end - first for first, end in shards}
    assert max(lengths) - min(lengths) <= 1
    assert len(shards) == min(workers, count)
