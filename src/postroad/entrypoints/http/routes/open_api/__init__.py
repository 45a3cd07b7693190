"""The open API: what programs of others may call, with a token and nothing else."""

from postroad.entrypoints.http.conventions import Router
from postroad.entrypoints.http.open_calls import OpenComposition
from postroad.entrypoints.http.routes.open_api import jobs


def add_routes(router: Router, composition: OpenComposition) -> None:
    """Below /open."""
    jobs.add_routes(router, composition)
