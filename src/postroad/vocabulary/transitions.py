"""State machines of runs, items and deliveries, as data: the engine drives them and the service stores them.

`RUN[state][event]` is the next state. A cell that is missing is a transition that is refused. Source: design of the
run and item machines (spec wepush §6.6, §12.1), of the delivery machine (spec agent-system §6.2).

A delivery is that of an event to a consumer here or to an address outside. A terminal state is left by people only: a
replay leaves the row as it is and makes one of the next generation, a discard makes it SKIPPED.
"""

from enum import StrEnum


class RunState(StrEnum):
    PENDING = "PENDING"
    """Frozen and not begun."""
    LEASED = "LEASED"
    """A worker was asked to run it."""
    RUNNING = "RUNNING"
    """Messages are leaving, or wait for their turn."""
    PAUSED = "PAUSED"
    """Nothing more leaves until it is resumed."""
    CANCELLING = "CANCELLING"
    """Nothing more leaves; what is in flight is waited for."""
    CANCELLED = "CANCELLED"
    """Ended by a person; the rest is unsent."""
    SUCCEEDED = "SUCCEEDED"
    """Ended; everyone was reached."""
    PARTIAL = "PARTIAL"
    """Ended; not everyone was reached."""
    FAILED = "FAILED"
    """Ended because it could not go on."""
    LOST = "LOST"
    """Whoever ran it is gone; a resume goes on."""
    RECOVERING = "RECOVERING"
    """The journal is read to find out what became of what was in flight."""


class RunEvent(StrEnum):
    LEASE = "LEASE"
    LEASE_UNACKNOWLEDGED = "LEASE_UNACKNOWLEDGED"
    START = "START"
    PAUSE = "PAUSE"
    RESUME = "RESUME"
    CANCEL = "CANCEL"
    DRAINED = "DRAINED"
    """Nothing is in flight any more."""
    ALL_SETTLED_WELL = "ALL_SETTLED_WELL"
    SOME_SETTLED_BADLY = "SOME_SETTLED_BADLY"
    RUN_ERROR = "RUN_ERROR"
    LEASE_LOST = "LEASE_LOST"
    RECOVER = "RECOVER"
    REQUEUE = "REQUEUE"


class ItemState(StrEnum):
    PENDING = "PENDING"
    HELD = "HELD"
    IN_FLIGHT = "IN_FLIGHT"
    RETRY_WAIT = "RETRY_WAIT"
    IN_DOUBT = "IN_DOUBT"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    UNKNOWN = "UNKNOWN"
    UNSENT = "UNSENT"
    SKIPPED = "SKIPPED"


class WaitReason(StrEnum):
    """Why a RUNNING run sends nothing just now."""

    WINDOW = "WAITING_WINDOW"
    RATE = "WAITING_RATE"
    RETRY = "WAITING_RETRY"


_S, _E = RunState, RunEvent

RUN: dict[RunState, dict[RunEvent, RunState]] = {
    _S.PENDING: {_E.LEASE: _S.LEASED, _E.CANCEL: _S.CANCELLED, _E.LEASE_LOST: _S.PENDING, _E.RUN_ERROR: _S.FAILED},
    _S.LEASED: {
        _E.START: _S.RUNNING,
        _E.LEASE_UNACKNOWLEDGED: _S.PENDING,
        _E.CANCEL: _S.CANCELLED,
        _E.LEASE_LOST: _S.LOST,
        _E.RUN_ERROR: _S.FAILED,
    },
    _S.RUNNING: {
        _E.PAUSE: _S.PAUSED,
        _E.CANCEL: _S.CANCELLING,
        _E.ALL_SETTLED_WELL: _S.SUCCEEDED,
        _E.SOME_SETTLED_BADLY: _S.PARTIAL,
        _E.RUN_ERROR: _S.FAILED,
        _E.LEASE_LOST: _S.LOST,
    },
    _S.PAUSED: {_E.RESUME: _S.RUNNING, _E.CANCEL: _S.CANCELLING, _E.RUN_ERROR: _S.FAILED, _E.LEASE_LOST: _S.LOST},
    _S.CANCELLING: {
        _E.CANCEL: _S.CANCELLING,
        _E.DRAINED: _S.CANCELLED,
        _E.RUN_ERROR: _S.FAILED,
        _E.LEASE_LOST: _S.LOST,
    },
    _S.LOST: {_E.RECOVER: _S.RECOVERING, _E.CANCEL: _S.CANCELLED, _E.LEASE_LOST: _S.LOST, _E.RUN_ERROR: _S.FAILED},
    _S.RECOVERING: {
        _E.REQUEUE: _S.PENDING,
        _E.CANCEL: _S.CANCELLED,
        _E.LEASE_LOST: _S.LOST,
        _E.RUN_ERROR: _S.FAILED,
    },
    _S.CANCELLED: {},
    _S.SUCCEEDED: {},
    _S.PARTIAL: {},
    _S.FAILED: {},
}

