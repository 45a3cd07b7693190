"""Oneself: who one is, the name that is shown, the password."""

from fastapi import Request, Response

from postroad.entrypoints.http.conventions import Caller, IfMatch, Router, problems, show_version
from postroad.entrypoints.http.routes.administration.door import IdentityComposition, origin_of
from postroad.entrypoints.http.wire.administration.people import (
    MeShown,
    OwnNameChanged,
    PasswordChanged,
    UserShown,
)
from postroad.modules import identity
from postroad.vocabulary.secret import Secret


def add_routes(router: Router, composition: IdentityComposition) -> None:
    """Below /me."""

    @router.get("/me")
    async def get_me(caller: Caller, response: Response) -> MeShown:
        """Who asks, and what may be done where."""
        me = await caller.read(identity.get_me)
        show_version(response, me.user.version)
        roles = [{"workspace_id": workspace_id, "role": role} for workspace_id, role in sorted(me.roles.items())]
        return MeShown.of(
            {
                "user": me.user,
                "session_id": me.session_id or None,
                "token_id": me.token_id or None,
                "roles": roles,
                "scopes": me.scopes,
            }
        )

    @router.patch("/me", responses=problems(403, 412, 428))
    async def change_own_name(caller: Caller, if_match: IfMatch, body: OwnNameChanged, response: Response) -> UserShown:
        """Changes the name that is shown of oneself."""
        user = await caller.write(lambda uow: identity.change_own_name(uow, body.display_name, if_match))
        show_version(response, user.version)
        return UserShown.of(user)

    @router.put("/me/password", status_code=204, responses=problems(403))
    async def change_own_password(caller: Caller, body: PasswordChanged, request: Request) -> None:
        """Changes one's own password; the other sessions end."""
        ask = identity.ChangePassword(Secret(body.current_password), Secret(body.new_password))
        origin = origin_of(request, caller)
        await caller.run(lambda: identity.change_password(composition.doorway, caller.principal, ask, origin))
