"""The how-to pages of the service: their settings can be read, and the first start on PostgreSQL goes as it says."""

import itertools
import signal
from pathlib import Path

import psycopg
import pytest
from tests.builders.pages import DOCS, named_files
from tests.builders.postgres_server import PostgresServer
from tests.builders.served import refused, served

from postroad.foundation.service_settings import load_settings

_NUMBERS = itertools.count(1)


@pytest.mark.parametrize("page", ["behind-a-proxy", "service-on-postgresql"])
def test_the_settings_of_a_page_can_be_read(tmp_path: Path, page: str) -> None:
    password = tmp_path / "database-password"
    password.write_text("x")
    password.chmod(0o600)
    shown = named_files(DOCS / "howto" / f"{page}.md")["postroad.yaml"]
    file = tmp_path / "postroad.yaml"
    file.write_text(shown.replace("/etc/postroad/database-password", str(password)))
    settings = load_settings(file)
    assert settings.is_standalone == (page == "behind-a-proxy")


def test_the_first_start_on_postgresql_makes_the_key_ring_and_the_next_one_needs_no_word(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    name = f"howto_{next(_NUMBERS)}"
    with psycopg.connect(postgres_server.url(), password=postgres_server.password, autocommit=True) as connection:
        connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name)))
    data = tmp_path / "data"
    server = {
        "POSTROAD_DATABASE_URL": postgres_server.url(name),
        "POSTROAD_DATABASE_PASSWORD": postgres_server.password,
    }
    without = refused(data, more=server)
    assert without.returncode == 1
    assert "there is no key ring" in without.stderr
    with served(data, more={**server, "POSTROAD_MODE": "standalone"}) as first:
        assert first.setup_link
        assert first.stop(signal.SIGTERM) == 0
    with served(data, more=server) as second:
        assert second.get("/health/ready").status_code == 200
