"""Sources, sinks and sessions that fail at opening, work or closing: all are accounted for, all is closed."""

from dataclasses import replace

import pytest
from tests.builders.engine_parts import Events, Numbered, Results, ScriptedProvider, counts, spec
from tests.builders.fake_time import on_fake_time

from postroad.engine import (
    ConcurrencyPolicy,
    Engine,
    EventKind,
    ExecutionPolicies,
    ResultPolicy,
    RetryPolicy,
    RunSpec,
    TimeoutPolicy,
)
from postroad.spi import ConfigDocument, Problem, Rate
from postroad.vocabulary.errors import (
    ConfigInvalid,
    InvalidInput,
    PostroadError,
    ProviderUnknown,
    StartRefused,
)
from postroad.vocabulary.transitions import RunState


async def _refused(engine: Engine, run: RunSpec, source: Numbered) -> PostroadError:
    with pytest.raises(PostroadError) as caught:
        await engine.start(run, source)
    return caught.value


@pytest.mark.parametrize(
    ("change", "error", "field"),
    [
        ({"run_id": ""}, InvalidInput, "run_id"),
        ({"provider": ""}, InvalidInput, "provider"),
        ({"provider": "fax"}, ProviderUnknown, "provider"),
        ({"total": -1}, InvalidInput, "total"),
        ({"account": ConfigDocument.of("x", "2", {})}, ConfigInvalid, "account"),
        ({"message": ConfigDocument.of("x", "9.1", {})}, ConfigInvalid, "message"),
        ({"policies": ExecutionPolicies(ConcurrencyPolicy(5, 3, 4))}, InvalidInput, "policies.concurrency.max"),
        ({"policies": ExecutionPolicies(ConcurrencyPolicy(2, 3, 4))}, InvalidInput, "policies.concurrency.target"),
        ({"policies": ExecutionPolicies(ConcurrencyPolicy(0, 3, 1))}, InvalidInput, "policies.concurrency.min"),
        ({"policies": ExecutionPolicies(retry=RetryPolicy(0))}, InvalidInput, "policies.retry.max_attempts"),
        ({"policies": ExecutionPolicies(rates={"run": Rate(1, 0)})}, InvalidInput, "policies.rates.run.per_s"),
        ({"policies": ExecutionPolicies(timeout=TimeoutPolicy(0))}, InvalidInput, "policies.timeout.item_s"),
        ({"policies": ExecutionPolicies(result=ResultPolicy(False, 0))}, InvalidInput, "policies.result.batch_size"),
    ],
)
def test_a_spec_that_cannot_be_is_refused_by_field(
    change: dict[str, object], error: type[PostroadError], field: str
) -> None:
    @on_fake_time
    async def run() -> None:
        provider, source = ScriptedProvider(), Numbered(1)
        async with Engine([provider]) as engine:
            refusal = await _refused(engine, replace(spec(1), **change), source)  # type: ignore[arg-type]
        assert type(refusal) is error
        assert refusal.field == field
        assert provider.opened == 0
        assert source.closed == 1

    run()


@on_fake_time
async def test_what_the_provider_finds_wrong_refuses_the_start() -> None:
    provider = ScriptedProvider()
    provider.problems = [Problem("auth.token", "is missing: name a secret"), Problem("url", "is empty")]
    async with Engine([provider]) as engine:
        refusal = await _refused(engine, spec(1), Numbered(1))
    assert (refusal.message, refusal.field) == (
        "account.auth.token: is missing: name a secret (and 1 more)",
        "account.auth.token",
    )


@on_fake_time
async def test_a_provider_made_for_another_spi_is_refused() -> None:
    async with Engine([ScriptedProvider(spi_version="2.0")]) as engine:
        assert "SPI 2.0" in (await _refused(engine, spec(1), Numbered(1))).message


@on_fake_time
async def test_a_session_that_does_not_open_refuses_the_start_and_closes_what_was_open() -> None:
    provider, source, results, events = ScriptedProvider(), Numbered(1), Results(), Events()
    provider.fail_open = ConnectionRefusedError("no route")
    engine = Engine([provider], result_sink_factory=lambda _: results, event_sink_factory=lambda _: events)
    async with engine:
        refusal = await _refused(engine, spec(1), source)
    assert isinstance(refusal, StartRefused)
    assert "no route" in refusal.message
    assert (source.closed, results.closed, events.closed) == (1, 1, 1)


