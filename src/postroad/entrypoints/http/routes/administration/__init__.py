"""Workspaces, people, what lets them in, and what is written down about them."""

from postroad.entrypoints.http.conventions import Router
from postroad.entrypoints.http.routes.administration import (
    audit,
    me,
    members,
    sessions,
    setup,
    tokens,
    users,
    workspaces,
)
from postroad.entrypoints.http.routes.administration.door import IdentityComposition


def add_routes(router: Router, composition: IdentityComposition) -> None:
    """Below /setup, /sessions, /me, /users, /audit-events, /workspaces and, in one, /members, /api-tokens and
    /audit-events."""
    setup.add_routes(router, composition)
    sessions.add_routes(router, composition)
    me.add_routes(router, composition)
    users.add_routes(router, composition)
    members.add_routes(router)
    tokens.add_routes(router)
    audit.add_routes(router)
    workspaces.add_routes(router)


__all__ = ["IdentityComposition", "add_routes"]
