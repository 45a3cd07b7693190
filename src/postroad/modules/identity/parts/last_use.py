"""When a session or a token was last used, to the minute, without a write in each request.

A use is remembered here when the row says that the last one is a minute old or more, and a background service writes
what was remembered. A crash loses at most what was not yet written: a session may then end a minute too early.
"""

import threading

from postroad.kernel.authz import Principal
from postroad.kernel.database import Database
from postroad.kernel.uow import UnitOfWork
from postroad.modules.identity.store import sessions, tokens

COARSE_MS = 60_000
_MOST = 10_000
_ME = Principal.system("identity")


class LastUses:
    """Safe to share between threads. Beyond ten thousand unwritten uses, further ones are not remembered."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: dict[str, int] = {}
        self._tokens: dict[str, int] = {}

    def note(self, principal: Principal, known_ms: int | None, now_ms: int) -> None:
        """`known_ms` is what the row says."""
        if known_ms is not None and now_ms - known_ms < COARSE_MS:
            return
        kept, key = (
            (self._sessions, principal.session_id) if principal.session_id else (self._tokens, principal.token_id)
        )
        with self._lock:
            if key in kept or len(kept) < _MOST:
                kept[key] = now_ms

    def flush(self, database: Database) -> bool:
        """Writes what was remembered; the tick of a background service. Never asks to be called again at once."""
        with self._lock:
            seen, self._sessions = self._sessions, {}
            used, self._tokens = self._tokens, {}

        def write(uow: UnitOfWork) -> None:
            if seen:
                sessions.note_seen(uow.connection, seen)
            if used:
                tokens.note_used(uow.connection, used)

        if seen or used:
            database.write(_ME, write)
        return False
