"""Brings a database to where the program is, or says why not."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from postroad.app.migrations.steps import FOLDER, steps
from postroad.kernel import outbox
from postroad.vocabulary.errors import PostroadError
from postroad.vocabulary.refusals import DatabaseRefused, DatabaseUnavailable, Overloaded

VERSION_TABLE = "alembic_version"
_PATIENCE_S = 60.0


class MigratingDialect(Protocol):
    """A driver, as far as this needs it."""

    @property
    def name(self) -> str: ...

    @property
    def errors(self) -> tuple[type[Exception], ...]: ...

    def migrating(self, timeout_s: float, /) -> AbstractContextManager[Connection]: ...

    def is_lost(self, error: BaseException, /) -> bool: ...

    def is_retryable(self, error: BaseException, /) -> bool: ...

    def refusal(self, error: BaseException, /, *, writing: bool) -> PostroadError | None: ...


@dataclass(frozen=True, slots=True)
class Migrated:
    before: str | None
    """The step the database was at; None for a new one."""
    after: str


def head() -> str:
    """The last step this program knows."""
    return steps()[-1]


def schema_of(connection: Connection) -> str | None:
    """The step the database is at; None for a new one."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    found: str | None = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar_one_or_none()  # noqa: S608  (app: a constant; until 2028-01-01)
    return found


def migrate(dialect: MigratingDialect, upgrade: Callable[[Connection], None] | None = None) -> Migrated:
    """Runs the steps that are missing, all or none; instances that start at once wait for each other.

    Raises DatabaseRefused for a database of a newer program or of strangers, and where a step fails: the database is
    then as it was. Raises StorageFull, StorageFailed, DatabaseUnavailable, Overloaded as any write does. A crash leaves
    the database as it was.
    """
    errors: tuple[type[Exception], ...] = (SQLAlchemyError, *dialect.errors)
    try:
        with dialect.migrating(_PATIENCE_S) as connection:
            before = _admitted(connection)
            if before != head():
                (upgrade or _upgrade)(connection)
            if dialect.name == "postgresql":
                outbox.adopt_restored(connection)
            connection.commit()
    except errors as error:
        raise _in_our_words(dialect, error) from error
    return Migrated(before, head())


def _admitted(connection: Connection) -> str | None:
    """The step the database is at. Raises DatabaseRefused where it is none of ours, or of a newer program."""
    found = schema_of(connection)
    if found is None:
        strangers = inspect(connection).get_table_names()
        if strangers:
            raise DatabaseRefused(
                f"the database holds {len(strangers)} tables that Postroad did not make ({sorted(strangers)[0]} …); "
                "give Postroad a database, or a schema, of its own",
                field="database.url",
            )
    elif found not in steps():
        raise DatabaseRefused(
            f"the database was made by a newer Postroad (its schema is {found}, this one knows up to {head()}); start "
            "that version, or restore a backup from before it",
            field="database.url",
        )
    return found


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _in_our_words(dialect: MigratingDialect, error: Exception) -> PostroadError:
    refusal = dialect.refusal(error, writing=True)
    if refusal is not None:
        return refusal
    if dialect.is_lost(error):
        return DatabaseUnavailable("the database cannot be reached; nothing was changed, try again", retry_after_s=5.0)
    if dialect.is_retryable(error):
        return Overloaded("the database is in use by something else; nothing was changed, try again", retry_after_s=5.0)
    return DatabaseRefused(
        f"a step of the migration failed and the database is as it was: {str(error).splitlines()[0]}; please report "
        "it, and go on with the version that ran before",
        field="database.url",
    )
