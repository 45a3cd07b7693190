"""What coming in over HTTP needs: the doorway, where a request is from, the cookie of a session."""

from typing import Protocol

from fastapi import Request, Response

from postroad.entrypoints.http.composition import HttpComposition
from postroad.entrypoints.http.conventions import CallerOf
from postroad.entrypoints.http.conventions.admission import refuse_foreign_pages, session_cookie
from postroad.modules.identity import Doorway, Origin, SignedIn


class IdentityComposition(HttpComposition, Protocol):
    @property
    def doorway(self) -> Doorway: ...


def origin_of(request: Request, caller: CallerOf) -> Origin:
    return Origin(caller.address, request.headers.get("user-agent", ""), caller.trace_id)


def refuse_page_of_others(request: Request, composition: IdentityComposition) -> None:
    """The page of another site may not sign anybody in, not even as somebody else. Raises AccessDenied."""
    if "origin" in request.headers:
        refuse_foreign_pages(request, composition.http)


def hand_over(response: Response, signed_in: SignedIn, composition: IdentityComposition) -> None:
    """Puts the session into a cookie that scripts cannot read and other sites cannot send."""
    response.set_cookie(
        session_cookie(composition.http),
        signed_in.secret.reveal(),
        max_age=composition.doorway.times.absolute_ms // 1000,
        path="/",
        secure=composition.http.is_secure,
        httponly=True,
        samesite="strict",
    )


def take_back(response: Response, composition: IdentityComposition) -> None:
    response.delete_cookie(
        session_cookie(composition.http),
        path="/",
        secure=composition.http.is_secure,
        httponly=True,
        samesite="strict",
    )
