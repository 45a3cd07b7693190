"""Puts the door together: middleware, conventions, the routes of all owners, the contract."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

import postroad
from postroad.entrypoints.http import routes
from postroad.entrypoints.http.conventions import contract, error_answers
from postroad.entrypoints.http.conventions.routing import Router
from postroad.entrypoints.http.middleware import Guarded, OwnHosts, Watched
from postroad.entrypoints.http.operating import health, measures, pages

if TYPE_CHECKING:
    from postroad.entrypoints.http.surface import Surface

PREFIX = "/api/v1"
Application = ASGIApp


def build_app(composition: "Surface", owners: Sequence[ModuleType] = routes.OWNERS) -> Application:
    """The ASGI application over a composition. Nothing is started."""
    return Watched(_routed(composition, owners), composition.metrics)


def contract_of(composition: "Surface") -> dict[str, Any]:
    """The OpenAPI document of the application, as it is served."""
    return contract.document(_routed(composition, routes.OWNERS))


def _routed(composition: "Surface", owners: Sequence[ModuleType]) -> FastAPI:
    app = FastAPI(
        title="Postroad",
        version=postroad.__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lambda _: _listening(composition),
        generate_unique_id_function=contract.operation_id,
        middleware=_middleware(composition),
    )
    error_answers.install(app, composition)
    for owner in owners:
        router = Router(composition, prefix=PREFIX, tag=owner.__name__.rpartition(".")[2])
        owner.add_routes(router, composition)
        app.include_router(router)
        app.include_router(router.public)
    contract.serve(app)
    app.router.routes += [
        *health.routes(composition.readiness),
        *measures.routes(composition),
        *pages.routes(),
    ]
    return app


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
