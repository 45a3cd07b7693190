"""The counts of a folder and the counts of a run: the same numbers in two rooms."""

from postroad.flows.local_runs import Counts
from postroad.modules.runs import RunCounts


def counts_of(counts: Counts) -> RunCounts:
    return RunCounts(
        total=counts.total,
        succeeded=counts.succeeded,
        failed=counts.failed,
        unknown=counts.unknown,
        unsent=counts.unsent,
        skipped=counts.skipped,
        retried=counts.retried,
        maybe_doubled=counts.maybe_doubled,
    )


def local_counts(counts: RunCounts) -> Counts:
    return Counts(
        total=counts.total,
        succeeded=counts.succeeded,
        failed=counts.failed,
        unknown=counts.unknown,
        unsent=counts.unsent,
        skipped=counts.skipped,
        retried=counts.retried,
        maybe_doubled=counts.maybe_doubled,
    )
