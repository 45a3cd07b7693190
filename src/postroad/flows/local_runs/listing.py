"""Past sends and the state of one, as their folders tell it."""

from pathlib import Path

from postroad.flows.local_runs.ending.account import read_account
from postroad.flows.local_runs.ending.finish import summary_of
from postroad.flows.local_runs.keeping.folder import SendFolder
from postroad.flows.local_runs.keeping.index import SendIndex
from postroad.flows.local_runs.keeping.plan import SendPlan
from postroad.flows.local_runs.ports import Surroundings
from postroad.flows.local_runs.views import SendView
from postroad.journal import read_state
from postroad.vocabulary.counts import Counts, add_counts
from postroad.vocabulary.errors import PostroadError
from postroad.vocabulary.outcomes import Outcome
from postroad.vocabulary.transitions import RunState


def list_sends(surroundings: Surroundings, limit: int = 100) -> list[SendView]:
    """The newest sends first, as far as their folders still exist and can be read."""
    views: list[SendView] = []
    for entry in SendIndex(surroundings.home).newest():
        if len(views) >= limit:
            break
        try:
            view = open_send(entry.folder)
        except PostroadError:
            continue
        if view.run_id == entry.run_id:
            views.append(view)
    return views


def open_send(folder: Path) -> SendView:
    """The state of one send, also while another process runs it; its journals are read, nothing is locked.

    Raises InvalidInput where the folder holds no send, SendConflict where what it holds was changed.
    """
    here = SendFolder(folder)
    plan = here.read_plan()
    is_held = here.is_held
    ended = read_account(here) if here.ended.is_file() else None
    state = ended.state if ended else (RunState.RUNNING if is_held else RunState.LOST)
    return SendView(
        folder=here.path,
        name=plan.name,
        run_id=plan.run_id,
        provider_id=plan.provider_id,
        state=state,
        is_held=is_held,
        can_resume=not is_held and not (ended and here.is_complete),
        counts=ended.counts if ended else counts_so_far(here, plan),
        frozen_at_ms=plan.frozen_at_ms,
        ended_at_ms=ended.ended_at_ms if ended else None,
        hash=plan.hash,
        summary=summary_of(here, plan, ended) if ended else None,
        files=here.files(),
        source_run_id=plan.source.run_id if plan.source else "",
    )


def counts_so_far(folder: SendFolder, plan: SendPlan) -> Counts:
    """What the journals of all shards say is settled."""
    if not folder.journal.is_dir():
        return Counts(total=plan.audience.accepted)
    many = []
    for shard, (first, end) in enumerate(plan.shards):
        state = read_state(folder.journal, shard)
        many.append(
            Counts(
                total=end - first,
                succeeded=state.counts.get(Outcome.SUCCEEDED, 0),
                failed=state.counts.get(Outcome.FAILED, 0),
                unknown=state.counts.get(Outcome.UNKNOWN, 0),
                unsent=state.counts.get(Outcome.UNSENT, 0),
                skipped=state.counts.get(Outcome.SKIPPED, 0),
                retried=state.retried,
                maybe_doubled=state.maybe_doubled,
            )
        )
    return add_counts(many)
