"""Users, for system administrators. Passwords are chosen by the users themselves, with a link."""

from typing import Annotated

from fastapi import Query, Response

from postroad.entrypoints.http.conventions import (
    Caller,
    IfMatch,
    PageAsked,
    Router,
    created,
    paged,
    path_part,
    problems,
    show_version,
)
from postroad.entrypoints.http.routes.administration.door import IdentityComposition
from postroad.entrypoints.http.wire.administration.people import (
    LinkShown,
    NewUserAsked,
    UserChanged,
    UserCreated,
    UserPage,
    UserShown,
)
from postroad.modules import identity
from postroad.modules.identity import UserStatus

UserId = Annotated[str, path_part("userId")]
_ONE = "/users/{userId}"


def add_routes(router: Router, composition: IdentityComposition) -> None:
    """Below /users."""
    _add_reading(router)
    _add_changing(router, composition)
    _add_letting_in(router, composition)


def _add_reading(router: Router) -> None:
    @router.get("/users", responses=problems(403))
    async def list_users(
        caller: Caller,
        page: PageAsked,
        name: Annotated[str | None, Query(max_length=200, description="A part of either name.")] = None,
        status: UserStatus | None = None,
    ) -> UserPage:
        """All users, newest first. Only for a system administrator."""
        wanted = identity.UserFilter(name, status)
        return UserPage.of(paged(await caller.read(lambda reading: identity.list_users(reading, page, wanted))))

    @router.get(_ONE, responses=problems(403, 404))
    async def get_user(caller: Caller, user_id: UserId, response: Response) -> UserShown:
        """One user. Only for a system administrator."""
        user = await caller.read(lambda reading: identity.get_user(reading, user_id))
        show_version(response, user.version)
        return UserShown.of(user)


def _add_changing(router: Router, composition: IdentityComposition) -> None:
    @router.post("/users", status_code=201, responses=problems(403, 409))
    async def create_user(caller: Caller, body: NewUserAsked, response: Response) -> UserCreated:
        """Makes a user and the link to choose a password with. Only for a system administrator."""
        ask = identity.NewUser(body.username, body.display_name, body.system_admin, body.external_subject)
        made = await caller.write(lambda uow: identity.create_user(uow, ask))
        created(response, f"/api/v1/users/{made.user.id}", made.user.version)
        link = LinkShown.made(made.link, composition.http.public_base_url)
        return UserCreated(user=UserShown.of(made.user), password_link=link)

    @router.patch(_ONE, responses=problems(403, 404, 409, 412, 428))
    async def change_user(
        caller: Caller, user_id: UserId, if_match: IfMatch, body: UserChanged, response: Response
    ) -> UserShown:
        """Disables, enables, promotes, demotes or renames a user. Only for a system administrator."""
        ask = identity.ChangeUser(user_id, if_match, body.display_name, body.status, body.system_admin)
        user = await caller.write(lambda uow: identity.change_user(uow, ask))
        show_version(response, user.version)
        return UserShown.of(user)


def _add_letting_in(router: Router, composition: IdentityComposition) -> None:
    @router.post(f"{_ONE}/password-link", status_code=201, responses=problems(403, 404, 409))
    async def issue_password_link(caller: Caller, user_id: UserId) -> LinkShown:
        """A new link to choose a password with; earlier ones are worthless. Only for a system administrator."""
        link = await caller.write(lambda uow: identity.issue_password_link(uow, user_id))
        return LinkShown.made(link, composition.http.public_base_url)

    @router.delete(f"{_ONE}/sessions", status_code=204, responses=problems(403, 404))
    async def sign_out_user(caller: Caller, user_id: UserId) -> None:
        """Ends all sessions of a user. Only for a system administrator."""
        await caller.write(lambda uow: identity.sign_out_user(uow, user_id))
