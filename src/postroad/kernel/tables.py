"""The one catalogue of tables, and the kinds of columns they are made of, the same on SQLite and PostgreSQL.

Ids are UUIDv7 texts, instants are UTC milliseconds, enumerations are readable texts. JSON is JSONB on PostgreSQL and
canonical text on SQLite: keys come back in another order than they went in, so whoever needs a digest takes it of
`canonical_json`. NUL characters are refused on both, because PostgreSQL cannot keep them.
"""

import json
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Dialect,
    Integer,
    MetaData,
    Table,
    Text,
    bindparam,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import DontWrapMixin
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.visitors import InternalTraversal
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


class TextList(TypeDecorator[Any]):
    """A list of texts as one value: text[] on PostgreSQL, JSON on SQLite. Only for parameters; see `among`."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(ARRAY(Text) if dialect.name == "postgresql" else Text())

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        return list(value) if dialect.name == "postgresql" else json.dumps(list(value))


class _Listed(ColumnElement[bool]):
    inherit_cache = True
    _traverse_internals = [  # noqa: RUF012  (kernel: SQLAlchemy declares it on the instance; until 2028-01-01)
        ("column", InternalTraversal.dp_clauseelement),
        ("values", InternalTraversal.dp_clauseelement),
    ]

    def __init__(self, column: ColumnElement[str], values: ColumnElement[Any]) -> None:
        self.column = column
        self.values = values
        self.type = Boolean()


@compiles(_Listed, "postgresql")
def _on_postgresql(element: _Listed, compiler: SQLCompiler, **options: Any) -> str:
    column, values = (compiler.process(part, **options) for part in (element.column, element.values))
    return f"{column} = ANY ({values})"


@compiles(_Listed, "sqlite")
def _on_sqlite(element: _Listed, compiler: SQLCompiler, **options: Any) -> str:
    column, values = (compiler.process(part, **options) for part in (element.column, element.values))
    return f"{column} IN (SELECT value FROM json_each({values}))"  # noqa: S608  (kernel: compiled parts; until 2028-01-01)


def among(column: ColumnElement[str], parameter: str) -> ColumnElement[bool]:
    """The column is one of the texts of a parameter. One statement for lists of any length, unlike IN."""
    return _Listed(column, bindparam(parameter, type_=TextList()))


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
