"""Hints between the instances of a service, by LISTEN and NOTIFY on one connection of their own.

One thread owns the connection: it sends what is in the line and hands what others sent to `Wakeups`. Hints are
coalesced while they wait, the line is bounded, and nothing blocks the one who notifies. When the connection breaks it
is made again; then everybody is woken, for hints were missed.
"""

import json
import logging
import os
import selectors
import threading
from typing import Any

import psycopg

from postroad.drivers.postgres.address import PostgresAddress
from postroad.foundation.chance import chance
from postroad.kernel.wakeups import EVERYTHING, Wakeups

CHANNEL = "postroad_wakeups"
_LOG = logging.getLogger(__name__)
_MOST_WAITING = 1000
_LOOK_S = 5.0
"""How often a connection that is silent is tried."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 5.0


class PostgresWakeups:
    """Connects `wakeups` to those of other instances between `start` and `stop`."""

    def __init__(self, address: PostgresAddress, wakeups: Wakeups, instance_id: str) -> None:
        self._address = address
        self._wakeups = wakeups
        self._instance_id = instance_id
        self._lock = threading.Lock()
        self._waiting: dict[tuple[str, str], None] = {}
        self._stopping = threading.Event()
        self._listening = threading.Event()
        self._bell_out, self._bell = os.pipe()
        self._thread = threading.Thread(target=self._run, name="wakeups", daemon=True)

    def start(self) -> None:
        self._wakeups.forward_to(self.send)
        self._thread.start()

    def stop(self) -> None:
        """Waits for the thread. It may be started once only."""
        self._wakeups.forward_to(None)
        self._stopping.set()
        self._ring()
        self._thread.join()
        with self._lock:
            os.close(self._bell)
            os.close(self._bell_out)
            self._bell = -1

    @property
    def is_listening(self) -> bool:
        return self._listening.is_set()

    def wait_until_listening(self, timeout_s: float) -> bool:
        return self._listening.wait(timeout_s)

    def send(self, topic: str, key: str) -> None:
        with self._lock:
            if len(self._waiting) >= _MOST_WAITING:
                self._waiting = dict.fromkeys((known, EVERYTHING) for known, _ in self._waiting)
            was_empty = not self._waiting
            self._waiting[topic, key] = None
        if was_empty:
            self._ring()

    def _run(self) -> None:
        pause_s = _FIRST_PAUSE_S
        while not self._stopping.is_set():
            try:
                with self._address.connect("wakeups") as connection:
                    pause_s = _FIRST_PAUSE_S
                    self._serve(connection)
            except (psycopg.Error, OSError) as error:
                _LOG.warning("the connection for wake-ups broke and is made again: %s", type(error).__name__)
            finally:
                self._listening.clear()
            self._stopping.wait(pause_s * (0.5 + chance()))
            pause_s = min(_LONGEST_PAUSE_S, pause_s * 2)

    def _serve(self, connection: psycopg.Connection[Any]) -> None:
        connection.add_notify_handler(self._heard)
        connection.execute(f"LISTEN {CHANNEL}")
        self._listening.set()
        self._wakeups.deliver_all()
        while not self._stopping.is_set():
            self._wait(connection)
            hints = self._taken()
            if hints:
                payloads = [json.dumps([self._instance_id, topic, key]) for topic, key in hints]
                connection.execute("SELECT pg_notify(%s, hint) FROM unnest(%s::text[]) AS hint", (CHANNEL, payloads))
            else:
                connection.execute("SELECT 1")

    def _wait(self, connection: psycopg.Connection[Any]) -> None:
        """Until the server says something, the bell rings, or it is time to look."""
        with selectors.DefaultSelector() as selector:
            selector.register(connection.fileno(), selectors.EVENT_READ)
            selector.register(self._bell_out, selectors.EVENT_READ)
            if any(key.fd == self._bell_out for key, _ in selector.select(_LOOK_S)):
                os.read(self._bell_out, 4096)

    def _heard(self, notice: psycopg.Notify) -> None:
        try:
            sender, topic, key = json.loads(notice.payload)
        except ValueError:
            return
        if sender != self._instance_id:
            self._wakeups.deliver(str(topic), str(key))

    def _taken(self) -> tuple[tuple[str, str], ...]:
        with self._lock:
            hints, self._waiting = tuple(self._waiting), {}
        return hints

    def _ring(self) -> None:
        with self._lock:
            if self._bell >= 0:
                os.write(self._bell, b".")
