"""The states of a delivery, of an event to a consumer here or to an address outside, and how one follows another.

`DELIVERY[state]` are the states that may come next. A terminal state is left by people only: a replay leaves the row as
it is and makes one of the next generation, a discard makes it SKIPPED. Source: design of the delivery machine, spec
agent-system §6.2.
"""

from enum import StrEnum


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


_S = DeliveryState

DELIVERY: dict[DeliveryState, frozenset[DeliveryState]] = {
    _S.PENDING: frozenset({_S.SENDING, _S.HELD, _S.DEAD, _S.SKIPPED}),
    _S.RETRY_WAIT: frozenset({_S.SENDING, _S.HELD, _S.DEAD, _S.SKIPPED}),
    _S.SENDING: frozenset({_S.SUCCEEDED, _S.RETRY_WAIT, _S.PENDING, _S.DEAD, _S.UNKNOWN, _S.SKIPPED, _S.HELD}),
    _S.HELD: frozenset({_S.PENDING, _S.SKIPPED}),
    _S.SUCCEEDED: frozenset(),
    _S.DEAD: frozenset({_S.SKIPPED}),
    _S.UNKNOWN: frozenset({_S.SKIPPED}),
    _S.SKIPPED: frozenset(),
}
"""SENDING → PENDING gives back what was not tried. DEAD and UNKNOWN → SKIPPED is a discard."""

DUE = frozenset({_S.PENDING, _S.RETRY_WAIT})
"""May be claimed once their time has come."""
DONE = frozenset({_S.SUCCEEDED, _S.SKIPPED})
"""Let what comes after them go on."""
FINAL = frozenset({_S.SUCCEEDED, _S.SKIPPED, _S.DEAD, _S.UNKNOWN})
"""Nothing happens any more unless a person wants it."""
REPLAYABLE = frozenset({_S.DEAD, _S.UNKNOWN, _S.SKIPPED})


def may_become(state: DeliveryState, following: DeliveryState) -> bool:
    return following in DELIVERY[state]
