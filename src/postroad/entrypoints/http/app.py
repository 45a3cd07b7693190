"""Puts the door together: middleware, conventions, the routes of all owners, the contract."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

import postroad
from postroad.entrypoints.http import routes
from postroad.entrypoints.http.conventions import contract, error_answers
from postroad.entrypoints.http.conventions.routing import Router
from postroad.entrypoints.http.middleware import Guarded, OwnHosts, Watched
from postroad.entrypoints.http.operating import health, measures, pages
from postroad.entrypoints.http.path_index import PathIndex

if TYPE_CHECKING:
    from postroad.entrypoints.http.surface import Surface

PREFIX = "/api/v1"
Application = ASGIApp
_NO_TELEMETRY: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
"""The framework would send what people typed wrong, and read variables of its own; spans and counters are ours."""


def build_app(composition: "Surface", owners: Sequence[ModuleType] = routes.OWNERS) -> Application:
    """The ASGI application over a composition. Nothing is started."""
    return Watched(_routed(composition, owners), composition.metrics)


def contract_of(composition: "Surface") -> dict[str, Any]:
    """The OpenAPI document of the application, as it is served."""
    return contract.document(_api_routes(composition, routes.OWNERS))


def _routed(composition: "Surface", owners: Sequence[ModuleType]) -> FastAPI:
    app = FastAPI(
        title="Postroad",
        version=postroad.__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lambda _: _listening(composition),
        telemetry=_NO_TELEMETRY,
        middleware=_middleware(composition),
    )
    error_answers.install(app, composition)
    api = _api_routes(composition, owners)
    app.router.routes += [
        PathIndex(api),
        *health.routes(composition.readiness),
        *measures.routes(composition),
        contract.route(api),
        *pages.routes(),
    ]
    return app


def _api_routes(composition: "Surface", owners: Sequence[ModuleType]) -> list[BaseRoute]:
    found: list[BaseRoute] = []
    for owner in owners:
        router = Router(composition, prefix=PREFIX, tag=owner.__name__.rpartition(".")[2])
        owner.add_routes(router, composition)
        found += router.all_routes
    return found


@asynccontextmanager
async def _listening(composition: "Surface") -> AsyncIterator[None]:
    async with composition.streams.hearing(composition.database.wakeups):
        yield


def _middleware(composition: "Surface") -> list[Middleware]:
    settings = composition.http
    layers = [
        Middleware(Guarded, is_secure=settings.is_secure),
        Middleware(OwnHosts, names=settings.host_names),
    ]
    if settings.cors_origins:
        layers.append(
            Middleware(
                CORSMiddleware,
                allow_origins=list(settings.cors_origins),
                allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
                allow_headers=["Authorization", "Content-Type", "If-Match", "Idempotency-Key", "Last-Event-ID"],
                expose_headers=["ETag", "Location", "Retry-After", "X-Trace-Id"],
                max_age=600,
            )
        )
    return layers
