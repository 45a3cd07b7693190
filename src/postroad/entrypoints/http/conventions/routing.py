"""The router of all owners: it finds out who calls before the body is read."""

from collections.abc import Callable, Coroutine
from enum import Enum
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute

from postroad.entrypoints.http.conventions.admission import admit
from postroad.kernel.authz import PrincipalKind
from postroad.vocabulary.refusals import AuthenticationRequired

if TYPE_CHECKING:
    from postroad.entrypoints.http.composition import HttpComposition

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class Router(APIRouter):
    """Every route asks for somebody known, except those put on `public`, which anybody may call."""

    def __init__(self, composition: "HttpComposition", prefix: str = "", tag: str = "") -> None:
        tags: list[str | Enum] = [tag] if tag else []
        super().__init__(prefix=prefix, route_class=_route_class(composition, anonymous=False), tags=tags)
        self.public = APIRouter(prefix=prefix, route_class=_route_class(composition, anonymous=True), tags=tags)


def _route_class(composition: "HttpComposition", *, anonymous: bool) -> type[APIRoute]:
    class AdmittingRoute(APIRoute):
        def get_route_handler(self) -> Handler:
            inner = super().get_route_handler()

            async def handle(request: Request) -> Response:
                caller = await admit(request, composition)
                if not anonymous and caller.principal.kind is PrincipalKind.ANONYMOUS:
                    raise AuthenticationRequired("sign in, or send a token in the header Authorization: Bearer pst_…")
                request.state.caller = caller
                return await inner(request)

            return handle

    return AdmittingRoute
