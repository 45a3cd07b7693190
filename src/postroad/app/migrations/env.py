"""What Alembic runs: the steps on the connection it is given, in the transaction that is open there."""

from alembic import context

from postroad.app.migrations.catalogue import whole_catalogue

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=whole_catalogue(),
    transactional_ddl=True,
    transaction_per_migration=False,
    render_as_batch=True,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
