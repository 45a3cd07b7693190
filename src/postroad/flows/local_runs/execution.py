"""From a frozen folder to the account of its run: one process or a crew, then the end and its files.

Called by start and resume with the folder held. What it leaves when it is killed between any two lines is a folder from
which it can be called again: the journals say what was sent, `ended.json` says that nothing more will be.
"""

import asyncio
from dataclasses import dataclass, replace

from postroad.engine.pacing import effective_rates
from postroad.flows.local_runs.ending.account import ShardAccount, fold
from postroad.flows.local_runs.ending.finish import finish, summary_of, write_end
from postroad.flows.local_runs.keeping.folder import SendFolder
from postroad.flows.local_runs.keeping.frozen_audience import open_snapshot
from postroad.flows.local_runs.keeping.plan import SendPlan
from postroad.flows.local_runs.listing import counts_so_far
from postroad.flows.local_runs.ports import Observer, Surroundings
from postroad.flows.local_runs.preparing.checking import allow_endpoints, factory_for
from postroad.flows.local_runs.running.board import Board
from postroad.flows.local_runs.running.crew import CrewParts, desk_for, run_crew
from postroad.flows.local_runs.running.display import Display
from postroad.flows.local_runs.running.loops import loop_factory
from postroad.flows.local_runs.running.shard import ShardParts
from postroad.flows.local_runs.running.shard_order import ShardOrder, share_of
from postroad.flows.local_runs.running.solo import run_alone
from postroad.flows.local_runs.views import SendStarted, SendSummary
from postroad.jobfile import Policies
from postroad.recipients import Snapshot
from postroad.spi.secret_references import references_in
from postroad.vocabulary.errors import StorageFailed, StorageFull
from postroad.vocabulary.transitions import RunState


@dataclass(frozen=True, slots=True)
class Execution:
    """One process's work on one send. `policies` may differ from the plan's in rate and concurrency."""

    folder: SendFolder
    plan: SendPlan
    policies: Policies
    surroundings: Surroundings
    observer: Observer


def run_to_end(work: Execution) -> SendSummary:
    """Runs what is open of a frozen send and makes its files. The state is LOST where it was stopped hard."""
    folder, plan = work.folder, work.plan
    snapshot = open_snapshot(folder, plan)
    if not folder.ended.is_file():
        folder.check_journal()
        allow_endpoints(plan.endpoints, work.surroundings.gate)
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            account = runner.run(_execute(work, snapshot))
        account = replace(account, started_at_ms=plan.frozen_at_ms)
        if account.state is RunState.LOST:
            return summary_of(folder, plan, account)
        write_end(folder, plan, account)
    try:
        return finish(folder, plan, snapshot, work.surroundings.home)
    except (StorageFull, StorageFailed) as error:
        raise type(error)(
            f"the send has ended, but not all its files could be written: {error.message}; "
            f"they are made by: postroad send --resume {folder.path}"
        ) from error


async def _execute(work: Execution, snapshot: Snapshot) -> ShardAccount:
    plan = work.plan
    board = Board(work.policies)
    totals = {shard: end - first for shard, (first, end) in enumerate(plan.shards)}
    display = Display(work.observer, totals, work.surroundings.clock)
    work.observer.started(_started(work), board)
    if len(plan.shards) == 1:
        order = ShardOrder(work.folder.path, plan, work.policies, 0, work.surroundings.new_id(), False)
        factory = factory_for(work.surroundings.provider_loader, plan.provider_id, plan.base)
        around = work.surroundings
        parts = ShardParts(factory, around.secrets, around.clock, snapshot, file_system=around.file_system)
        accounts = [await run_alone(order, parts, board, display)]
    else:
        accounts = await _execute_crew(work, board, display)
    work.observer.progressed(display.progress())
    return fold(accounts)


async def _execute_crew(work: Execution, board: Board, display: Display) -> list[ShardAccount]:
    plan, around = work.plan, work.surroundings
    descriptor = around.provider_loader(plan.provider_id).descriptor
    number = len(plan.shards)
    shares = [share_of(work.policies, descriptor.max_concurrency, shard, number) for shard in range(number)]
    orders = [
        ShardOrder(work.folder.path, plan, share, shard, "", shares_rate=True) for shard, share in enumerate(shares)
    ]
    rates = effective_rates(work.policies.rates, descriptor.limits, descriptor.default_rate)
    names = references_in([plan.account.value(), plan.message.value()])
    parts = CrewParts(
        desk=desk_for(orders, rates, around.clock.now_ms()),
        secrets={name: around.secrets.resolve(name).reveal() for name in names},
        clock=around.clock,
        board=board,
        display=display,
        new_id=around.new_id,
    )
    return await run_crew(orders, parts)


def _started(work: Execution) -> SendStarted:
    counts = counts_so_far(work.folder, work.plan)
    return SendStarted(
        folder=work.folder.path,
        name=work.plan.name,
        run_id=work.plan.run_id,
        provider_id=work.plan.provider_id,
        resumed=any(work.folder.journal.iterdir()),
        workers=len(work.plan.shards),
        counts=counts,
    )
