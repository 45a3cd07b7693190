"""Passwords: what may be one, and how it is kept.

Kept as argon2id with 32 MiB, three passes and one lane: above the least that OWASP names (19 MiB, two passes), about
a tenth of a second of a core, and small enough for a modest machine. At most two are computed at once; whoever comes
next waits, and whoever would wait longer than a few seconds is told that the service is busy. A hash of other
parameters is still good and is made again at the next sign-in.

A password is normalised with NFKC before it is hashed, so that the same keys on two systems give the same password
(NIST SP 800-63B §5.1.1.2), and there are no rules about kinds of letters.
"""

import threading
import unicodedata
from dataclasses import dataclass

from postroad.vocabulary.refusals import FieldProblem, Overloaded
from postroad.vocabulary.secret import Secret

SHORTEST, LONGEST = 12, 256
_TOO_PLAIN = 4
"""A password with fewer different characters than this is refused."""


@dataclass(frozen=True, slots=True)
class HashingCost:
    memory_kib: int = 32 * 1024
    passes: int = 3
    lanes: int = 1
    at_once: int = 2
    waits_s: float = 5.0


def password_problem(password: Secret, username: str, path: str) -> FieldProblem | None:
    """Why this may not be the password of this user, or None."""
    text = _normal(password).decode(errors="replace")
    said = ""
    if not SHORTEST <= len(text) <= LONGEST:
        said = f"a password has {SHORTEST} to {LONGEST} characters; a short sentence is a good one"
    elif len(set(text)) < _TOO_PLAIN:
        said = f"a password has at least {_TOO_PLAIN} different characters"
    elif text.casefold() == unicodedata.normalize("NFKC", username).casefold():
        said = "the password may not be the username"
    return FieldProblem(path, "PASSWORD_UNFIT", said) if said else None


class Passwords:
    """Makes and checks hashes. Blocks for the time a hash takes; never call it inside a transaction."""

    def __init__(self, cost: HashingCost | None = None) -> None:
        from argon2 import PasswordHasher

        cost = cost or HashingCost()
        self._hasher = PasswordHasher(time_cost=cost.passes, memory_cost=cost.memory_kib, parallelism=cost.lanes)
        self._places = threading.BoundedSemaphore(cost.at_once)
        self._waits_s = cost.waits_s
        self._nobody: str | None = None

    def hash(self, password: Secret) -> str:
        with _Place(self._places, self._waits_s):
            return self._hasher.hash(_normal(password))

    def is_right(self, kept: str | None, password: Secret) -> bool:
        """Whether `password` is the one behind `kept`. Where nothing is kept it takes as long: nobody learns that."""
        from argon2.exceptions import InvalidHashError, VerificationError

        against = kept or self._hash_of_nobody()
        with _Place(self._places, self._waits_s):
            try:
                self._hasher.verify(against, _normal(password))
            except (VerificationError, InvalidHashError):
                return False
        return kept is not None

    def is_outdated(self, kept: str) -> bool:
        """Whether the hash was made with other parameters than today's."""
        return self._hasher.check_needs_rehash(kept)

    def _hash_of_nobody(self) -> str:
        if self._nobody is None:
            self._nobody = self.hash(Secret("the password that nobody has"))
        return self._nobody


class _Place:
    """One of the few places at which a hash may be computed."""

    def __init__(self, places: threading.BoundedSemaphore, waits_s: float) -> None:
        self._places = places
        self._waits_s = waits_s

    def __enter__(self) -> None:
        if not self._places.acquire(timeout=self._waits_s):
            raise Overloaded("too many people sign in at this moment; try again in a few seconds", retry_after_s=5.0)

    def __exit__(self, *_: object) -> None:
        self._places.release()


def _normal(password: Secret) -> bytes:
    """Halves of characters, which JSON can say, are passwords like others."""
    return unicodedata.normalize("NFKC", password.reveal()).encode(errors="surrogatepass")
