"""Runs over HTTP: started, looked at, watched, steered, sent again; what became of everybody."""

from postroad.entrypoints.http.conventions import Router
from postroad.entrypoints.http.routes.runs import reading, results, starting, steering, watching
from postroad.entrypoints.http.runs import RunComposition


def add_routes(router: Router, composition: RunComposition) -> None:
    """Below /workspaces/{workspaceId}/runs, and the starts below …/jobs/{jobId}."""
    reading.add_routes(router)
    watching.add_routes(router, composition)
    results.add_routes(router, composition)
    starting.add_routes(router, composition)
    steering.add_routes(router, composition)
