"""The service in this process: the real application on 127.0.0.1 and a free port, with a fresh data folder.

    with running_service(tmp_path) as service:
        answer = service.client(Role.OPERATOR).post("/accounts", json={...})

Clients are httpx clients below `service.workspace`; give them whole addresses (`f"{service.api}/workspaces"`) for what
lies elsewhere. `service.outside` is one below the root that shows nothing of itself. `service.database` and
`service.workspace_id` are for preparing what a test needs.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

import httpx
import uvicorn
from sqlalchemy import Connection

from postroad.drivers.sqlite import SqliteDialect
from postroad.entrypoints.http.app import build_app
from postroad.entrypoints.http.composition import HttpSettings, Presented
from postroad.entrypoints.http.conventions.blocking import BlockingPool
from postroad.entrypoints.http.streams import StreamHub
from postroad.foundation.clock import SystemClock
from postroad.foundation.ids import uuid7
from postroad.kernel.authz import Principal, PrincipalKind
from postroad.kernel.database import Database, KernelParts
from postroad.kernel.pages import CursorKey
from postroad.kernel.ports import AuditEntry
from postroad.kernel.tables import metadata
from postroad.kernel.wakeups import Wakeups
from postroad.modules import workspaces
from postroad.vocabulary.refusals import AuthenticationRequired
from postroad.vocabulary.roles import Role


@dataclass
class StubPeople:
    """Who is known, by token. Fulfils `StandingReader`."""

    by_token: dict[str, Principal] = field(default_factory=dict)

    def standing(self, connection: Connection, principal: Principal, now_ms: int) -> Principal | None:
        return principal if principal in self.by_token.values() else None

    def authenticate(self, presented: Presented) -> Principal:
        shown = presented.token or presented.session
        known = self.by_token.get(shown.reveal()) if shown else None
        if known is None:
            raise AuthenticationRequired("the token is not known")
        return known


@dataclass
class KeptAudit:
    """Keeps audit entries of the process; those of transactions that failed too."""

    entries: list[AuditEntry] = field(default_factory=list)

    def write(self, connection: Connection, entry: AuditEntry) -> None:
        self.entries.append(entry)


class BuiltComposition:
    """Fulfils `Surface` over a fresh SQLite database."""

    def __init__(self, folder: Path, http: HttpSettings) -> None:
        dialect = SqliteDialect(folder / "postroad.db")
        dialect.create_tables(metadata)
        self.people = StubPeople()
        self.audit = KeptAudit()
        self.http = http
        self.pool = BlockingPool(threads=8, waiting=64)
        self.streams = StreamHub()
        self.wakeups = Wakeups()
        self.clock = SystemClock()
        self.database = Database(
            dialect,
            KernelParts(
                clock=self.clock,
                new_id=uuid7,
                standing=self.people,
                audit=self.audit,
                wakeups=self.wakeups,
                cursors=CursorKey(b"c" * 32),
            ),
        )

    def authenticate(self, presented: Presented) -> Principal:
        return self.people.authenticate(presented)

    def make_workspace(self, name: str) -> str:
        """The id of a new workspace."""
        return self.database.write(Principal.system("tests"), lambda uow: workspaces.create_workspace(uow, name)).id

    def close(self) -> None:
        self.pool.close()
        self.streams.pool.close()
        self.database.close()


@dataclass
class RunningService:
    url: str
    workspace_id: str
    composition: BuiltComposition
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
        """As a member with this role (None: a member of no workspace), below the workspace's path."""
        workspace_id = workspace_id or self.workspace_id
        token = f"pst_{uuid7()}"
        self.composition.people.by_token[token] = Principal(
            PrincipalKind.USER,
            user_id=uuid7(),
            username=f"{role or 'nobody'}-{token[-4:]}".lower(),
            session_id=uuid7(),
            system_admin=system_admin,
            roles=MappingProxyType({workspace_id: role} if role else {}),
        )
        return self._opened(f"{self.url}/api/v1/workspaces/{workspace_id}", {"authorization": f"Bearer {token}"})

    def _opened(self, base_url: str, headers: dict[str, str]) -> httpx.Client:
        client = httpx.Client(base_url=base_url, headers=headers, timeout=10, trust_env=False)
        self._clients.append(client)
        return client

    def close(self) -> None:
        for client in self._clients:
            client.close()


@contextmanager
def running_service(folder: Path, http: HttpSettings | None = None) -> Iterator[RunningService]:
    """Starts the application and stops it at the end. `folder` must be empty."""
    composition = BuiltComposition(folder, http or HttpSettings())
    server = uvicorn.Server(
        uvicorn.Config(build_app(composition), host="127.0.0.1", port=0, log_config=None, access_log=False)
    )
    thread = threading.Thread(target=server.run, name="service", daemon=True)
    thread.start()
    try:
        url = f"http://127.0.0.1:{_port_of(server, thread)}"
        composition.http = replace(composition.http, public_base_url=url)
        service = RunningService(url, composition.make_workspace("Work"), composition)
        try:
            yield service
        finally:
            service.close()
    finally:
        server.should_exit = True
        thread.join(10)
        composition.close()


def _port_of(server: uvicorn.Server, thread: threading.Thread) -> int:
    while not server.started:
        if not thread.is_alive():
            raise RuntimeError("the service did not start")
        thread.join(0.005)
    port: int = server.servers[0].sockets[0].getsockname()[1]
    return port
