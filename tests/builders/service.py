"""The service in this process: the real application on 127.0.0.1 and a free port, with a fresh data folder.

    with running_service(tmp_path) as service:
        answer = service.client(Role.OPERATOR).post("/accounts", json={...})

Clients are httpx clients below `service.workspace`; give them whole addresses (`f"{service.api}/workspaces"`) for what
lies elsewhere. `client` is a signed-in person, `program` a token; `service.outside` shows nothing of itself and lies
below the root. `service.database` and `service.workspace_id` are for preparing what a test needs. Background services
do not run: call their ticks. With `database_url` (of PostgreSQL) the same application stands on that database.
"""

import asyncio
import hashlib
import secrets
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType

import httpx
import uvicorn

from postroad.app.service_composition import ServiceComposition
from postroad.entrypoints.http.app import build_app
from postroad.entrypoints.http.composition import HttpSettings
from postroad.entrypoints.http.routes import OWNERS
from postroad.foundation.keyring import KeyRing
from postroad.foundation.service_settings import Settings, load_settings
from postroad.kernel.authz import Principal
from postroad.kernel.database import Database
from postroad.kernel.tables import metadata
from postroad.kernel.uow import UnitOfWork
from postroad.modules import identity, workspaces
from postroad.modules.identity.store import sessions
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.roles import Role

TESTS = Principal.system("tests")
DAY_MS = 86_400_000


class TestServer(uvicorn.Server):
    """uvicorn that stops at once."""

    __test__ = False

    async def main_loop(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.stopping = asyncio.Event()
        await self.on_tick(0)
        self.ready.set()
        await self.stopping.wait()

    async def shutdown(self, sockets: object = None) -> None:
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await self.lifespan.shutdown()

    ready: threading.Event


@dataclass
class RunningService:
    url: str
    workspace_id: str
    composition: ServiceComposition
    _clients: list[httpx.Client] = field(default_factory=list)

    @property
    def database(self) -> Database:
        return self.composition.database

    @property
    def api(self) -> str:
        return f"{self.url}/api/v1"

    @property
    def workspace(self) -> str:
        """The address of the workspace itself."""
        return f"{self.api}/workspaces/{self.workspace_id}"

    @property
    def outside(self) -> httpx.Client:
        """Below the root of the service, as nobody."""
        return self._opened(self.url, {})

    def client(
        self, role: Role | None = Role.OPERATOR, *, workspace_id: str | None = None, system_admin: bool = False
    ) -> httpx.Client:
        """A signed-in person with this role (None: a member of nothing), below the workspace's path."""
        where = workspace_id or self.workspace_id
        user = self.new_user(role, workspace_id=where, system_admin=system_admin)
        return self.signed_in(user, where)

    def program(self, role: Role, scopes: Sequence[str]) -> httpx.Client:
        """A program with a token of somebody with this role."""
        with self.client(role) as owner:
            made = owner.post("/api-tokens", json={"name": "a program", "scopes": list(scopes)})
        return self._opened(self.workspace, {"authorization": f"Bearer {made.json()['token']}"})

    def new_user(
        self, role: Role | None, *, workspace_id: str | None = None, system_admin: bool = False
    ) -> identity.User:
        name = f"{role or 'nobody'}-{secrets.token_hex(4)}".lower()

        def make(uow: UnitOfWork) -> identity.User:
            user = identity.create_user(uow, identity.NewUser(name, system_admin=system_admin)).user
            if role is not None:
                identity.add_member(uow, identity.AddMember(workspace_id or self.workspace_id, name, role), workspaces)
            return user

        return self.database.write(TESTS, make)

    def signed_in(self, user: identity.User, workspace_id: str | None = None) -> httpx.Client:
        """A session of this user without the price of a password."""
        secret = secrets.token_urlsafe(32)

        def begin(uow: UnitOfWork) -> None:
            session = identity.Session(
                id=uow.new_id(),
                user_id=user.id,
                created_at_ms=uow.now_ms,
                last_seen_at_ms=uow.now_ms,
                expires_at_ms=uow.now_ms + DAY_MS,
                source_address="127.0.0.1",
                user_agent="tests",
            )
            sessions.add(uow.connection, session, hashlib.sha256(secret.encode()).hexdigest())

        self.database.write(TESTS, begin)
        headers = {"cookie": f"postroad_session={secret}", "x-postroad-csrf": "1"}
        return self._opened(f"{self.api}/workspaces/{workspace_id or self.workspace_id}", headers)

    def new_workspace(self, name: str) -> str:
        """The id of a new workspace."""
        return self.database.write(TESTS, lambda uow: workspaces.create_workspace(uow, name)).id

    def _opened(self, base_url: str, headers: dict[str, str]) -> httpx.Client:
        client = httpx.Client(base_url=base_url, headers=headers, timeout=10, trust_env=False, verify=False)
        self._clients.append(client)
        return client

    def close(self) -> None:
        for client in self._clients:
            client.close()


@contextmanager
def running_service(
    folder: Path,
    *,
    clock: Clock | None = None,
    database_url: str = "",
    settings: Settings | None = None,
    http: HttpSettings | None = None,
    owners: Sequence[ModuleType] = OWNERS,
) -> Iterator[RunningService]:
    """Starts the application and stops it at the end. `folder` must be empty."""
    composition = composed(folder, clock=clock, database_url=database_url, settings=settings, http=http)
    composition.dialect.create_tables(metadata)
    composition.begin()
    try:
        with listening(composition, owners) as url:
            if http is None:
                composition.http = replace(composition.http, public_base_url=url)
            service = RunningService(url, "", composition)
            service.workspace_id = service.new_workspace("Work")
            try:
                yield service
            finally:
                service.close()
    finally:
        composition.close()


def composed(
    folder: Path,
    *,
    clock: Clock | None = None,
    database_url: str = "",
    settings: Settings | None = None,
    http: HttpSettings | None = None,
) -> ServiceComposition:
    """The composition over a data folder; nothing is prepared or started."""
    flags = {"dataDir": str(folder), **({"database.url": database_url} if database_url else {})}
    settings = settings or load_settings(flags=flags)
    keys = KeyRing.load_or_make(settings.keys.file, may_make=True)
    return ServiceComposition(settings, keys, http or HttpSettings(), clock)


@contextmanager
def listening(composition: ServiceComposition, owners: Sequence[ModuleType] = OWNERS) -> Iterator[str]:
    """Serves the application and tells its address."""
    server = TestServer(
        uvicorn.Config(
            build_app(composition, owners),
            host="127.0.0.1",
            port=0,
            log_config=None,
            access_log=False,
            ws="none",
            server_header=False,
        )
    )
    server.ready = threading.Event()
    thread = threading.Thread(target=server.run, name="service", daemon=True)
    thread.start()
    if not server.ready.wait(20):
        raise RuntimeError("the service did not start")
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.loop.call_soon_threadsafe(composition.begin_stop)
        server.loop.call_soon_threadsafe(server.stopping.set)
        thread.join(10)
