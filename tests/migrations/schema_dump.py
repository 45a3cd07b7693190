"""Everything a database knows about its tables, as texts to compare: not how it was said, but what holds."""

import re

from sqlalchemy import Connection, text

_SQLITE = (
    """SELECT 'column ' || t.name || '.' || c.name, c.type || ' ' || c."notnull" || ' ' || c.pk || ' '
    || coalesce(c.dflt_value, '') FROM sqlite_master t, pragma_table_xinfo(t.name) c WHERE t.type = 'table'
    AND t.name NOT LIKE 'sqlite_%'""",
    """SELECT 'index ' || t.name || ' ' || i.origin || ' ' || coalesce(s.sql, (SELECT group_concat(name)
    FROM pragma_index_info(i.name))), i."unique" || ' ' || i.partial FROM sqlite_master t, pragma_index_list(t.name) i
    LEFT JOIN sqlite_master s ON s.name = i.name WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'""",
    """SELECT 'reference ' || t.name || '.' || f."from", f."table" || ' ' || coalesce(f."to", '') || ' '
    || f.on_delete || ' ' || f.on_update FROM sqlite_master t, pragma_foreign_key_list(t.name) f
    WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'""",
    "SELECT 'trigger ' || name, sql FROM sqlite_master WHERE type = 'trigger'",
)
_SQLITE_CHECKS = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql LIKE '%CHECK%'"
_CHECK = re.compile(r"CONSTRAINT (\S+) CHECK (\(.*\))")
_POSTGRESQL = (
    """SELECT 'column ' || table_name || '.' || column_name,
    concat_ws(' ', data_type, is_nullable, column_default, is_identity) FROM information_schema.columns
    WHERE table_schema = current_schema()""",
    """SELECT 'constraint ' || conrelid::regclass || '.' || conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = current_schema()::regnamespace""",
    "SELECT 'index ' || indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()",
    """SELECT 'trigger ' || t.tgname, pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE c.relnamespace = current_schema()::regnamespace AND NOT t.tgisinternal""",
    "SELECT 'function ' || proname, prosrc FROM pg_proc WHERE pronamespace = current_schema()::regnamespace",
    "SELECT 'sequence ' || sequencename, data_type::text FROM pg_sequences WHERE schemaname = current_schema()",
)


def schema_dump(connection: Connection) -> dict[str, str]:
    """Name → definition, without the table of steps and without the tables of tests."""
    is_sqlite = connection.dialect.name == "sqlite"
    found = [
        row for statement in (_SQLITE if is_sqlite else _POSTGRESQL) for row in connection.exec_driver_sql(statement)
    ]
    if is_sqlite:
        for table, said in connection.exec_driver_sql(_SQLITE_CHECKS):
            found += [(f"check {table}.{name}", check) for name, check in _CHECK.findall(said)]
    schema = "" if is_sqlite else connection.scalar(text("SELECT current_schema()"))
    return {
        " ".join(name.split()): " ".join((definition or "").replace(f"{schema}.", "").split())
        for name, definition in found
        if "alembic_version" not in name and " test_" not in name
    }
