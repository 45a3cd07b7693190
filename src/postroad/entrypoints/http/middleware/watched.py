"""The outermost layer: trace id in, access log line out, and no exception gets past it.

The line names the route's pattern, never the query: queries may hold what people type. When an exception comes while
the answer is under way, nothing more can be said; the connection is cut, so that the client sees a broken answer and
not a short one.
"""

import time
from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from postroad.entrypoints.http.conventions.error_answers import internal
from postroad.entrypoints.http.conventions.tracing import begin_trace
from postroad.foundation.metrics import HTTP_REFUSED, HTTP_REQUESTS, HTTP_SECONDS, Metrics
from postroad.foundation.telemetry import bound, logger

_LOG = logger(__name__)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Watched:
    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        trace_id = begin_trace(scope)
        begun = time.perf_counter()
        status = 0
        is_stream = is_whole = False

        async def watch(message: Message) -> None:
            nonlocal status, is_stream, is_whole
            if message["type"] == "http.response.start":
                status = message["status"]
                is_stream = any(value.startswith(b"text/event-stream") for _, value in message["headers"])
                message["headers"] = [*message["headers"], (b"x-trace-id", trace_id.encode())]
            elif message["type"] == "http.response.body":
                is_whole = not message.get("more_body", False)
            await send(message)

        with bound(traceId=trace_id):
            try:
                await self._app(scope, receive, watch)
            except Exception:  # (entrypoints: the last door of a request)
                _LOG.exception("request_broke", method=_method(scope), route=_route(scope))
                if not status:
                    await internal(trace_id)(scope, receive, watch)
                elif not is_whole:
                    raise
            finally:
                self._tell(scope, status, time.perf_counter() - begun, is_stream=is_stream)

    def _tell(self, scope: Scope, status: int, took_s: float, *, is_stream: bool) -> None:
        method, route = _method(scope), _route(scope)
        _LOG.info("request", method=method, route=route, status=status, milliseconds=round(took_s * 1000, 1))
        self._metrics.add(HTTP_REQUESTS, method=method, route=route, status=str(status))
        if not is_stream:
            self._metrics.observe(HTTP_SECONDS, took_s, method=method, route=route)
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            self._metrics.add(HTTP_REFUSED)


def _method(scope: Scope) -> str:
    """The method, or `OTHER` for what anybody may invent: labels have few values."""
    return scope["method"] if scope["method"] in _METHODS else "OTHER"


def _route(scope: Scope) -> str:
    """The pattern of the route, or nothing where no route was met: a path is what anybody may write."""
    return str(getattr(scope.get("route"), "path", ""))
