"""The tables as they were at first."""

from alembic import op

from postroad.app.migrations.sql_files import run_sql

revision = "0001"
down_revision = None


def upgrade() -> None:
    run_sql(op.get_bind(), "0001_first")
