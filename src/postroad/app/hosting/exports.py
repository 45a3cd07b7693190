"""Exports under way, so that a stop of the service need not wait for them."""

import threading
from collections.abc import Callable


class Exports:
    """From any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kills: list[Callable[[], None]] = []
        self._given_up = False

    def begun(self, kill: Callable[[], None]) -> None:
        """An export has begun, which `kill` ends; one that has ended already is not harmed by it."""
        with self._lock:
            self._kills = [*self._kills[-15:], kill]
            given_up = self._given_up
        if given_up:
            kill()

    def give_up(self) -> None:
        with self._lock:
            self._given_up = True
            kills, self._kills = self._kills, []
        for kill in kills:
            kill()
