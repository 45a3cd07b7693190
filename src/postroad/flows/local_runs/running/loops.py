"""Which event loop a send runs on."""

import asyncio
from collections.abc import Callable


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """uvloop where it is installed; it does not exist for Windows."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop
    made: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return made
