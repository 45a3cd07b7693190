"""The paths of every owner."""

from postroad.entrypoints.http.routes import (
    accounts,
    administration,
    artifacts,
    audience_imports,
    audiences,
    feed,
    jobs,
    messages,
    open_api,
    overview,
    providers,
    runs,
    schedules,
    secrets,
    system,
)
from postroad.entrypoints.http.routes.administration import deliveries

OWNERS = (
    accounts,
    administration,
    artifacts,
    audience_imports,
    audiences,
    deliveries,
    feed,
    jobs,
    messages,
    open_api,
    overview,
    providers,
    runs,
    schedules,
    secrets,
    system,
)
"""Each has `add_routes(router, composition)`. Keep the order of the alphabet."""
