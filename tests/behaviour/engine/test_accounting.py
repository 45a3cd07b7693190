"""Nobody is lost: every recipient comes to exactly one outcome, whatever the answers are."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.builders.engine_parts import (
    Numbered,
    Results,
    ScriptedProvider,
    always,
    counts,
    in_doubt,
    in_turn,
    keyed,
    not_sent,
    refused,
    spec,
)
from tests.builders.fake_time import on_fake_time, run_on_fake_time

from postroad.engine import Engine, RetryPolicy, Skip, TimeoutPolicy
from postroad.spi import Recipient, SendResult, Verdict
from postroad.vocabulary.errors import AccountingBroken
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.transitions import RunState


@on_fake_time
async def test_all_accepted_is_succeeded() -> None:
    provider = ScriptedProvider()
    async with Engine([provider]) as engine:
        summary = await (await engine.start(spec(2500), Numbered(2500))).completion()
    assert summary.state is RunState.SUCCEEDED
    assert counts(summary) == {"succeeded": 2500}
    assert provider.sequences() == list(range(2500))
    assert provider.most_in_flight == 1
    assert provider.closed == 1


@on_fake_time
async def test_an_empty_run_succeeds() -> None:
    async with Engine([ScriptedProvider()]) as engine:
        summary = await (await engine.start(spec(0), [])).completion()
    assert summary.state is RunState.SUCCEEDED
    assert summary.total == 0


@on_fake_time
async def test_every_item_failing_is_partial_and_not_failed() -> None:
    provider = ScriptedProvider(always(refused(Category.RECIPIENT_INVALID)))
    async with Engine([provider]) as engine:
        summary = await (await engine.start(spec(50), Numbered(50))).completion()
    assert summary.state is RunState.PARTIAL
    assert counts(summary) == {"failed": 50}


@on_fake_time
async def test_silence_after_the_commit_point_is_unknown_and_never_repeated() -> None:
    provider = ScriptedProvider(always(in_doubt(retry=True)))
    async with Engine([provider]) as engine:
        summary = await (await engine.start(spec(10), Numbered(10))).completion()
    assert counts(summary) == {"unknown": 10}
    assert provider.copies() == {}


@on_fake_time
async def test_silence_is_asked_again_under_the_same_key_where_the_remote_keeps_keys() -> None:
    provider = ScriptedProvider(in_turn(in_doubt()), capabilities=keyed(3600))
    async with Engine([provider]) as engine:
        summary = await (await engine.start(spec(3), Numbered(3))).completion()
    assert counts(summary) == {"succeeded": 3}
    assert summary.maybe_doubled == 0
    assert summary.retried == 3
    assert {(sent.sequence, sent.key) for sent in provider.sent} == {(n, f"run-1:{n}") for n in range(3)}


@on_fake_time
async def test_doubt_that_only_a_failed_connection_followed_stays_unknown() -> None:
    provider = ScriptedProvider(in_turn(in_doubt(), not_sent(), not_sent()), capabilities=keyed(3600))
    async with Engine([provider]) as engine:
        summary = await (await engine.start(spec(1), Numbered(1))).completion()
    assert counts(summary) == {"unknown": 1}


@on_fake_time
async def test_success_after_an_answer_that_may_have_left_a_copy_counts_as_maybe_doubled() -> None:
    provider = ScriptedProvider(in_turn(refused(Category.TEMPORARY_REMOTE, may_have_left=True)))
    async with Engine([provider]) as engine:
        summary = await (await engine.start(spec(4), Numbered(4))).completion()
    assert counts(summary) == {"succeeded": 4}
    assert (summary.maybe_doubled, summary.retried) == (4, 4)


@on_fake_time
async def test_retry_after_sent_never_settles_what_may_have_left() -> None:
    provider = ScriptedProvider(in_turn(refused(Category.TEMPORARY_REMOTE, may_have_left=True)))
    policy = RetryPolicy(retry_after_sent="never")
    async with Engine([provider]) as engine:
        summary = await (await engine.start(spec(4, retry=policy), Numbered(4))).completion()
    assert counts(summary) == {"failed": 4}


@on_fake_time
async def test_a_recipient_that_cannot_be_rendered_fails_alone() -> None:
    provider, results = ScriptedProvider(), Results()
    source = Numbered(5, lambda n: {"bad": 1} if n == 1 else {"broken": 1} if n == 3 else {})
    async with Engine([provider], result_sink=results) as engine:
        summary = await (await engine.start(spec(5), source)).completion()
    assert counts(summary) == {"succeeded": 3, "failed": 2}
    failed = {r.sequence: (r.category, r.code) for r in results.items if r.outcome == "FAILED"}
    assert failed == {1: ("RECIPIENT_INVALID", "bad"), 3: ("INTERNAL", "ZeroDivisionError")}
    assert provider.sequences() == [0, 2, 4]


@on_fake_time
async def test_a_provider_that_raises_settles_that_item_only_and_as_unknown() -> None:
    def script(request: object) -> SendResult:
        if request.sequence == 2:  # type: ignore[attr-defined]
            raise KeyError("token-123")
        return SendResult(Verdict.ACCEPTED)

    results = Results()
    async with Engine([ScriptedProvider(script)], result_sink=results) as engine:
        summary = await (await engine.start(spec(5), Numbered(5))).completion()
    assert counts(summary) == {"succeeded": 4, "unknown": 1}
    bad = next(r for r in results.items if r.sequence == 2)
    assert (bad.category, bad.code) == ("INTERNAL", "KeyError")
    assert "token-123" not in bad.summary


@on_fake_time
async def test_what_the_gatekeeper_leaves_out_is_skipped_with_its_reason() -> None:
    class Gate:
        def check(self, recipient: Recipient, now_ms: int) -> Skip | None:
            return Skip("UNSUBSCRIBED") if recipient.sequence % 2 else None

    results = Results()
    async with Engine([ScriptedProvider()], result_sink=results) as engine:
        summary = await (await engine.start(spec(6), Numbered(6), gatekeeper=Gate())).completion()
    assert summary.state is RunState.SUCCEEDED
    assert counts(summary) == {"succeeded": 3, "skipped": 3}
    assert {r.code for r in results.items if r.outcome == "SKIPPED"} == {"UNSUBSCRIBED"}


@on_fake_time
async def test_a_wrong_account_stops_the_run_and_the_rest_is_unsent() -> None:
    provider = ScriptedProvider(always(refused(Category.AUTHENTICATION, code="401", summary="bad token")))
    async with Engine([provider]) as engine:
        summary = await (await engine.start(spec(1000, concurrency=4), Numbered(1000))).completion()
    assert summary.state is RunState.FAILED
    assert summary.reason == "AUTHENTICATION 401: bad token"
    assert summary.failed <= 4
    assert summary.failed + summary.unsent == 1000


@on_fake_time
async def test_a_source_that_holds_fewer_than_the_total_fails_with_everybody_accounted_for() -> None:
    async with Engine([ScriptedProvider()]) as engine:
        summary = await (await engine.start(spec(20), Numbered(15))).completion()
    assert summary.state is RunState.FAILED
    assert summary.total == 20
    assert summary.succeeded + summary.unsent == 20
    assert "total is 20, but the source holds 15" in summary.reason


@on_fake_time
async def test_a_source_that_holds_more_than_the_total_fails() -> None:
    async with Engine([ScriptedProvider()]) as engine:
        summary = await (await engine.start(spec(10), Numbered(15))).completion()
    assert summary.state is RunState.FAILED
    assert summary.total == 10


@on_fake_time
async def test_a_source_out_of_order_fails_the_run() -> None:
    rows = [Recipient(0, {}), Recipient(2, {}), Recipient(1, {})]
    async with Engine([ScriptedProvider()]) as engine:
        summary = await (await engine.start(spec(), rows)).completion()
    assert summary.state is RunState.FAILED
    assert "rising order" in summary.reason


@on_fake_time
async def test_a_wrong_sum_is_an_error_and_never_an_end() -> None:
    async with Engine([ScriptedProvider()]) as engine:
        handle = await engine.start(spec(5), Numbered(5))
        handle._run.counters.succeeded += 1
        with pytest.raises(AccountingBroken, match="total is 5"):
            await handle.completion()


_RESULTS = st.sampled_from(
    [
        SendResult(Verdict.ACCEPTED),
        in_doubt(),
        not_sent(),
        not_sent(Category.TIMEOUT),
        refused(Category.RATE_LIMITED),
        refused(Category.RATE_LIMITED, retry_after_s=7.0),
        refused(Category.TEMPORARY_REMOTE, may_have_left=True),
        refused(Category.PERMANENT_REMOTE),
        refused(Category.PERMANENT_REMOTE, retry=True),
        refused(Category.TEMPORARY_REMOTE, retry=False),
        refused(Category.UNKNOWN),
        SendResult(Verdict.REFUSED),
    ]
)


@settings(max_examples=60, deadline=None)
@given(
    script=st.lists(st.lists(_RESULTS, min_size=1, max_size=4), min_size=1, max_size=30),
    concurrency=st.integers(1, 7),
    kept_for_s=st.sampled_from([0.0, 60.0]),
    item_s=st.sampled_from([None, 5.0]),
)
def test_the_outcomes_always_add_up(
    script: list[list[SendResult]], concurrency: int, kept_for_s: float, item_s: float | None
) -> None:
    provider = ScriptedProvider(
        lambda r: script[r.sequence][min(r.attempt, len(script[r.sequence])) - 1], capabilities=keyed(kept_for_s)
    )
    results = Results()

    async def run() -> None:
        policies = spec(len(script), concurrency=concurrency, timeout=TimeoutPolicy(item_s=item_s))
        async with Engine([provider], result_sink=results) as engine:
            summary = await (await engine.start(policies, Numbered(len(script)))).completion()
        assert sum(counts(summary).values()) == summary.total == len(script)
        assert sorted(results.outcomes()) == list(range(len(script))) == sorted(r.sequence for r in results.items)
        assert summary.retried == len(provider.sent) - len(set(provider.sequences()))
        for result in results.items:
            accepted = provider_accepted(result.sequence)
            assert (result.outcome == "SUCCEEDED") == accepted

    def provider_accepted(sequence: int) -> bool:
        made = max(sent.attempt for sent in provider.sent if sent.sequence == sequence)
        return script[sequence][min(made, len(script[sequence])) - 1].verdict is Verdict.ACCEPTED

    run_on_fake_time(run())
