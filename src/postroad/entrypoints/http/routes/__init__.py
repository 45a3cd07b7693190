"""The paths of every owner."""

from postroad.entrypoints.http.routes import feed, system, workspaces

OWNERS = (feed, system, workspaces)
"""Each has `add_routes(router, composition)`. Keep the order of the alphabet."""
