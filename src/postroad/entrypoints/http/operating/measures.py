"""/metrics for Prometheus.

Programs on the same machine read it without a word; through a proxy or from elsewhere it needs a signed-in person or a
token, because counts of runs and recipients are nobody else's business.
"""

import ipaddress
from typing import Protocol

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from postroad.entrypoints.http.composition import HttpComposition
from postroad.entrypoints.http.conventions.admission import admit
from postroad.foundation.metrics import CONTENT_TYPE
from postroad.kernel.authz import PrincipalKind
from postroad.vocabulary.refusals import AuthenticationRequired


class MeasuredComposition(HttpComposition, Protocol):
    def refresh_metrics(self) -> None:
        """Sets the gauges that are read at the moment. Blocks."""
        ...


def routes(composition: MeasuredComposition) -> list[BaseRoute]:

    async def show(request: Request) -> Response:
        if not _is_neighbour(request):
            caller = await admit(request, composition)
            if caller.principal.kind is PrincipalKind.ANONYMOUS:
                raise AuthenticationRequired("from elsewhere /metrics needs a token: Authorization: Bearer pst_…")
        await composition.pool.run(composition.refresh_metrics)
        return Response(composition.metrics.page(), headers={"content-type": CONTENT_TYPE})

    return [Route("/metrics", show)]


def _is_neighbour(request: Request) -> bool:
    if "x-forwarded-for" in request.headers or "forwarded" in request.headers or request.client is None:
        return False
    try:
        return ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False
