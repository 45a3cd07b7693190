"""What coming in needs besides a transaction: hashes, throttles, randomness."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field

from postroad.kernel.authz import Principal, PrincipalKind
from postroad.kernel.database import Database
from postroad.kernel.limits import Limiter
from postroad.modules.identity.model import SessionTimes, User
from postroad.modules.identity.parts.passwords import Passwords

Entropy = Callable[[int], bytes]
"""n → n bytes fit for keys."""
SYSTEM_ENTROPY: Entropy = os.urandom


@dataclass(frozen=True, slots=True)
class Doorway:
    database: Database
    passwords: Passwords
    limiter: Limiter
    times: SessionTimes = field(default_factory=SessionTimes)
    entropy: Entropy = SYSTEM_ENTROPY


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request that comes in is from, for the audit and the list of sessions."""

    source_address: str = ""
    user_agent: str = ""
    correlation_id: str = ""


def as_oneself(user: User) -> Principal:
    """Somebody who has just proved who he is and has no session yet: names him in the audit and has no rights."""
    return Principal(PrincipalKind.USER, user_id=user.id, username=user.username)
