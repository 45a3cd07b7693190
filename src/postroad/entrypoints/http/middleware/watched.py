"""The outermost layer: trace id in, access log line out, and no exception gets past it.

The line names the route's pattern, never the query: queries may hold what people type. When an exception comes after
the answer has begun, nothing more can be said; the connection is cut, so that the client sees a broken answer and not a
short one.
"""

import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from postroad.entrypoints.http.conventions.error_answers import internal
from postroad.entrypoints.http.conventions.tracing import begin_trace
from postroad.foundation.telemetry import bound, logger

_LOG = logger(__name__)


class Watched:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        trace_id = begin_trace(scope)
        begun = time.perf_counter()
        status = 0

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-trace-id", trace_id.encode())]
            await send(message)

        with bound(traceId=trace_id):
            try:
                await self._app(scope, receive, watch)
            except Exception:  # (entrypoints: the last door of a request)
                _LOG.exception("request_broke", method=scope["method"], route=_route(scope))
                if status:
                    raise
                await internal(trace_id)(scope, receive, watch)
            finally:
                _LOG.info(
                    "request",
                    method=scope["method"],
                    route=_route(scope),
                    status=status,
                    milliseconds=round((time.perf_counter() - begun) * 1000, 1),
                )


def _route(scope: Scope) -> str:
    """The pattern of the route, or nothing where no route was met: a path is what anybody may write."""
    return str(getattr(scope.get("route"), "path", ""))
