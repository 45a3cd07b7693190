"""uvicorn with our own beginning and end."""

import logging
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from postroad.entrypoints.http.app import Application
from postroad.foundation.service_settings import ServerSettings

_KEEP_ALIVE_S = 65
"""Longer than the 60 s of common proxies, so that they close first and never meet a closed connection."""


class Listener(uvicorn.Server):
    """Calls `on_ready` when it listens and `on_stop` on its loop when a stop begins. A second signal stops at once.

    Signals end the loop and are not raised again: the process then leaves with an exit code of its own.
    """

    def __init__(
        self, app: Application, settings: ServerSettings, *, on_ready: Callable[[], None], on_stop: Callable[[], None]
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                loop="uvloop",
                http="httptools",
                ws="none",
                lifespan="on",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=bool(settings.trusted_proxies),
                forwarded_allow_ips=list(settings.trusted_proxies),
                timeout_keep_alive=_KEEP_ALIVE_S,
                timeout_graceful_shutdown=max(1, round(settings.stop_grace_s)),
            )
        )
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
        self._on_ready = on_ready
        self._on_stop = on_stop
        self._stop_told = False

    async def main_loop(self) -> None:
        self._on_ready()
        await super().main_loop()

    async def on_tick(self, counter: int) -> bool:
        if self.should_exit and not self._stop_told:
            self._stop_told = True
            self._on_stop()
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        del sig, frame
        self.force_exit = self.should_exit
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
