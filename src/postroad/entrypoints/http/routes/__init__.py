"""The paths of every owner."""

from postroad.entrypoints.http.routes import artifacts, feed, secrets, system, workspaces

OWNERS = (artifacts, feed, secrets, system, workspaces)
"""Each has `add_routes(router, composition)`. Keep the order of the alphabet."""
