"""Which requests go wrong, and how: a plan by seed, the same on every machine and in every run."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Fate(StrEnum):
    ACCEPT = "ACCEPT"
    SLOW = "SLOW"
    """Accepted, after a pause."""
    THROTTLE = "THROTTLE"
    """Refused for now, with a time to wait; nothing counted."""
    UNAVAILABLE = "UNAVAILABLE"
    """Refused for now; nothing counted."""
    ERROR = "ERROR"
    """The message was read, and the answer says that it could not be kept; nothing counted."""
    REJECT = "REJECT"
    """Refused for good; nothing counted."""
    CUT_EARLY = "CUT_EARLY"
    """The line is cut before the message was read: by HTTP the sender cannot know, by SMTP it never left."""
    CUT_BEFORE = "CUT_BEFORE"
    """The line is cut after the message was read and before it was counted: the sender cannot know."""
    CUT_AFTER = "CUT_AFTER"
    """Counted, then the line is cut: the sender cannot know."""


@dataclass(frozen=True, slots=True)
class Weather:
    """How likely each fate is, per request; what is left over is ACCEPT.

    A recipient's first request and its tenth have each their own draw, so a refusal passes after some tries.
    """

    seed: int
    odds: Mapping[Fate, float]
    slow_for_s: float = 0.05
    throttle_for_s: int = 1

    def fate(self, recipient: str, nth: int) -> Fate:
        """What happens to the `nth` request for this recipient."""
        digest = hashlib.blake2b(f"{self.seed}/{recipient}/{nth}".encode(), digest_size=8).digest()
        draw = int.from_bytes(digest, "big") / 2**64
        for fate, odds in self.odds.items():
            if draw < odds:
                return fate
            draw -= odds
        return Fate.ACCEPT
