"""One run may be sent more carefully than its job says, never more freely."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroad.flows.sending.narrowing import narrowed
from postroad.jobfile import Policies, describe_rate
from postroad.spi import CommitPoint, ProviderDescriptor, Rate, RateLimit, RateScope
from postroad.vocabulary.refusals import ValidationFailed

PLAIN = ProviderDescriptor(
    "p", "P", "chat", "", "", "1.0", {}, {}, {}, CommitPoint.FIRST_REQUEST_BYTE, max_concurrency=50
)
LIMITED = replace(
    PLAIN,
    limits=(RateLimit(RateScope.ACCOUNT, Rate(100, 60.0)), RateLimit(RateScope.DOMAIN, Rate(5, 1.0))),
    default_rate=Rate(10, 1.0),
)


def policies(**parts: object) -> dict[str, object]:
    return replace(Policies(), **parts).canonical()  # type: ignore[arg-type]


def test_without_overrides_the_job_holds_under_the_providers_most() -> None:
    job = policies(concurrency_max=200, concurrency_target=100, concurrency_min=60)

    assert narrowed(job, None, PLAIN)["concurrency"] == {"min": 50, "max": 50, "target": 50}
    assert narrowed(policies(concurrency_max=20), {}, PLAIN) == policies(concurrency_max=20)


@pytest.mark.parametrize(
    ("overrides", "part"),
    [
        ({"concurrency": {"target": 2}}, {"concurrency": {"min": 1, "max": 20, "target": 2}}),
        ({"concurrency": {"max": 10, "target": 10}}, {"concurrency": {"min": 1, "max": 10, "target": 10}}),
        ({"concurrency": {"max": 10}}, {"concurrency": {"min": 1, "max": 10, "target": 10}}),
        ({"concurrency": 3}, {"concurrency": {"min": 1, "max": 20, "target": 3}}),
        ({"rate": "5/s"}, {"rate": {"run": "5/1s"}}),
        ({"rate": {"run": "1/m"}}, {"rate": {"run": "1/1m"}}),
        ({"rate": {"domain:gmail.com": "1/s"}}, {"rate": {"domain:gmail.com": "1/1s", "run": "20/1s"}}),
        ({"maxPause": "5m"}, {"maxPause": "5m"}),
        ({"onMaxPause": "cancel"}, {"onMaxPause": "cancel"}),
    ],
)
def test_more_careful_is_taken(overrides: dict[str, object], part: dict[str, object]) -> None:
    job = policies(
        concurrency_max=20,
        concurrency_target=16,
        rates={"run": Rate(20, 1.0)},
        max_pause_s=600.0,
        on_max_pause_cancel=False,
    )

    made = narrowed(job, overrides, PLAIN)

    assert {name: made[name] for name in part} == part


@pytest.mark.parametrize(
    ("overrides", "path", "said"),
    [
        ({"concurrency": {"target": 21}}, "policyOverrides.concurrency", "target 21 and max 20"),
        ({"concurrency": {"max": 64}}, "policyOverrides.concurrency.max", "2..20"),
        ({"concurrency": {"min": 1}}, "policyOverrides.concurrency.min", "2..20"),
        ({"rate": "21/s"}, "policyOverrides.rate.run", "20/1s"),
        ({"rate": "unlimited"}, "policyOverrides.rate.run", "20/1s"),
        ({"retry": {"maxAttempts": 9}}, "policyOverrides.retry.maxAttempts", "3 attempts"),
        ({"retry": {"initial": "10ms"}}, "policyOverrides.retry.initial", "1s"),
        ({"retry": {"afterSent": "table"}}, "policyOverrides.retry.afterSent", "never"),
        ({"timeout": {"item": "2m"}}, "policyOverrides.timeout.item", "1m"),
        ({"maxPause": "2h"}, "policyOverrides.maxPause", "10m"),
        ({"onMaxPause": "resume"}, "policyOverrides.onMaxPause", "by itself"),
        ({"retries": 3}, "policyOverrides.retries", "retry"),
        ({"concurrency": {"target": "many"}}, "policyOverrides.concurrency.target", "whole number"),
        ({"rate": "fast"}, "policyOverrides.rate.run", "rate"),
    ],
)
def test_more_freely_and_malformed_are_refused_with_the_range(
    overrides: dict[str, object], path: str, said: str
) -> None:
    job = policies(
        concurrency_min=2,
        concurrency_max=20,
        concurrency_target=16,
        rates={"run": Rate(20, 1.0)},
        retry_after_sent=False,
        item_timeout_s=60.0,
        max_pause_s=600.0,
    )

    with pytest.raises(ValidationFailed) as refused:
        narrowed(job, overrides, PLAIN)

    assert refused.value.problems[0].path == path
    assert said in refused.value.problems[0].message


def test_everything_that_is_too_free_is_said_at_once() -> None:
    with pytest.raises(ValidationFailed) as refused:
        narrowed(policies(), {"concurrency": {"max": 9000}, "retry": {"maxAttempts": 50}}, PLAIN)

    assert [one.path for one in refused.value.problems] == [
        "policyOverrides.concurrency.max",
        "policyOverrides.retry.maxAttempts",
    ]


def test_a_rate_never_passes_the_providers_limit_or_its_safe_default() -> None:
    for overrides in ({"rate": {"account": "200/m"}}, {"rate": "11/s"}, {"rate": {"domain:gmail.com": "6/s"}}):
        with pytest.raises(ValidationFailed):
            narrowed(policies(), overrides, LIMITED)


def test_naming_one_budget_takes_no_other_away() -> None:
    one = narrowed(policies(), {"rate": {"domain:gmail.com": "1/s"}}, LIMITED)
    other = narrowed(policies(), {"rate": {"account": "50/m"}}, LIMITED)

    assert one["rate"] == {"domain": "5/1s", "domain:gmail.com": "1/1s", "run": "10/1s"}
    assert other["rate"] == {"account": "50/1m", "run": "10/1s"}


@given(
    target=st.integers(-5, 80),
    count=st.integers(0, 200),
    attempts=st.integers(1, 20),
)
def test_whatever_is_taken_is_inside_the_job(target: int, count: int, attempts: int) -> None:
    job = policies(concurrency_max=20, concurrency_target=10, rates={"run": Rate(50, 1.0)}, max_attempts=5)
    overrides = {
        "concurrency": {"target": target},
        "rate": {"run": describe_rate(Rate(count, 1.0))},
        "retry": {"maxAttempts": attempts},
    }
    inside = 1 <= target <= 20 and 0 < count <= 50 and attempts <= 5
    try:
        made = narrowed(job, overrides, PLAIN)
    except ValidationFailed:
        assert not inside
    else:
        assert inside
        assert Policies.of(made).concurrency_target == target
