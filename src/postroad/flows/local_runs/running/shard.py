"""One shard through the engine: its range of the snapshot, its journal, its budgets.

The journal is opened first and held until the end, so two processes never work on one shard. What the engine says
goes to a `Link`, and from there come the commands; whether the link ends in an observer or in a pipe is not known here.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import Protocol

from postroad.engine import Engine, EngineEvent, Pacer, PauseRun, RunHandle, RunSpec, RunSummary, ShardRange
from postroad.flows.local_runs.ending.account import ShardAccount
from postroad.flows.local_runs.keeping.origins import Origins
from postroad.flows.local_runs.running.board import AbortRun, BoardCommand, DrainRun
from postroad.flows.local_runs.running.shard_order import ShardOrder, engine_policies, journal_config
from postroad.journal import REAL, FileSystem, Journal, open_journal
from postroad.recipients import Snapshot, SnapshotSource
from postroad.spi import ProviderFactory, SecretResolver
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.errors import AlreadyRunning
from postroad.vocabulary.transitions import RunState

LOCK_WAIT_S = 10.0
JOURNAL_FAILED = "JOURNAL:"
"""How the engine's reason begins when the journal could not be written."""
_LOCK_POLL_S = 0.1
_DRAIN_POLL_S = 0.01


class Link(Protocol):
    async def publish(self, event: EngineEvent) -> None: ...

    async def aclose(self) -> None: ...

    def commands(self) -> AsyncIterator[BoardCommand]: ...

    def answered(self, command_id: str, applied: bool, text: str) -> None:
        """What became of a command; `text` is empty where there is nothing to say."""
        ...


@dataclass(frozen=True, slots=True)
class ShardParts:
    factory: ProviderFactory
    secrets: SecretResolver
    clock: Clock
    snapshot: Snapshot
    pacer: Pacer | None = None
    """None: buckets of this process."""
    file_system: FileSystem = REAL
    """Under the journal."""


async def run_shard(order: ShardOrder, parts: ShardParts, link: Link) -> ShardAccount:
    """Runs it to its end, or to an abort (state LOST). Raises what the engine refuses to start with."""
    plan, (first, end) = order.plan, order.range
    async with AsyncExitStack() as stack:
        journal = await _open_journal(order, parts)
        stack.callback(journal.close)
        source = SnapshotSource(parts.snapshot, first, end)
        stack.push_async_callback(source.aclose)
        origins = Origins.open(order.send_folder.origins, plan)
        stack.callback(origins.close)
        engine = await stack.enter_async_context(
            Engine(providers=[parts.factory], secrets=parts.secrets, clock=parts.clock, event_sink=link)
        )
        spec = RunSpec(
            run_id=plan.run_id,
            provider=plan.provider_id,
            account=plan.account,
            message=plan.message,
            policies=engine_policies(order.policies),
            snapshot_id=plan.audience.sha256,
            total=end - first,
            shard=ShardRange(first, end),
            key_for=origins.key_for if plan.source else None,
            dry_run=order.rehearses,
        )
        handle = await engine.start(spec, source, journal=journal, pacer=parts.pacer)
        for command in order.first:  # nothing leaves before this coroutine waits for the first time
            await _submit(handle, command, link)
        summary = await _drive(handle, link)
    return _account(summary)


async def _open_journal(order: ShardOrder, parts: ShardParts) -> Journal:
    """Waits a moment for a dying process that still holds it."""
    folder = order.send_folder.journal
    clock = parts.clock
    until = clock.monotonic() + LOCK_WAIT_S
    while True:
        try:
            return await asyncio.to_thread(
                open_journal,
                folder,
                run_id=order.plan.run_id,
                shard=order.shard,
                fencing_token=order.fencing_token,
                config_sha256=journal_config(order.plan, rehearses=order.rehearses),
                started_at_ms=clock.now_ms(),
                fs=parts.file_system,
                first=order.range[0],
            )
        except AlreadyRunning:
            if clock.monotonic() >= until:
                raise
            await asyncio.sleep(_LOCK_POLL_S)


async def _drive(handle: RunHandle, link: Link) -> RunSummary:
    obeying = asyncio.create_task(_obey(handle, link))
    try:
        return await handle.completion()
    except asyncio.CancelledError:
        await handle.abort()
        raise
    finally:
        obeying.cancel()
        with suppress(asyncio.CancelledError):
            await obeying


async def _obey(handle: RunHandle, link: Link) -> None:
    async for command in link.commands():
        await _submit(handle, command, link)


async def _submit(handle: RunHandle, command: BoardCommand, link: Link) -> None:
    match command:
        case AbortRun():
            await handle.abort()
        case DrainRun():
            await _drain(handle, command)
        case _:
            result = await handle.submit(command)
            link.answered(command.command_id, result.applied, result.message)


async def _drain(handle: RunHandle, command: DrainRun) -> None:
    await handle.submit(PauseRun(command.command_id))
    loop = asyncio.get_running_loop()
    until = loop.time() + command.within_s
    ended = asyncio.ensure_future(handle.completion())
    try:
        while handle.progress().in_flight and not ended.done() and loop.time() < until:
            await asyncio.wait({ended}, timeout=_DRAIN_POLL_S)
    finally:
        ended.cancel()
    await handle.abort()


def _account(summary: RunSummary) -> ShardAccount:
    """A run that its journal failed has not ended: whoever mends the disk goes on with it."""
    stopped_by_disk = summary.state is RunState.FAILED and summary.reason.startswith(JOURNAL_FAILED)
    return ShardAccount(
        state=RunState.LOST if stopped_by_disk else summary.state,
        reason=summary.reason,
        counts=Counts(
            total=summary.total,
            succeeded=summary.succeeded,
            failed=summary.failed,
            unknown=summary.unknown,
            unsent=summary.unsent,
            skipped=summary.skipped,
            retried=summary.retried,
            maybe_doubled=summary.maybe_doubled,
        ),
        started_at_ms=summary.started_at_ms,
        ended_at_ms=summary.ended_at_ms,
        suppressed_errors=summary.suppressed_errors,
    )
