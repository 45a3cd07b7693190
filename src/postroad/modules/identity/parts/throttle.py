"""How often somebody may try to come in. Counted before anything is looked up, so that the answer tells nothing.

Ten tries in five minutes for a name from one address, fifty for an address whatever the name, and a hundred in an hour
for a name from anywhere: enough for people who mistype, too few for guessing, and who is locked out by strangers gets
in again within minutes. Names are counted by their digest, so that no memory holds what people typed.
"""

import hashlib

from postroad.kernel.limits import Limiter

_FIVE_MINUTES_S, _HOUR_S = 300.0, 3600.0


def take_try(limiter: Limiter, username_key: str, source_address: str) -> None:
    """Raises RateLimited."""
    name = hashlib.sha256(username_key.encode()).hexdigest()[:32]
    limiter.take(f"sign-in:address:{source_address}", 50, _FIVE_MINUTES_S)
    limiter.take(f"sign-in:pair:{name}:{source_address}", 10, _FIVE_MINUTES_S)
    limiter.take(f"sign-in:name:{name}", 100, _HOUR_S)


def take_code_try(limiter: Limiter, source_address: str) -> None:
    """For codes that are valid once. Raises RateLimited."""
    limiter.take(f"code:address:{source_address}", 20, _FIVE_MINUTES_S)


def take_password_try(limiter: Limiter, user_id: str) -> None:
    """For somebody signed in who gives the old password again. Raises RateLimited."""
    limiter.take(f"password:user:{user_id}", 10, _FIVE_MINUTES_S)
