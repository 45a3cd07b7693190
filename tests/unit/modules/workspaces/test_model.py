"""The policy of a workspace."""

import pytest

from postroad.modules.workspaces.model import LARGEST_LIMIT, WorkspacePolicy, changed_limits
from postroad.vocabulary.refusals import ValidationFailed


def test_no_limit_and_the_largest_are_fine() -> None:
    for policy in (WorkspacePolicy(), WorkspacePolicy(LARGEST_LIMIT, 1, 1, 300, 1)):
        assert policy.validated() is policy


@pytest.mark.parametrize(
    ("policy", "paths"),
    [
        (WorkspacePolicy(max_concurrent_runs=-1), ["maxConcurrentRuns"]),
        (WorkspacePolicy(max_workers=LARGEST_LIMIT + 1), ["maxWorkers"]),
        (WorkspacePolicy(artifact_retention_seconds=299), ["artifactRetentionSeconds"]),
        (
            WorkspacePolicy(max_total_concurrency=-1, artifact_quota_bytes=-1),
            ["maxTotalConcurrency", "artifactQuotaBytes"],
        ),
    ],
)
def test_every_limit_out_of_its_range_is_named(policy: WorkspacePolicy, paths: list[str]) -> None:
    with pytest.raises(ValidationFailed) as refused:
        policy.validated()
    assert [problem.path for problem in refused.value.problems] == paths


def test_the_limits_that_changed_are_told_as_on_the_wire() -> None:
    assert changed_limits(WorkspacePolicy(), WorkspacePolicy(max_workers=3)) == {"maxWorkers": 3}
