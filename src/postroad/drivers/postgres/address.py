"""The address of a PostgreSQL server, and how every connection to it is made."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

import psycopg

from postroad.vocabulary.secret import Secret

_KEEPALIVE = {
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    url: str
    """`postgresql://USER@HOST:PORT/DATABASE?sslmode=…`; a password in it is understood too."""
    password: Secret | None = None
    schema: str | None = None
    """The only schema that is looked at; None for that of the user."""

    @property
    def shown(self) -> str:
        """Host and database, for messages."""
        parts = urlsplit(self.url)
        return f"{parts.hostname}:{parts.port or 5432}{parts.path}"

    def keywords(self, purpose: str) -> dict[str, str]:
        """What libpq wants to hear. `purpose` is shown in pg_stat_activity."""
        parts = urlsplit(self.url)
        options = "-c timezone=UTC" + (f" -c search_path={self.schema}" if self.schema else "")
        given: Mapping[str, str | int | None] = {
            "host": parts.hostname,
            "port": parts.port,
            "dbname": unquote(parts.path.removeprefix("/")),
            "user": unquote(parts.username) if parts.username else None,
            "password": self._password(unquote(parts.password) if parts.password else None),
        }
        known = {name: str(value) for name, value in given.items() if value is not None}
        fixed = {"connect_timeout": "5", "application_name": f"postroad {purpose}", "options": options}
        return {**fixed, **_KEEPALIVE, **known, **dict(parse_qsl(parts.query))}

    def connect(self, purpose: str) -> psycopg.Connection:
        """A connection of its own, in autocommit. Raises psycopg.Error."""
        return psycopg.connect(psycopg.conninfo.make_conninfo(**self.keywords(purpose)), autocommit=True)

    def _password(self, inside: str | None) -> str | None:
        return self.password.reveal() if self.password is not None else inside
