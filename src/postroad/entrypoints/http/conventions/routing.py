"""The router of all owners: it finds out who calls before the body is read, and how large a body may be.

A body is counted as it comes, so a lie about its length helps nobody. `max_body_size=…` on a route sets its own limit
in bytes; a route without one takes what the settings allow for JSON.
"""

from collections.abc import Callable, Coroutine
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute
from starlette.types import Message, Receive

from postroad.entrypoints.http.conventions.admission import admit
from postroad.entrypoints.http.conventions.caller import CallerOf
from postroad.entrypoints.http.conventions.contract import operation_id
from postroad.kernel.authz import PrincipalKind
from postroad.vocabulary.errors import PostroadError
from postroad.vocabulary.refusals import AuthenticationRequired

if TYPE_CHECKING:
    from postroad.entrypoints.http.composition import HttpComposition

_TOO_LARGE = 413
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class Door(Protocol):
    """What stands around some routes besides the admission of all."""

    def before(self, request: Request) -> None:
        """Before anybody is let in. What it raises is the answer."""
        ...

    async def admitted(self, caller: CallerOf) -> None:
        """Before the body is read. What it raises is the answer."""
        ...

    async def refused(self, request: Request, error: Exception) -> None:
        """Before a refusal is answered, whoever raised it."""
        ...


class Router(APIRouter):
    """Every route asks for somebody known, except those put on `public`, which anybody may call."""

    def __init__(self, composition: "HttpComposition", prefix: str = "", tag: str = "") -> None:
        tags: list[str | Enum] = [tag] if tag else []
        super().__init__(prefix=prefix, route_class=_route_class(composition, public=False), tags=tags)
        self.public = APIRouter(prefix=prefix, route_class=_route_class(composition, public=True), tags=tags)
        self._composition = composition
        self._behind: list[APIRouter] = []

    def behind(self, door: Door) -> APIRouter:
        """A place for further routes, whose calls pass `door`."""
        route_class = _route_class(self._composition, public=False, door=door)
        self._behind.append(APIRouter(prefix=self.prefix, route_class=route_class, tags=self.tags))
        return self._behind[-1]

    @property
    def all_routes(self) -> list[BaseRoute]:
        return [route for router in (self, self.public, *self._behind) for route in router.routes]


def _route_class(composition: "HttpComposition", *, public: bool, door: Door | None = None) -> type[APIRoute]:
    class AdmittingRoute(APIRoute):
        def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
            if public:
                options["openapi_extra"] = {**(options.get("openapi_extra") or {}), "security": []}
            options["generate_unique_id_function"] = operation_id
            self.most_bytes: int = options.pop("max_body_size", None) or composition.http.max_body_bytes
            super().__init__(path, endpoint, **options)

        def get_route_handler(self) -> Handler:
            inner = super().get_route_handler()

            async def handle(request: Request) -> Response:
                caller = await admit(request, composition, public=public)
                if not public and caller.principal.kind is PrincipalKind.ANONYMOUS:
                    raise AuthenticationRequired("sign in, or send a token in the header Authorization: Bearer pst_…")
                request.state.caller = caller
                if door is not None:
                    await door.admitted(caller)
                return await inner(Request(request.scope, _counted(request, self.most_bytes)))

            return handle if door is None else _through(door, handle)

    return AdmittingRoute


def _through(door: Door, handle: Handler) -> Handler:
    async def guarded(request: Request) -> Response:
        try:
            door.before(request)
            return await handle(request)
        except (PostroadError, RequestValidationError, HTTPException) as error:
            await door.refused(request, error)
            raise

    return guarded


def _counted(request: Request, most_bytes: int) -> Receive:
    """Receives the body. Raises HTTPException once it is, or is announced to be, larger than `most_bytes`."""
    announced = request.headers.get("content-length", "")
    left = -1 if announced.isdigit() and int(announced) > most_bytes else most_bytes

    async def receive() -> Message:
        nonlocal left
        message: Message = await request.receive() if left >= 0 else {}
        left -= len(message.get("body", b""))
        if left < 0:
            raise HTTPException(_TOO_LARGE)
        return message

    return receive
