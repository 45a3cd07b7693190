"""Policies and marks of a job."""

import pytest

from postroad.modules.jobs import OpenApiMark, checked_policies, default_policies
from postroad.vocabulary.refusals import ValidationFailed


def test_policies_are_kept_with_every_default_written_out() -> None:
    kept = checked_policies({"concurrency": 5, "rate": "20/min"})
    assert kept["concurrency"] == {"min": 1, "max": 5, "target": 5}
    assert kept["rate"] == {"run": "20/1m"}
    assert kept["retry"] == default_policies()["retry"]
    assert checked_policies(kept) == kept


def test_all_that_is_wrong_with_policies_is_told_at_once() -> None:
    with pytest.raises(ValidationFailed) as refused:
        checked_policies({"concurency": 5, "rate": "fast", "timeout": {"run": "3"}})
    assert [one.path for one in refused.value.problems] == [
        "policies.concurency",
        "policies.rate",
        "policies.timeout.run",
    ]


@pytest.mark.parametrize(
    ("mark", "fits"),
    [
        (OpenApiMark(), True),
        (OpenApiMark(True, 1), True),
        (OpenApiMark(False, 10), True),
        (OpenApiMark(True, 0), False),
        (OpenApiMark(True, -1), False),
        (OpenApiMark(True, 10**9), False),
    ],
)
def test_a_job_is_open_to_programs_only_with_a_cap(mark: OpenApiMark, fits: bool) -> None:
    assert bool(mark.problems()) is not fits
