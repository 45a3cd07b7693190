"""httpx's errors as our own."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from postroad.egress.faults import Fault, StreamFailed


@contextmanager
def as_faults() -> Iterator[None]:
    """Raises StreamFailed for every fault on the way. What the policy refuses stays EgressDenied."""
    try:
        yield
    except httpx.RequestError as error:
        if isinstance(error.__cause__, StreamFailed):
            raise error.__cause__ from None
        raise StreamFailed(_fault_of(error), str(error)) from error


def _fault_of(error: httpx.RequestError) -> Fault:
    if isinstance(error, httpx.TimeoutException):
        return Fault.TIMEOUT
    return Fault.RESET if isinstance(error, httpx.NetworkError) else Fault.PROTOCOL
