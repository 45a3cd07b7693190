"""An application with a channel of its own, on the engine alone."""

from collections.abc import AsyncIterator

from tests.builders.fake_time import on_fake_time
from tests.examples.embedded_app import Pagers, PrintedEvents, PrintedResults, tell_the_shift

from postroad.vocabulary.transitions import RunState


async def _numbers() -> AsyncIterator[str]:
    for number in range(200):
        yield str(number)


@on_fake_time
async def test_an_application_adds_a_provider_steers_a_run_and_reads_its_summary() -> None:
    pagers, results, events = Pagers({str(n) for n in range(199)}), PrintedResults(), PrintedEvents()
    summary = await tell_the_shift(pagers, _numbers(), results, events)
    assert summary.state is RunState.PARTIAL
    assert (summary.total, summary.succeeded, summary.failed) == (200, 199, 1)
    assert pagers.shown["7"] == "Shift starts, 7"
    assert results.lines[199] == "199 FAILED NO_SUCH_PAGER"
    assert [kind for kind in events.kinds if kind != "PROGRESS"] == [
        "RUN_STARTED",
        "PAUSED",
        "CONCURRENCY_CHANGED",
        "RESUMED",
        "RUN_COMPLETED",
    ]
