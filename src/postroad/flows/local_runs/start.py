"""Starts a confirmed send, or goes on with one."""

from dataclasses import replace

from postroad.flows.local_runs.execution import Execution, run_to_end
from postroad.flows.local_runs.keeping.folder import SendFolder
from postroad.flows.local_runs.keeping.frozen_audience import open_snapshot
from postroad.flows.local_runs.keeping.index import SendIndex
from postroad.flows.local_runs.keeping.plan import SendPlan
from postroad.flows.local_runs.orders import ResumeOrder
from postroad.flows.local_runs.ports import Observer, SilentObserver, Surroundings
from postroad.flows.local_runs.resuming import changed_policies, check_versions
from postroad.flows.local_runs.views import PreparedSend, SendSummary
from postroad.vocabulary.errors import SendConflict

SHORTEST_HASH = 8


def start_send(
    prepared: PreparedSend,
    surroundings: Surroundings,
    observer: Observer | None = None,
    *,
    confirmed_hash: str | None = None,
) -> SendSummary:
    """Freezes the send and runs it to its end; blocks.

    `confirmed_hash` is what a person agreed to, in full or its first 8 or more characters; another one is a
    SendConflict, and so is a send that was made before, unless `again`. After `Controls.abort`, and when a worker
    keeps dying, the summary's state is LOST and a resume goes on.
    """
    folder = SendFolder(prepared.folder)
    _check_confirmation(prepared.hash, confirmed_hash)
    if not folder.is_ours:
        raise SendConflict(f"{folder.path} is gone or was made anew; prepare the send again", field="folder")
    with folder.held():
        if folder.is_frozen:
            raise SendConflict(f"{folder.path} was started already; go on with: postroad send --resume {folder.path}")
        open_snapshot(folder, prepared.plan)
        plan = _freeze(folder, prepared, surroundings)
        return run_to_end(Execution(folder, plan, plan.policies, surroundings, observer or SilentObserver()))


def resume_send(order: ResumeOrder, surroundings: Surroundings, observer: Observer | None = None) -> SendSummary:
    """Goes on; blocks. An ended send gives its summary again, after making what was missing of its results.

    Raises SendConflict naming what differs, AlreadyRunning where another process holds the folder.
    """
    folder = SendFolder(order.folder)
    plan = folder.read_plan()
    _check_place(folder, plan, surroundings)
    policies = changed_policies(folder, plan, order)
    check_versions(plan, surroundings.provider_loader(plan.provider_id).descriptor)
    with folder.held(order.wait_s):
        return run_to_end(Execution(folder, plan, policies, surroundings, observer or SilentObserver()))


def _check_place(folder: SendFolder, plan: SendPlan, surroundings: Surroundings) -> None:
    """A moved folder may go on, a copy may not: the original's journal may know of people that this one's does not."""
    if folder.ended.is_file():
        return
    original = SendIndex(surroundings.home).folder_of(plan.run_id)
    if original is not None and not original.samefile(folder.path):
        raise SendConflict(
            f"{folder.path} is a copy of {original}, and both would send to the same people; go on with: "
            f"postroad send --resume {original}. Or remove that one first, if nothing was sent from it since",
            field="folder",
        )


def _check_confirmation(hash_hex: str, confirmed: str | None) -> None:
    if confirmed is None:
        return
    said = confirmed.strip().lower()
    if len(said) < SHORTEST_HASH or not hash_hex.startswith(said):
        raise SendConflict(
            f"the confirmed hash is {confirmed!r}, this send has {hash_hex}: audience, message, account or policies "
            "changed since; look at the dry run again",
            field="hash",
        )


def _freeze(folder: SendFolder, prepared: PreparedSend, surroundings: Surroundings) -> SendPlan:
    plan = replace(prepared.plan, frozen_at_ms=surroundings.clock.now_ms())
    index = SendIndex(surroundings.home)
    with index.changing():
        same = index.find_same(plan.hash)
        if same is not None and not prepared.again:
            raise SendConflict(
                f"this was sent, or begun, before: {same} has the same audience, message, account and policies; "
                "resume it, or say --again to send it to everybody once more",
                field="hash",
            )
        index.add(plan, folder.path)
        folder.make_journal()
        folder.write_plan(plan)
    return plan
