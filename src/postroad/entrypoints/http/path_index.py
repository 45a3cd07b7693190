"""Finds the route of a path by its parts instead of trying one route after the other.

A service has more than a hundred routes, and trying them all costs more than most requests do. The index is a tree: one
step for each part of the path, by its text or as a parameter; text wins. Patterns whose parameters span several parts
are not for it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

_METHOD_NOT_ALLOWED = 405
_FOUND = "postroad.found"


@dataclass(slots=True)
class _Node:
    by_text: dict[str, "_Node"] = field(default_factory=dict)
    by_parameter: "_Node | None" = None
    routes: list[APIRoute] = field(default_factory=list)


class PathIndex(BaseRoute):
    """Stands for all `routes` in the router."""

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        self.routes: list[APIRoute] = []
        self._root = _Node()
        for route in routes:
            if not isinstance(route, APIRoute):
                raise TypeError(f"{route!r} is no route of the API")
            self._add(route)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http":
            return Match.NONE, {}
        others: set[str] = set()
        for route in self._at(scope["path"]):
            match, child_scope = route.matches(scope)
            if match is Match.FULL:
                return Match.FULL, {**child_scope, _FOUND: route}
            if match is Match.PARTIAL:
                others |= route.methods or set()
        return (Match.PARTIAL, {_FOUND: frozenset(others)}) if others else (Match.NONE, {})

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises HTTPException with every method that is possible, where this one is not."""
        found = scope[_FOUND]
        if not isinstance(found, APIRoute):
            raise HTTPException(_METHOD_NOT_ALLOWED, headers={"Allow": ", ".join(sorted(found))})
        await found.handle(scope, receive, send)

    def _add(self, route: APIRoute) -> None:
        node = self._root
        for part in route.path_format.split("/"):
            if part.startswith("{") and part.endswith("}"):
                node.by_parameter = node.by_parameter or _Node()
                node = node.by_parameter
            elif "{" in part:
                raise ValueError(f"{route.path_format}: a parameter must be a whole part of the path")
            else:
                node = node.by_text.setdefault(part, _Node())
        node.routes.append(route)
        self.routes.append(route)

    def _at(self, path: str) -> list[APIRoute]:
        nodes = [self._root]
        for part in path.split("/"):
            texts = [found for node in nodes if (found := node.by_text.get(part)) is not None]
            nodes = texts + [node.by_parameter for node in nodes if node.by_parameter is not None]
        return [route for node in nodes for route in node.routes]
