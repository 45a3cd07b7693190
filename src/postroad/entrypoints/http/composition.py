"""What the routes receive from the composition root."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from postroad.vocabulary.secret import Secret

if TYPE_CHECKING:
    from postroad.entrypoints.http.blocking import BlockingPool
    from postroad.entrypoints.http.streams import StreamHub
    from postroad.foundation.metrics import Metrics
    from postroad.kernel.authz import Principal
    from postroad.kernel.database import Database
    from postroad.vocabulary.refusals import AccessDenied


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """What the door needs to know about where it stands.

    `public_base_url` has no slash at its end. `host_names` are the names besides IP literals and `localhost` under
    which requests may come. `cors_origins` are whole origins (`https://app.example.com`).
    """

    public_base_url: str = "http://127.0.0.1:18990"
    host_names: frozenset[str] = field(default_factory=frozenset)
    cors_origins: tuple[str, ...] = ()
    max_body_bytes: int = 1024 * 1024

    @property
    def is_secure(self) -> bool:
        """Whether browsers come over TLS: cookies are then marked Secure."""
        return self.public_base_url.startswith("https://")


@dataclass(frozen=True, slots=True)
class Presented:
    """What a request shows of itself: a token, the cookie of a session, or neither; never both."""

    token: Secret | None = None
    session: Secret | None = None


class HttpComposition(Protocol):
    """The parts every route may use. A route that needs more extends this Protocol in its own file."""

    @property
    def database(self) -> "Database": ...

    @property
    def pool(self) -> "BlockingPool":
        """Where use cases run: bounded, so that a flood is answered 503 and never piles up."""
        ...

    @property
    def http(self) -> HttpSettings: ...

    @property
    def streams(self) -> "StreamHub": ...

    @property
    def metrics(self) -> "Metrics": ...

    def authenticate(self, presented: Presented) -> "Principal":
        """Who presents this. Blocks for one read. Raises AuthenticationRequired for what is no longer valid."""
        ...

    def throttle(self, who: str) -> None:
        """One request of `who`. Does not block. Raises RateLimited."""
        ...

    def record_denial(self, principal: "Principal", refusal: "AccessDenied", trace_id: str, address: str) -> None:
        """Writes into the audit that somebody was refused. Blocks for one write; a flood is counted, not written."""
        ...