RUN_FINAL = frozenset(state for state, cells in RUN.items() if not cells)

_I = ItemState

ITEM: dict[ItemState, frozenset[ItemState]] = {
    _I.PENDING: frozenset({_I.HELD, _I.IN_FLIGHT, _I.FAILED, _I.UNSENT, _I.SKIPPED}),
    _I.HELD: frozenset({_I.PENDING, _I.UNSENT, _I.SKIPPED}),
    _I.IN_FLIGHT: frozenset({_I.SUCCEEDED, _I.FAILED, _I.IN_DOUBT, _I.RETRY_WAIT}),
    _I.RETRY_WAIT: frozenset({_I.IN_FLIGHT, _I.UNSENT, _I.FAILED}),
    _I.IN_DOUBT: frozenset({_I.UNKNOWN, _I.IN_FLIGHT}),
    _I.SUCCEEDED: frozenset(),
    _I.FAILED: frozenset(),
    _I.UNKNOWN: frozenset(),
    _I.UNSENT: frozenset(),
    _I.SKIPPED: frozenset(),
}
"""PENDING → FAILED is a recipient our own check refuses: nothing was dispatched."""


def next_run_state(state: RunState, event: RunEvent) -> RunState | None:
    """The state after `event`, or None where the machine has no such cell."""
    return RUN[state].get(event)


class DeliveryState(StrEnum):
    PENDING = "PENDING"
    """Waits for its first attempt."""
    SENDING = "SENDING"
    """Somebody has it in hand, under a lease."""
    SUCCEEDED = "SUCCEEDED"
    """Done."""
    RETRY_WAIT = "RETRY_WAIT"
    """An attempt failed, or whoever had it is gone; there will be another."""
    DEAD = "DEAD"
    """Failed for good, or too often."""
    UNKNOWN = "UNKNOWN"
    """Whoever had it is gone, and doing it again could do it twice: a person decides."""
    HELD = "HELD"
    """The receiver is switched off; nothing is lost."""
    SKIPPED = "SKIPPED"
    """Filtered, or given up by a person."""


_D = DeliveryState

DELIVERY: dict[DeliveryState, frozenset[DeliveryState]] = {
    _D.PENDING: frozenset({_D.SENDING, _D.HELD, _D.DEAD, _D.SKIPPED}),
    _D.RETRY_WAIT: frozenset({_D.SENDING, _D.HELD, _D.DEAD, _D.SKIPPED}),
    _D.SENDING: frozenset({_D.SUCCEEDED, _D.RETRY_WAIT, _D.PENDING, _D.DEAD, _D.UNKNOWN, _D.SKIPPED, _D.HELD}),
    _D.HELD: frozenset({_D.PENDING, _D.SKIPPED}),
    _D.SUCCEEDED: frozenset(),
    _D.DEAD: frozenset({_D.SKIPPED}),
    _D.UNKNOWN: frozenset({_D.SKIPPED}),
    _D.SKIPPED: frozenset(),
}
"""SENDING → PENDING gives back what was not tried. DEAD and UNKNOWN → SKIPPED is a discard."""

DUE = frozenset({_D.PENDING, _D.RETRY_WAIT})
"""May be claimed once their time has come."""
DONE = frozenset({_D.SUCCEEDED, _D.SKIPPED})
"""Let what comes after them go on."""
FINAL = frozenset({_D.SUCCEEDED, _D.SKIPPED, _D.DEAD, _D.UNKNOWN})
"""Nothing happens any more unless a person wants it."""
REPLAYABLE = frozenset({_D.DEAD, _D.UNKNOWN, _D.SKIPPED})


def may_become(state: DeliveryState, following: DeliveryState) -> bool:
    return following in DELIVERY[state]
