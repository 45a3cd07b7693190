"""The paths of every owner."""

from postroad.entrypoints.http.routes import (
    accounts,
    administration,
    artifacts,
    feed,
    jobs,
    messages,
    providers,
    secrets,
    system,
    workspaces,
)

OWNERS = (accounts, administration, artifacts, feed, jobs, messages, providers, secrets, system, workspaces)
"""Each has `add_routes(router, composition)`. Keep the order of the alphabet."""
