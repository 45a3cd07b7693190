"""The same application on PostgreSQL, and two instances of it that share one."""

import itertools
import json
from pathlib import Path

import psycopg
import pytest
from tests.builders.postgres_server import PostgresServer
from tests.builders.service import composed, listening, running_service

from postroad.foundation.service_settings import Settings, load_settings
from postroad.vocabulary.roles import Role

_NUMBERS = itertools.count(1)


@pytest.fixture
def on_postgres(postgres_server: PostgresServer, tmp_path: Path) -> Settings:
    """Settings over a database of its own."""
    name = f"service_{next(_NUMBERS)}"
    with psycopg.connect(postgres_server.url(), password=postgres_server.password, autocommit=True) as connection:
        connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name)))
    return load_settings(
        environment={"POSTROAD_DATABASE_PASSWORD": postgres_server.password},
        flags={"dataDir": str(tmp_path / "data"), "database.url": postgres_server.url(name)},
    )


def test_the_conventions_hold_on_postgres(on_postgres: Settings, tmp_path: Path) -> None:
    with running_service(tmp_path, settings=on_postgres) as service:
        assert service.client(Role.VIEWER).get(f"{service.api}/system/info").json()["database"] == "postgresql"
        assert service.outside.get("/health/ready").status_code == 200
        admin = service.client(Role.ADMIN)
        changed = admin.patch(service.workspace, json={"name": "Post"}, headers={"if-match": '"1"'})
        stale = admin.patch(service.workspace, json={"name": "Mail"}, headers={"if-match": '"1"'})
        assert (changed.status_code, stale.status_code) == (200, 412)


def test_a_watcher_of_one_instance_hears_what_another_commits(on_postgres: Settings, tmp_path: Path) -> None:
    other = composed(tmp_path, settings=on_postgres)
    with running_service(tmp_path, settings=on_postgres) as service, listening(other) as address:
        service.composition.start()
        other.start()
        try:
            with service.client(Role.VIEWER).stream("GET", "/events") as answer:
                lines = answer.iter_lines()
                assert next(line for line in lines if line.startswith(":")) == ": open"
                moved = f"{address}/api/v1/workspaces/{service.workspace_id}"
                renamed = service.client(Role.ADMIN).patch(moved, json={"name": "Post"}, headers={"if-match": '"1"'})
                assert renamed.status_code == 200, renamed.text
                event = json.loads(next(line for line in lines if line.startswith("data: "))[6:])
            assert event["aggregate"]["version"] == 2
        finally:
            service.composition.stop(5)
            other.stop(5)
            other.close()
