"""The one catalogue of tables, and the kinds of columns they are made of, the same on SQLite and PostgreSQL.

Ids are UUIDv7 texts, instants are UTC milliseconds, enumerations are readable texts. JSON is JSONB on PostgreSQL and
canonical text on SQLite: keys come back in another order than they went in, so whoever needs a digest takes it of
`canonical_json`. NUL characters are refused on both, because PostgreSQL cannot keep them.
"""

import json
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Dialect, Integer, MetaData, Table, Text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import DontWrapMixin
from sqlalchemy.types import TypeDecorator, TypeEngine

from postroad.vocabulary.refusals import ValidationFailed

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def canonical_json(value: object) -> str:
    """The one way to write a value: sorted keys, no spaces, no NaN. Raises ValueError for what JSON cannot say."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


class _Unstorable(ValidationFailed, DontWrapMixin):
    """Comes out of a statement as it is."""


class Json(TypeDecorator[Any]):
    """JSONB on PostgreSQL, canonical text on SQLite; None is NULL on both."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "postgresql":
            return dialect.type_descriptor(JSONB(none_as_null=True))
        return dialect.type_descriptor(Text())

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        if value is None:
            return None
        try:
            text = canonical_json(value)
            text.encode()
        except (ValueError, TypeError) as error:
            raise _Unstorable("a value cannot be stored: it is no JSON, or holds half of a character") from error
        if "\\u0000" in text:
            raise _Unstorable("a text holds a NUL character, which cannot be stored; take it out")
        return json.loads(text) if dialect.name == "postgresql" else text

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        return json.loads(value) if isinstance(value, str) and dialect.name != "postgresql" else value


def id_column() -> Column[str]:
    return Column("id", Text, primary_key=True)


def workspace_column() -> Column[str]:
    return Column("workspace_id", Text, nullable=False)


def version_column() -> Column[int]:
    return Column("version", Integer, nullable=False)


def millis(name: str, *, nullable: bool = False) -> Column[int]:
    """An instant (UTC, since 1970) or a duration, in milliseconds."""
    return Column(name, BigInteger, nullable=nullable)


def json_column(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, Json, nullable=nullable)


def flag(name: str) -> Column[bool]:
    return Column(name, Boolean, nullable=False)


def insert_for(dialect_name: str, table: Table) -> postgresql.Insert | sqlite.Insert:
    """An INSERT that can say ON CONFLICT, in the words of the database."""
    return postgresql.insert(table) if dialect_name == "postgresql" else sqlite.insert(table)
