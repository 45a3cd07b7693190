"""Starts a confirmed send, or goes on with one."""

from postroad.flows.local_runs.orders import ResumeOrder
from postroad.flows.local_runs.ports import Observer, Surroundings
from postroad.flows.local_runs.views import PreparedSend, SendSummary


def start_send(
    prepared: PreparedSend,
    surroundings: Surroundings,
    observer: Observer | None = None,
    *,
    confirmed_hash: str | None = None,
) -> SendSummary:
    """Freezes the send and runs it to its end; blocks.

    `confirmed_hash` is what a person agreed to, in full or its first 8 or more characters; another one is a
    SendConflict. After `Controls.abort` the summary's state is LOST and a resume goes on.
    """
    raise NotImplementedError


def resume_send(order: ResumeOrder, surroundings: Surroundings, observer: Observer | None = None) -> SendSummary:
    """Goes on; blocks. An ended send gives its summary again, after making what was missing of its results.

    Raises SendConflict naming what differs, AlreadyRunning where another process holds the folder.
    """
    raise NotImplementedError
