"""A run that goes on after the power failed: everybody is accounted for, and nobody is invented."""

import asyncio
from pathlib import Path

import pytest
from tests.builders.engine_parts import OK, Numbered, ScriptedProvider, after, counts, spec
from tests.builders.journals import a_journal

from postroad.engine import Engine
from postroad.engine.spec import ShardRange
from postroad.spi import SendRequest, SendResult


@pytest.mark.parametrize("shard", [None, ShardRange(0, 10)])
async def test_regression_a_window_past_the_last_recipient_put_strangers_in_doubt(
    tmp_path: Path, shard: ShardRange | None
) -> None:
    stuck = asyncio.Event()

    def answer(request: SendRequest) -> SendResult | asyncio.Future[SendResult]:
        if request.sequence < 5:
            return OK
        stuck.set()
        return after(1000)(request)  # type: ignore[return-value]

    async with Engine([ScriptedProvider(answer)]) as engine:
        journal = a_journal(folder=tmp_path, sync_interval_s=0.001)
        handle = await engine.start(spec(10, shard=shard), Numbered(10), journal=journal)
        await stuck.wait()
        await handle.abort()

    second = ScriptedProvider()
    async with Engine([second]) as engine:
        journal = a_journal(folder=tmp_path, boot_id="another boot", sync_interval_s=0.001)
        handle = await engine.start(spec(10, shard=shard), Numbered(10), journal=journal)
        summary = await handle.completion()

    assert journal.state.power_lost
    assert summary.total == 10
    assert counts(summary) == {"succeeded": 5, "unknown": 5}
    assert second.sent == []
