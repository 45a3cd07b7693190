"""What is to become of the fire times that have come: which one fires now, which are passed over, what comes next.

A fire time is **late** once it is more than a minute past; before that it fires whatever the policy says. For late
ones the policy decides:

- SKIP: none of them fires.
- FIRE_ONCE: everything that is due becomes one firing, the latest.
- CATCH_UP_LIMITED: the latest `limit` of the late ones fire, each for itself, oldest first.

One decision names at most one firing, so that each can be one short transaction; what is left over comes back as the
next fire time and is decided again. Of late times that do not fire the latest hundred are recorded one by one; a
service that was down for a year does not write half a million rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from postroad.modules.schedules.model import Misfire, MisfirePolicy
from postroad.modules.schedules.parts.timing import Timing

LATE_AFTER_MS = 60_000
RECORDED_MISSES = 100


@dataclass(frozen=True, slots=True)
class Missed:
    at_ms: int
    reason: str


@dataclass(frozen=True, slots=True)
class Decision:
    missed: tuple[Missed, ...]
    fire_at_ms: int | None
    next_at_ms: int | None
    """None: nothing more will ever fire."""


def decide(timing: Timing, misfire: Misfire, due_ms: int, now_ms: int) -> Decision:
    """`due_ms` is the fire time the schedule waits for, `due_ms` ≤ `now_ms`."""
    late_until = now_ms - LATE_AFTER_MS - 1
    late = timing.latest(due_ms, late_until, RECORDED_MISSES + misfire.limit) if due_ms <= late_until else []
    fresh = timing.between(max(due_ms, late_until + 1), now_ms)
    kept = _kept(misfire, late, fresh)
    chosen = kept[0] if kept else None
    passed = [at for at in (*late, *fresh) if at not in kept][-RECORDED_MISSES:]
    following = kept[1] if len(kept) > 1 else timing.after(max(now_ms, *kept) if kept else now_ms)
    return Decision(_recorded(passed, misfire, due_ms), chosen, following)


def _kept(misfire: Misfire, late: Sequence[int], fresh: Sequence[int]) -> list[int]:
    if misfire.policy is MisfirePolicy.CATCH_UP_LIMITED:
        return [*late[len(late) - misfire.limit if len(late) > misfire.limit else 0 :], *fresh]
    if misfire.policy is MisfirePolicy.FIRE_ONCE and late:
        return [(*late, *fresh)[-1]]
    return list(fresh)


def _recorded(passed: Sequence[int], misfire: Misfire, due_ms: int) -> tuple[Missed, ...]:
    why = {
        MisfirePolicy.SKIP: "missed: the service did not run at that time",
        MisfirePolicy.FIRE_ONCE: "missed: one later firing stands for it",
        MisfirePolicy.CATCH_UP_LIMITED: f"missed: only the latest {misfire.limit} are caught up",
    }[misfire.policy]
    rows = [Missed(at, why) for at in passed]
    if rows and rows[0].at_ms > due_ms:
        rows[0] = Missed(rows[0].at_ms, f"{why}; earlier ones are not listed")
    return tuple(rows)
