"""Steps that are plain SQL: one file for each database, statements divided by a line of their own.

The statements of the first step are those that make the tables, triggers included, as `create_all` says them.
"""

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import ClauseElement, Connection, Dialect, MetaData, make_url
from sqlalchemy.engine.mock import MockConnection

from postroad.app.migrations.steps import VERSIONS
from postroad.foundation.whole_files import write_whole

DIALECTS = {"sqlite": "sqlite://", "postgresql": "postgresql+psycopg://"}
_DIVIDER = "\n-- then\n"


def run_sql(connection: Connection, step: str) -> None:
    """Runs `versions/<step>.<database>.sql`."""
    for statement in _path(step, connection.dialect.name).read_text(encoding="utf-8").split(_DIVIDER):
        connection.exec_driver_sql(statement.strip())


def write_sql(step: str, metadata: MetaData) -> None:
    for dialect in DIALECTS:
        text = _DIVIDER.join(made_by(metadata, dialect)) + "\n"
        write_whole(_path(step, dialect), text.encode())


def made_by(metadata: MetaData, dialect: str) -> Sequence[str]:
    """What `create_all` would run on an empty database."""
    hearer = _Hearer(make_url(DIALECTS[dialect]).get_dialect()())
    metadata.create_all(hearer, checkfirst=False)
    return hearer.said


class _Hearer(MockConnection):
    """Takes statements for a database and runs none."""

    def __init__(self, dialect: Dialect) -> None:
        super().__init__(dialect, self._hear)
        self.said: list[str] = []

    def exec_driver_sql(self, statement: str) -> None:
        self.said.append("\n".join(line.rstrip() for line in statement.strip().splitlines()))

    def _hear(self, statement: ClauseElement, *_: object, **__: object) -> None:
        self.exec_driver_sql(str(statement.compile(dialect=self.dialect)))


def _path(step: str, dialect: str) -> Path:
    return VERSIONS / f"{step}.{dialect}.sql"
