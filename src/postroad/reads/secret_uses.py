"""What names a secret of a workspace: accounts, messages, queries of audiences, runs that have not ended.

An account that has a secret of its own under the plain name does not use the one of the namespace `default`. A query of
an audience says the reference of its password as a plain text.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import Column, ColumnElement, Select, and_, literal, select

from postroad.kernel.uow import Reading
from postroad.modules.accounts._tables import accounts
from postroad.modules.audiences._tables import audiences
from postroad.modules.messages._tables import message_revisions, messages
from postroad.modules.runs._tables import run_snapshots, runs
from postroad.modules.secrets._tables import secret_records
from postroad.spi.secret_references import DEFAULT_NAMESPACE, MARK, account_namespace, references_in
from postroad.vocabulary.transitions import RUN_FINAL

_ENOUGH = 10
_NOBODY = literal("").label("account_id")


@dataclass(frozen=True, slots=True)
class SecretUse:
    kind: str
    """`account`, `message`, `audience` or `run`."""
    id: str
    name: str


def uses_of_secret(reading: Reading, workspace_id: str, namespace: str, name: str) -> tuple[SecretUse, ...]:
    """The first few. Reads the configurations of the workspace that hold the name at all."""
    texts = {name, f"{namespace}/{name}"} if namespace == DEFAULT_NAMESPACE else {f"{namespace}/{name}"}
    owners = _accounts_with_own(reading, workspace_id, name)
    found: list[SecretUse] = []
    for use, account_id, config in _configurations(reading, workspace_id, name):
        named = {text for text in references_in(config) if text in texts}
        if account_id in owners:
            named.discard(name)
        if named:
            found.append(use)
        if len(found) == _ENOUGH:
            break
    return tuple(found)


def _accounts_with_own(reading: Reading, workspace_id: str, name: str) -> frozenset[str]:
    """The accounts that have a secret of this name for themselves."""
    table = secret_records.c
    prefix = account_namespace("")
    statement = select(table.namespace).where(
        table.workspace_id == workspace_id, table.name == name, table.namespace.startswith(prefix, autoescape=True)
    )
    return frozenset(text.removeprefix(prefix) for text in reading.connection.execute(statement).scalars())


def _configurations(
    reading: Reading, workspace_id: str, name: str
) -> Iterator[tuple[SecretUse, str, Mapping[str, object]]]:
    """What might use it, with the account whose own secrets come first, and its configuration."""
    for kind, statement in _statements(workspace_id, name):
        for row in reading.connection.execute(statement):
            config = json.loads(row.config) if isinstance(row.config, str) else row.config
            if kind == "audience":
                config = {MARK: config.get("password")}
            yield SecretUse(kind, row.id, row.name), row.account_id, config


def _statements(workspace_id: str, name: str) -> tuple[tuple[str, Select[tuple[str, str, str, object]]], ...]:
    account, message, revision, audience = accounts.c, messages.c, message_revisions.c, audiences.c
    run, snapshot = runs.c, run_snapshots.c
    current = and_(revision.message_id == message.id, revision.revision == message.current_revision)
    return (
        (
            "account",
            select(account.id, account.name, account.id.label("account_id"), account.config).where(
                account.workspace_id == workspace_id, account.status != "ARCHIVED", _holds(account.config, name)
            ),
        ),
        (
            "message",
            select(message.id, message.name, _NOBODY, revision.content.label("config"))
            .join_from(messages, message_revisions, current)
            .where(message.workspace_id == workspace_id, message.status != "ARCHIVED", _holds(revision.content, name)),
        ),
        (
            "audience",
            select(audience.id, audience.name, _NOBODY, audience.source.label("config")).where(
                audience.workspace_id == workspace_id, audience.status != "ARCHIVED", audience.source_type == "QUERY"
            ),
        ),
        (
            "run",
            select(run.id, run.job_name.label("name"), run.account_id, snapshot.document.label("config"))
            .join_from(runs, run_snapshots, snapshot.run_id == run.id)
            .where(
                run.workspace_id == workspace_id, run.state.not_in(sorted(RUN_FINAL)), _holds(snapshot.document, name)
            ),
        ),
    )


def _holds(column: Column[str], name: str) -> ColumnElement[bool]:
    """Leaves most rows out; whether it is a reference is looked at afterwards."""
    return column.contains(name, autoescape=True)
