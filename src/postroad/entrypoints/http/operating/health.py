"""/health/live and /health/ready.

Live: the process answers; it touches nothing else, so a database that is away never makes anybody kill the service.
Ready: requests can be served now. Its checks run side by side, each with a time limit, on threads of their own; a check
that hangs is reported and not started again until it comes back. What went wrong is named by its code, never by its
text: anybody may ask. While the service stops it is not ready, so that a balancer sends nobody any more.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from postroad.foundation.telemetry import logger
from postroad.vocabulary.errors import PostroadError

_LOG = logger(__name__)

Check = Callable[[], object]
"""Blocks; raises when something is missing."""


class Readiness:
    """Runs checks by name. `limit_s` is for each of them."""

    def __init__(self, checks: Mapping[str, Check], limit_s: float = 2.0) -> None:
        self._checks = dict(checks)
        self._limit_s = limit_s
        self._threads = ThreadPoolExecutor(max(1, len(checks)), thread_name_prefix="ready")
        self._running: dict[str, Future[object]] = {}
        self.is_stopping = False

    async def report(self) -> tuple[bool, dict[str, dict[str, object]]]:
        """Whether all is well, and what each check said."""
        names = list(self._checks)
        said = await asyncio.gather(*(self._one(name) for name in names))
        found = dict(zip(names, said, strict=True))
        return not self.is_stopping and all(one["status"] == "ok" for one in said), found

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _one(self, name: str) -> dict[str, object]:
        running = self._running.get(name)
        if running is None or running.done():
            running = self._running[name] = self._threads.submit(self._checks[name])
        begun = time.perf_counter()
        status, code = "ok", ""
        try:
            await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(running)), self._limit_s)
        except TimeoutError:
            status, code = "failed", "TIMEOUT"
        except PostroadError as error:
            status, code = "failed", error.code
        except Exception:  # noqa: BLE001  (entrypoints: whatever a check raises is its answer; until 2028-01-01)
            _LOG.exception("health.check_broke", message=f"the check {name} broke")
            status, code = "failed", "INTERNAL_ERROR"
        took = round((time.perf_counter() - begun) * 1000, 1)
        return {"status": status, "milliseconds": took, **({"code": code} if code else {})}


def routes(readiness: Readiness) -> list[BaseRoute]:
    async def live(_: Request) -> Response:
        return _answer(200, {"status": "live"})

    async def ready(_: Request) -> Response:
        well, checks = await readiness.report()
        status = "stopping" if readiness.is_stopping else "ready" if well else "not ready"
        return _answer(200 if well else 503, {"status": status, "checks": checks})

    return [Route("/health/live", live), Route("/health/ready", ready)]


def _answer(status: int, body: Mapping[str, object]) -> Response:
    return Response(orjson.dumps(dict(body)), status, media_type="application/json")
