"""Whether an idle connection still has somebody at the other end, as far as this machine's kernel knows.

A server that closed an idle connection has sent its FIN; the event loop may not have looked yet. Asking the kernel
just before use turns "the request vanished" into "nothing was sent, take a new connection". A FIN still on its way
cannot be seen by anybody.
"""

import select
import socket
import sys

_HUNG_UP = 0
if sys.platform != "win32":
    _HUNG_UP = select.POLLERR | select.POLLHUP | getattr(select, "POLLRDHUP", 0)


class Liveness:
    """Asks about one socket. `expects_silence`: anything readable is a fault too (plain HTTP between two requests)."""

    __slots__ = ("_poll",)

    def __init__(self, sock: socket.socket, *, expects_silence: bool) -> None:
        if sys.platform == "win32":
            self._poll = None
            return
        self._poll = select.poll()
        self._poll.register(sock.fileno(), _HUNG_UP | (select.POLLIN if expects_silence else 0))

    def is_quiet(self) -> bool:
        """Must not be called after the socket was closed. Always True on Windows, which has no poll."""
        return self._poll is None or not self._poll.poll(0)