@on_fake_time
async def test_a_sink_that_cannot_be_made_refuses_the_start() -> None:
    def broken(run: RunSpec) -> Results:
        raise PermissionError("read-only")

    source = Numbered(1)
    async with Engine([ScriptedProvider()], result_sink_factory=broken) as engine:
        assert isinstance(await _refused(engine, spec(1), source), StartRefused)
    assert source.closed == 1


@on_fake_time
async def test_a_source_that_breaks_in_the_middle_fails_the_run_with_everybody_accounted_for() -> None:
    source, provider = Numbered(5000), ScriptedProvider()
    source.fail_at = 2000
    async with Engine([provider]) as engine:
        summary = await (await engine.start(spec(5000), source)).completion()
    assert summary.state is RunState.FAILED
    assert "the source broke" in summary.reason
    assert summary.succeeded + summary.unsent == 5000
    assert summary.succeeded == len(provider.sent)
    assert (source.closed, provider.closed) == (1, 1)


@on_fake_time
async def test_a_result_sink_that_breaks_fails_the_run() -> None:
    results = Results(fail_append=OSError("disk gone"))
    async with Engine([ScriptedProvider()], result_sink=results) as engine:
        policies = spec(5000, result=ResultPolicy(batch_size=50))
        summary = await (await engine.start(policies, Numbered(5000))).completion()
    assert summary.state is RunState.FAILED
    assert "RESULT_SINK: OSError: disk gone" in summary.reason
    assert sum(counts(summary).values()) == 5000
    assert summary.succeeded < 1000


@on_fake_time
async def test_a_result_sink_that_cannot_flush_fails_the_run_at_its_end() -> None:
    results = Results(fail_flush=OSError("quota"))
    async with Engine([ScriptedProvider()], result_sink=results) as engine:
        summary = await (await engine.start(spec(5), Numbered(5))).completion()
    assert summary.state is RunState.FAILED
    assert counts(summary) == {"succeeded": 5}


@on_fake_time
async def test_an_event_sink_that_breaks_is_noted_and_stops_nothing() -> None:
    events = Events(fail_publish=RuntimeError("nobody listens"))
    async with Engine([ScriptedProvider()], event_sink=events) as engine:
        summary = await (await engine.start(spec(5), Numbered(5))).completion()
    assert summary.state is RunState.SUCCEEDED
    assert any("nobody listens" in error for error in summary.suppressed_errors)


@on_fake_time
async def test_whatever_fails_to_close_the_rest_is_closed_and_the_errors_are_told() -> None:
    provider, source, results = ScriptedProvider(), Numbered(5), Results(fail_close=OSError("c"))
    provider.fail_close, source.fail_close = OSError("a"), OSError("b")
    events = Events()
    engine = Engine([provider], result_sink_factory=lambda _: results, event_sink_factory=lambda _: events)
    async with engine:
        summary = await (await engine.start(spec(5), source)).completion()
    assert summary.state is RunState.SUCCEEDED
    assert [error.partition(":")[0] for error in summary.suppressed_errors] == [
        "closing the provider session",
        "closing the recipient source",
        "closing the result sink",
    ]
    assert (provider.closed, source.closed, results.closed, events.closed) == (1, 1, 1, 1)
    assert events.kinds()[-1] is EventKind.RUN_COMPLETED


@on_fake_time
async def test_shared_sinks_serve_several_runs_and_close_with_the_engine() -> None:
    results, events = Results(), Events()
    async with Engine([ScriptedProvider()], result_sink=results, event_sink=events) as engine:
        handles = [await engine.start(spec(50, run_id=f"run-{n}"), Numbered(50)) for n in range(3)]
        for handle in handles:
            await handle.completion()
        assert results.closed == events.closed == 0
    assert (results.closed, events.closed) == (1, 1)
    assert {result.run_id for result in results.items} == {"run-0", "run-1", "run-2"}


@on_fake_time
async def test_the_same_run_twice_at_once_is_refused() -> None:
    async with Engine([ScriptedProvider()]) as engine:
        handle = await engine.start(spec(5), Numbered(5))
        with pytest.raises(InvalidInput, match="already running"):
            await engine.start(spec(5), Numbered(5))
        await handle.completion()


@on_fake_time
async def test_leaving_the_engine_stops_its_runs() -> None:
    async with Engine([ScriptedProvider()]) as engine:
        handle = await engine.start(spec(1000, rates={"run": Rate(1, 60)}), Numbered(1000))
    assert (await handle.completion()).state is RunState.LOST
