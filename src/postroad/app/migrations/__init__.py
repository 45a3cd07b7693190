"""The tables in the database follow the program, step by step, and never run ahead of it.

Each step is a file in `versions`, named by its number. At a start the steps that are missing are run in one
transaction, by one instance while the others wait: they are all there afterwards, or none is. A database that has steps
this program does not know is refused, for it was made by a newer one. The first step is SQL as the tables were on that
day; later ones are Alembic operations. A database that is made by migrating equals one that is made from the tables: a
test compares them, on both databases.

`python -m postroad.app.migrations "What changes"` writes the next step from the difference to the tables.
"""

from postroad.app.migrations.upgrading import Migrated, MigratingDialect, head, migrate, schema_of

__all__ = ["Migrated", "MigratingDialect", "head", "migrate", "schema_of"]
