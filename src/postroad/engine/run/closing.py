"""Closing in the reverse order of opening; one failure never keeps the rest open. Source: spec wepush §8.3."""

import asyncio
from collections.abc import Awaitable, Callable

_CLOSE_TIMEOUT_S = 30.0
_ERRORS_KEPT = 20


class Errors:
    """Errors that must not stop what goes on, for `suppressed_errors` of the summary."""

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._more = 0

    def add(self, where: str, error: BaseException) -> None:
        if len(self._kept) < _ERRORS_KEPT:
            self._kept.append(f"{where}: {type(error).__name__}: {error}"[:300])
        else:
            self._more += 1

    def all(self) -> tuple[str, ...]:
        return (*self._kept, f"and {self._more} more") if self._more else tuple(self._kept)


class ResourceScope:
    def __init__(self, errors: Errors) -> None:
        self._errors = errors
        self._closers: list[tuple[str, Callable[[], Awaitable[None]]]] = []

    def add(self, name: str, close: Callable[[], Awaitable[None]]) -> None:
        self._closers.append((name, close))

    def holds(self, name: str) -> bool:
        return any(label == name for label, _ in self._closers)

    async def close(self, name: str | None = None) -> bool:
        """Closes everything, or everything of one name, at most once each. False where something failed."""
        chosen = [entry for entry in self._closers if name is None or entry[0] == name]
        self._closers = [entry for entry in self._closers if entry not in chosen]
        well = True
        for label, close in reversed(chosen):
            try:
                await asyncio.wait_for(close(), _CLOSE_TIMEOUT_S)
            except Exception as error:  # the rest must be closed as well  # noqa: BLE001  (engine: what a port raises is an outcome; until 2027-11-30)
                self._errors.add(f"closing the {label}", error)
                well = False
        return well
