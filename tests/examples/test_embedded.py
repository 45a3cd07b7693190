"""The example of docs/howto/embed-the-engine.md does what the page says."""

from collections.abc import AsyncIterator
from pathlib import Path

from tests.builders.fake_time import on_fake_time
from tests.examples.embedded_app import Pagers, PrintedEvents, PrintedResults, tell_the_shift

from postroad.vocabulary.transitions import RunState

PAGE = Path(__file__).parents[2] / "docs/howto/embed-the-engine.md"


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


def test_the_page_shows_the_code_that_runs() -> None:
    code = (Path(__file__).parent / "embedded_app.py").read_text()
    page = PAGE.read_text()
    for line in (
        "async with Engine([PagerProvider(pagers)], result_sink=results, event_sink=events) as engine:",
        'spec = RunSpec("night-shift", "pager", account, message, policies)',
        'await handle.submit(ChangeConcurrency("faster", 8))',
        'return SendResult(Verdict.REFUSED, Category.RECIPIENT_INVALID, code="NO_SUCH_PAGER")',
    ):
        assert line in code
        assert line in page
