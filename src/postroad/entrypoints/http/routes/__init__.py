"""The paths of every owner."""

from postroad.entrypoints.http.routes import feed, workspaces

OWNERS = (feed, workspaces)
"""Each has `add_routes(router, composition)`. Keep the order of the alphabet."""
