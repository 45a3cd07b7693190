"""Audiences from queries: where they may go, what they may cost, and asking them again."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.builders.databases import WORKSPACE
from tests.builders.postgres_server import PostgresServer
from tests.integration.audiences.desk import Desk, at, of

from postroad.kernel.authz import Principal
from postroad.modules import audiences
from postroad.modules.audiences import AudienceChange, ImportCause, ImportState, Layout, QuerySource, ReadingRules
from postroad.recipients import import_audience
from postroad.vocabulary.refusals import StateConflict


@pytest.fixture
def crm(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    folder = tmp_path / "open"
    folder.mkdir()
    connection = sqlite3.connect(folder / "crm.db", isolation_level=None)
    connection.execute("CREATE TABLE people (name TEXT, phone TEXT)")
    connection.execute("INSERT INTO people VALUES ('Bo', '1'), ('Li', '2')")
    yield connection
    connection.close()


@pytest.fixture
def office(sqlite_desk: Desk, tmp_path: Path) -> Desk:
    sqlite_desk.rules = ReadingRules(database_folders=(tmp_path / "open",))
    return sqlite_desk


def source(desk: Desk, query: str = "SELECT name, phone FROM people ORDER BY phone", **options: int) -> QuerySource:
    return QuerySource(f"sqlite:///{desk.folder}/open/crm.db", query, **options)


def test_a_query_becomes_an_audience(office: Desk, crm: sqlite3.Connection) -> None:
    audience = office.committed(office.read_through(office.asked(source(office), Layout(key=("phone",)))), "CRM")
    assert (audience.source, audience.layout.key) == (source(office), ("phone",))
    shown = office.showing.rows(office.sender, audience.id, 1)
    assert [row.fields for row in shown.rows] == [{"name": "Bo", "phone": "1"}, {"name": "Li", "phone": "2"}]


def test_a_refresh_reads_the_query_again_and_commits_by_itself(office: Desk, crm: sqlite3.Connection) -> None:
    audience = office.committed(office.read_through(office.asked(source(office))), "CRM")
    crm.execute("INSERT INTO people VALUES ('Ann', '3')")
    begun = office.write(lambda uow: audiences.refresh_audience(uow, WORKSPACE, audience.id, office.rules))
    state = office.read(lambda reading: audiences.refresh_state(reading, WORKSPACE, begun.id))
    assert (begun.cause, state.is_over) == (ImportCause.REFRESH, False)
    done = office.read_through(begun)
    assert done.state is ImportState.COMMITTED
    now = office.audience_now(audience.id)
    assert (now.snapshot_revision, now.record_count, now.version) == (2, 3, 2)
    state = office.read(lambda reading: audiences.refresh_state(reading, WORKSPACE, begun.id))
    assert (state.is_over, state.reason) == (True, "")
    kept = office.read(lambda reading: audiences.get_snapshot(reading, WORKSPACE, audience.id, 2))
    assert kept.cause is ImportCause.REFRESH


def test_a_refresh_that_finds_nobody_leaves_the_present_snapshot(office: Desk, crm: sqlite3.Connection) -> None:
    audience = office.committed(office.read_through(office.asked(source(office))), "CRM")
    crm.execute("DELETE FROM people")
    begun = office.write(lambda uow: audiences.refresh_audience(uow, WORKSPACE, audience.id, office.rules))
    assert office.read_through(begun).state is ImportState.FAILED
    assert office.audience_now(audience.id) == audience
    state = office.read(lambda reading: audiences.refresh_state(reading, WORKSPACE, begun.id))
    assert state.is_over
    assert state.reason.startswith("the audience could not be read again: AUDIENCE_INVALID")


def test_an_audience_that_was_changed_meanwhile_is_not_refreshed(office: Desk, crm: sqlite3.Connection) -> None:
    audience = office.committed(office.read_through(office.asked(source(office))), "CRM")
    begun = office.write(lambda uow: audiences.refresh_audience(uow, WORKSPACE, audience.id, office.rules))
    change = AudienceChange(query=source(office, "SELECT phone FROM people"))
    office.write(lambda uow: audiences.change_audience(uow, of(audience), change, office.rules))
    failed = office.read_through(begun)
    assert failed.reason is not None
    assert "was changed while it was read again" in failed.reason.message
    renamed = office.audience_now(audience.id)
    assert renamed.snapshot_revision == 1
    again = office.write(lambda uow: audiences.refresh_audience(uow, WORKSPACE, audience.id, office.rules))
    office.write(lambda uow: audiences.change_audience(uow, of(renamed), AudienceChange(name="Phones"), office.rules))
    assert office.read_through(again).state is ImportState.COMMITTED


def test_a_refresh_is_read_as_its_audience_says(office: Desk, crm: sqlite3.Connection) -> None:
    audience = office.committed(office.read_through(office.asked(source(office))), "CRM")
    begun = office.write(lambda uow: audiences.refresh_audience(uow, WORKSPACE, audience.id, office.rules))
    with pytest.raises(StateConflict, match="as its audience says"):
        office.changed(begun, source(office), Layout())
    office.write(lambda uow: audiences.discard_import(uow, at(begun), office.keeper))
    state = office.read(lambda reading: audiences.refresh_state(reading, WORKSPACE, begun.id))
    assert state.reason == "the audience could not be read again: the import was discarded"


def test_only_a_query_can_be_asked_again(sqlite_desk: Desk) -> None:
    audience = sqlite_desk.audience()
    with pytest.raises(StateConflict, match="only a QUERY can be asked again"):
        sqlite_desk.databases.database.write(
            Principal.system("scheduler"),
            lambda uow: audiences.refresh_audience(uow, WORKSPACE, audience.id, sqlite_desk.rules),
        )


def test_more_rows_than_allowed_are_refused(office: Desk, crm: sqlite3.Connection) -> None:
    failed = office.read_through(office.asked(source(office, max_rows=1)))
    assert failed.reason is not None
    assert "more than 1 rows" in failed.reason.message


def test_a_query_that_never_ends_is_ended(office: Desk, crm: sqlite3.Connection) -> None:
    office.rules = ReadingRules(database_folders=office.rules.database_folders, longest_s=0.5)
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    failed = office.read_through(office.asked(source(office, endless)), read=import_audience)
    assert failed.reason is not None
    assert "took longer than" in failed.reason.message


def test_a_folder_that_is_closed_later_closes_its_audiences(office: Desk, crm: sqlite3.Connection) -> None:
    begun = office.asked(source(office))
    office.rules = ReadingRules()
    failed = office.read_through(begun)
    assert failed.reason is not None
    assert failed.reason.code == "VALIDATION_FAILED"


def test_postgresql_is_asked_at_its_checked_address_with_a_secret(
    sqlite_desk: Desk, postgres_server: PostgresServer
) -> None:
    desk = sqlite_desk
    query = QuerySource(postgres_server.url(host="localhost"), "SELECT 'Bo' AS name, 7 AS age", "crm/password")
    refused = desk.read_through(desk.asked(query))
    assert refused.reason is not None
    assert refused.reason.code == "SECRET_MISSING"
    desk.around.secrets["crm/password"] = postgres_server.password
    refused = desk.read_through(desk.asked(query))
    assert refused.reason is not None
    assert refused.reason.code == "EGRESS_DENIED"
    desk.around.address = "127.0.0.1"
    audience = desk.committed(desk.read_through(desk.asked(query)), "From PostgreSQL")
    assert [row.fields for row in desk.showing.rows(desk.sender, audience.id, 1).rows] == [{"name": "Bo", "age": 7}]
    kept = b"".join(path.read_bytes() for path in desk.folder.glob("postroad.db*"))
    assert postgres_server.password.encode() not in kept
