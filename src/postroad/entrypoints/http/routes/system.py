"""The service itself: what it is, and for its administrators how it does."""

from dataclasses import dataclass
from typing import Protocol

import postroad
from postroad.entrypoints.http.composition import HttpComposition
from postroad.entrypoints.http.conventions import Caller, Router
from postroad.entrypoints.http.wire.system import SystemInfo
from postroad.kernel.service import ServiceStatus


@dataclass(frozen=True, slots=True)
class Limits:
    json_body_bytes: int
    upload_bytes: int


class SystemComposition(HttpComposition, Protocol):
    @property
    def mode(self) -> str:
        """`standalone` or `server`."""
        ...

    @property
    def limits(self) -> Limits: ...

    def background(self) -> tuple[ServiceStatus, ...]: ...


def add_routes(router: Router, composition: SystemComposition) -> None:
    """GET /system/info."""

    @router.get("/system/info")
    async def get_system_info(caller: Caller) -> SystemInfo:
        """Version, database, limits. System administrators also see the work that goes on by itself."""
        now_ms = await caller.read(lambda reading: reading.now_ms)
        return SystemInfo.of(
            {
                "name": "Postroad",
                "version": postroad.__version__,
                "mode": composition.mode,
                "database": composition.database.dialect_name,
                "server_time_ms": now_ms,
                "limits": composition.limits,
                "background": composition.background() if caller.principal.system_admin else None,
            }
        )
