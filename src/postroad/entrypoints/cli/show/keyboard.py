"""Single keys while a send runs: p pauses, r resumes, + and - change how many are sent at once."""

import contextlib
import os
import select
import sys
import threading
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def keys(pressed: Callable[[str], None]) -> Iterator[bool]:
    """Calls `pressed` from a thread of its own for every key; yields whether there is a keyboard.

    The terminal is put back as it was, also after an error. Ctrl-C stays a signal.
    """
    if not sys.stdin.isatty() or not hasattr(os, "openpty"):
        yield False
        return
    import termios
    import tty

    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    stopped, wake = os.pipe()
    listener = threading.Thread(target=_listen, args=(handle, stopped, pressed), daemon=True)
    try:
        tty.setcbreak(handle)
        listener.start()
        yield True
    finally:
        os.write(wake, b"x")
        if listener.ident is not None:
            listener.join()
        termios.tcsetattr(handle, termios.TCSADRAIN, before)
        os.close(wake)
        os.close(stopped)


def _listen(handle: int, stopped: int, pressed: Callable[[str], None]) -> None:
    while True:
        ready, _, _ = select.select([handle, stopped], [], [])
        if stopped in ready:
            return
        text = os.read(handle, 64).decode("utf-8", "ignore")
        if not text:
            return
        for key in text:
            pressed(key)
