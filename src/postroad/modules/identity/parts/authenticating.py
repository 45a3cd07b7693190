"""From what a request shows to who is asking: one indexed read, no write.

A token is first looked at by itself: what has not our form and checksum is refused without a read. Whether it is
unknown, revoked, over or its owner is disabled, the answer is the same.
"""

from postroad.kernel.authz import ANONYMOUS, Principal
from postroad.kernel.database import Database
from postroad.kernel.uow import Reading
from postroad.modules.identity.parts.last_use import LastUses
from postroad.modules.identity.parts.token_text import digest_of, is_token
from postroad.modules.identity.store.standings import Shown, Standings
from postroad.vocabulary.refusals import AuthenticationRequired
from postroad.vocabulary.secret import Secret

_LONGEST_SESSION = 128


class Authenticator:
    def __init__(self, database: Database, standings: Standings, uses: LastUses) -> None:
        self._database = database
        self._standings = standings
        self._uses = uses

    def by_token(self, token: Secret) -> Principal:
        """Raises AuthenticationRequired. Blocks for one read."""
        text = token.reveal()
        if not is_token(text):
            raise AuthenticationRequired("this is no token of this service; check that it was copied whole")

        def look(reading: Reading) -> tuple[Shown | None, int]:
            return self._standings.by_token(reading.connection, digest_of(text), reading.now_ms), reading.now_ms

        refusal = "the token is not valid: it was revoked, has expired, or never was; make a new one"
        return self._admitted(*self._database.read(ANONYMOUS, look), refusal)

    def by_session(self, session: Secret) -> Principal:
        """Raises AuthenticationRequired. Blocks for one read."""
        text = session.reveal()
        refusal = "the session is over; sign in again"
        if len(text) > _LONGEST_SESSION:
            raise AuthenticationRequired(refusal)

        def look(reading: Reading) -> tuple[Shown | None, int]:
            return self._standings.by_session(reading.connection, digest_of(text), reading.now_ms), reading.now_ms

        return self._admitted(*self._database.read(ANONYMOUS, look), refusal)

    def _admitted(self, shown: Shown | None, now_ms: int, refusal: str) -> Principal:
        if shown is None:
            raise AuthenticationRequired(refusal)
        self._uses.note(shown.principal, shown.last_used_at_ms, now_ms)
        return shown.principal
