"""API tokens on the wire."""

from typing import Annotated

from pydantic import Field

from postroad.entrypoints.http.conventions import Asked, Instant, PageShown, Shown, stamp
from postroad.kernel.authz import SCOPES
from postroad.modules.identity import Token, TokenStatus


class TokenShown(Shown):
    id: str
    user_id: str
    username: str
    name: str
    shown: str = Field(description="The beginning of the token, to recognise it by.")
    scopes: list[str]
    status: TokenStatus
    expires_at: Instant = stamp("expires_at_ms")
    expires_soon: bool = Field(description="It is good and ends within two weeks.")
    last_used_at: Instant | None = stamp("last_used_at_ms")
    revoked_at: Instant | None = stamp("revoked_at_ms")
    disabled_at: Instant | None = stamp("disabled_at_ms")
    version: int
    created_at: Instant = stamp("created_at_ms")
    updated_at: Instant = stamp("updated_at_ms")

    @staticmethod
    def at(token: Token, now_ms: int) -> "TokenShown":
        return TokenShown.of(token_view(token, now_ms))


class TokenPage(Shown):
    items: list[TokenShown]
    page: PageShown


class TokenIssued(TokenShown):
    """With the token itself: this is the only time it is shown."""

    token: str


class TokenAsked(Asked):
    name: Annotated[str, Field(max_length=500)]
    scopes: Annotated[
        list[Annotated[str, Field(max_length=64)]],
        Field(max_length=100, description=f"At least one of {', '.join(sorted(SCOPES))}."),
    ]
    expires_in_days: Annotated[int, Field(description="1 to 366.")] = 90


def token_view(token: Token, now_ms: int) -> dict[str, object]:
    """The view and what the time makes of it."""
    own = {name: getattr(token, name) for name in Token.__slots__}
    return {**own, "status": token.status(now_ms), "expires_soon": token.expires_soon(now_ms)}
