"""Signing in and out, and the list of one's own sessions."""

from typing import Annotated

from fastapi import Query, Request, Response

from postroad.entrypoints.http.conventions import Caller, CallerOf, Router, created, path_part, problems
from postroad.entrypoints.http.routes.administration.door import (
    IdentityComposition,
    hand_over,
    origin_of,
    refuse_page_of_others,
    take_back,
)
from postroad.entrypoints.http.wire.administration.people import (
    SessionList,
    SessionShown,
    SignedInShown,
    SignInAsked,
)
from postroad.modules import identity
from postroad.vocabulary.secret import Secret

SessionId = Annotated[str, path_part("sessionId")]


def add_routes(router: Router, composition: IdentityComposition) -> None:
    """Below /sessions."""
    _add_signing(router, composition)
    _add_listing(router, composition)


def _add_signing(router: Router, composition: IdentityComposition) -> None:
    @router.public.post("/sessions", status_code=201, responses=problems(401, 403))
    async def sign_in(caller: Caller, body: SignInAsked, request: Request, response: Response) -> SignedInShown:
        """Begins a session; its cookie comes with the answer. Whatever is wrong, the answer is the same 401."""
        refuse_page_of_others(request, composition)
        ask = identity.SignIn(body.username, Secret(body.password))
        origin = origin_of(request, caller)
        signed_in = await caller.run(lambda: identity.sign_in(composition.doorway, ask, origin))
        hand_over(response, signed_in, composition)
        created(response, "/api/v1/sessions/current")
        return SignedInShown.of(signed_in)

    @router.get("/sessions/current", responses=problems(403))
    async def get_current_session(caller: Caller) -> SignedInShown:
        """The session that asks, and whose it is."""
        me = await caller.read(identity.get_me)
        found = [session for session in await _own(caller, composition) if session.is_current]
        return SignedInShown.of({"session": found[0], "user": me.user})

    @router.delete("/sessions/current", status_code=204, responses=problems(403))
    async def sign_out(caller: Caller, response: Response) -> None:
        """Ends the session that asks."""
        await caller.write(identity.sign_out)
        take_back(response, composition)


def _add_listing(router: Router, composition: IdentityComposition) -> None:
    @router.get("/sessions", responses=problems(403))
    async def list_sessions(caller: Caller) -> SessionList:
        """One's own sessions that can still be used, the latest first; the hundred latest."""
        return SessionList(items=[SessionShown.of(session) for session in await _own(caller, composition)])

    @router.delete("/sessions", status_code=204, responses=problems(403))
    async def sign_out_everywhere(
        caller: Caller,
        response: Response,
        keep_current: Annotated[bool, Query(alias="keepCurrent", description="Leave the session that asks.")] = True,
    ) -> None:
        """Ends one's own sessions."""
        await caller.write(lambda uow: identity.sign_out_everywhere(uow, keep_this=keep_current))
        if not keep_current:
            take_back(response, composition)

    @router.delete("/sessions/{sessionId}", status_code=204, responses=problems(403, 404))
    async def revoke_session(caller: Caller, session_id: SessionId) -> None:
        """Ends one of one's own sessions."""
        await caller.write(lambda uow: identity.revoke_own_session(uow, session_id))


async def _own(caller: CallerOf, composition: IdentityComposition) -> list[identity.Session]:
    times = composition.doorway.times
    return list(await caller.read(lambda reading: identity.list_own_sessions(reading, times)))
