"""What PostgreSQL's errors mean for a transaction of ours. Source: PostgreSQL manual, appendix A."""

import psycopg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from postroad.vocabulary.errors import PostroadError, StorageFull
from postroad.vocabulary.refusals import DatabaseRefused, DatabaseUnavailable, Overloaded, ValidationFailed

_UNDONE_FOR_OTHERS = frozenset({"40001", "40P01"})
_LATE = frozenset({"57014", "55P03", "25P03", "25P04"})
"""query_canceled (statement_timeout), lock_not_available (lock_timeout), idle and transaction timeouts."""
_CUT_OFF = frozenset({"57P01", "57P02", "57P03", "25P03", "25P04"})
"""The server goes down, or comes up, or ended our session."""
_DISK_FULL = frozenset({"53100"})
_TOO_MANY = frozenset({"53000", "53200", "53300", "53400"})
_NOT_LET_IN = frozenset({"28000", "28P01", "3D000", "42501"})
_REFUSING_WORDS = ("authentication failed", "no password supplied", "does not exist", "no pg_hba.conf entry")
_TOO_OLD = frozenset({"42704"})
"""undefined_object: the server does not know transaction_timeout, which came with version 17."""
_READ_ONLY = frozenset({"25006"})


def is_retryable(error: BaseException) -> bool:
    return _state(error) in _UNDONE_FOR_OTHERS


def is_lost(error: BaseException) -> bool:
    """Whether the connection broke, or never came about."""
    if not isinstance(error, DBAPIError):
        return False
    state = _state(error)
    if state is not None:
        return state in _CUT_OFF or state.startswith("08")
    if _not_let_in(error):
        return False
    return error.connection_invalidated or isinstance(error.orig, psycopg.OperationalError | psycopg.InterfaceError)


def refusal(error: BaseException, where: str, *, writing: bool) -> PostroadError | None:
    if isinstance(error, PoolTimeout):
        return Overloaded("too many requests wait for the database; try again", retry_after_s=1.0)
    state = _state(error)
    if state in _LATE:
        said = "the database is busier than it can manage; nothing was changed, try again"
        return Overloaded(said, retry_after_s=1.0)
    if state in _DISK_FULL:
        return StorageFull(f"the disk of the database {where} is full; make room, nothing that was answered is lost")
    if state in _TOO_MANY:
        said = f"the database {where} takes no more connections or has no memory left; nothing was changed"
        return DatabaseUnavailable(said, retry_after_s=5.0)
    if state in _NOT_LET_IN or _not_let_in(error):
        said = f"the database {where} does not let us in; check user, password, name and rights"
        return DatabaseRefused(said, field="database.url")
    if state in _TOO_OLD and "transaction_timeout" in str(error):
        return DatabaseRefused(f"the database {where} is too old; PostgreSQL 17 or newer is needed, best 18")
    if state in _READ_ONLY and writing:
        said = f"the database {where} takes no writes (a standby, or read-only by its settings); nothing was changed"
        return DatabaseUnavailable(said, retry_after_s=5.0)
    if isinstance(error, DBAPIError) and isinstance(error.orig, psycopg.DataError) and "NUL" in str(error.orig):
        return ValidationFailed("a text holds a NUL character, which cannot be stored; take it out")
    return None


def _not_let_in(error: BaseException) -> bool:
    """Whether a server that answered refused us; libpq tells no code while it connects, only the server's words."""
    original = error.orig if isinstance(error, DBAPIError) else error
    return isinstance(original, psycopg.OperationalError) and any(words in str(original) for words in _REFUSING_WORDS)


def _state(error: BaseException) -> str | None:
    original = error.orig if isinstance(error, DBAPIError) else error
    return original.sqlstate if isinstance(original, psycopg.Error) else None
