"""The first administrator, and passwords chosen by a link. Anybody may come; the code is what opens."""

from fastapi import Request, Response

from postroad.entrypoints.http.conventions import Caller, Router, created, problems
from postroad.entrypoints.http.routes.administration.door import IdentityComposition, origin_of, refuse_page_of_others
from postroad.entrypoints.http.wire.administration.people import PasswordChosen, SetupAsked, SetupShown, UserShown
from postroad.modules import identity
from postroad.vocabulary.secret import Secret


def add_routes(router: Router, composition: IdentityComposition) -> None:
    """GET and POST /setup, POST /passwords."""

    @router.public.get("/setup")
    async def get_setup(caller: Caller) -> SetupShown:
        """Whether the first administrator is still to be made."""
        return SetupShown(needed=await caller.read(identity.is_setup_needed))

    @router.public.post("/setup", status_code=201, responses=problems(403, 409))
    async def create_first_administrator(
        caller: Caller, body: SetupAsked, request: Request, response: Response
    ) -> UserShown:
        """Makes the first administrator with the code that the service printed when it started."""
        refuse_page_of_others(request, composition)
        ask = identity.SetUp(Secret(body.code), body.username, Secret(body.password), body.display_name)
        origin = origin_of(request, caller)
        made = await caller.run(lambda: identity.create_first_administrator(composition.doorway, ask, origin))
        created(response, f"/api/v1/users/{made.id}", made.version)
        return UserShown.of(made)

    @router.public.post("/passwords", status_code=204, responses=problems(403))
    async def choose_password(caller: Caller, body: PasswordChosen, request: Request) -> None:
        """Sets the password of the user a link was made for, once. All sessions of the user end."""
        refuse_page_of_others(request, composition)
        ask = identity.RedeemPasswordLink(Secret(body.code), Secret(body.password))
        origin = origin_of(request, caller)
        await caller.run(lambda: identity.redeem_password_link(composition.doorway, ask, origin))
