"""The paths of every owner."""

from postroad.entrypoints.http.routes import administration, artifacts, feed, secrets, system, workspaces

OWNERS = (administration, artifacts, feed, secrets, system, workspaces)
"""Each has `add_routes(router, composition)`. Keep the order of the alphabet."""
