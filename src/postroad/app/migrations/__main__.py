"""`python -m postroad.app.migrations "What changes"` writes the next step.

The first one is the whole of the tables as SQL; with `--first` it is written again, as long as nobody has run it. Each
later one is the difference between a database that was migrated and the tables, as Alembic operations: read it, and
complete what cannot be seen from tables (data, triggers), before it is committed.
"""

import re
import sys
import tempfile
from pathlib import Path

from postroad.app.migrations.catalogue import whole_catalogue
from postroad.app.migrations.sql_files import write_sql
from postroad.app.migrations.steps import FOLDER, VERSIONS, steps
from postroad.app.migrations.upgrading import migrate
from postroad.foundation.whole_files import write_whole

_FIRST = '''"""The tables as they were at first."""

from alembic import op

from postroad.app.migrations.sql_files import run_sql

revision = "0001"
down_revision = None


def upgrade() -> None:
    run_sql(op.get_bind(), "0001_first")
'''


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        sys.stderr.write('say what changes: python -m postroad.app.migrations "What changes"\n')
        return 2
    if arguments == ["--first"] or not steps():
        if len(steps()) > 1:
            sys.stderr.write("the first step was followed by others: it stays as it is\n")
            return 2
        write_sql("0001_first", whole_catalogue())
        write_whole(VERSIONS / "0001_first.py", _FIRST.encode())
        return 0
    _write_next(arguments[0])
    return 0


def _write_next(message: str) -> None:
    from alembic import command
    from alembic.config import Config

    from postroad.drivers.sqlite import SqliteDialect

    number = f"{int(steps()[-1]) + 1:04}"
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.set_main_option("file_template", f"{number}_{re.sub(r'[^a-z0-9]+', '_', message.lower()).strip('_')}")
    with tempfile.TemporaryDirectory() as folder:
        dialect = SqliteDialect(Path(folder) / "migrated.db")
        migrate(dialect)
        with dialect.migrating(10.0) as connection:
            config.attributes["connection"] = connection
            command.revision(config, message, autogenerate=True, rev_id=number)
        dialect.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
