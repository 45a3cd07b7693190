"""What was read becomes an audience or its next snapshot, once, under the version that was seen."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.builders.databases import WORKSPACE
from tests.integration.audiences.desk import Desk, at, of

from postroad.kernel.pages import PageRequest
from postroad.modules import audiences
from postroad.modules.audiences import (
    Audience,
    AudienceChange,
    AudienceFilter,
    AudienceStatus,
    ImportState,
    LayoutChange,
    Referrer,
    SnapshotRecord,
    SnapshotState,
)
from postroad.vocabulary.refusals import PreconditionRequired, StateConflict, ValidationFailed, VersionConflict

DAY = 24 * 3600


def snapshots(desk: Desk, audience: Audience) -> list[SnapshotRecord]:
    """The newest first."""
    found = desk.read(lambda reading: audiences.list_snapshots(reading, WORKSPACE, audience.id, PageRequest()))
    return list(found.items)


def test_a_commit_makes_an_audience_with_its_first_snapshot(desk: Desk) -> None:
    parsed = desk.read_through(desk.made_up(3))
    audience = desk.committed(parsed, "  All   customers ")
    assert (audience.name, audience.snapshot_revision, audience.record_count) == ("All customers", 1, 3)
    done = desk.import_now(parsed.id)
    assert (done.state, done.audience_id, done.snapshot_id) == (
        ImportState.COMMITTED,
        audience.id,
        audience.snapshot_id,
    )
    [snapshot] = snapshots(desk, audience)
    assert (snapshot.record_count, snapshot.columns, snapshot.state) == (3, ("number", "name"), SnapshotState.READY)
    assert desk.is_kept(snapshot.artifact_id)
    shown = desk.showing.rows(desk.sender, audience.id, 1, first=1, limit=1)
    assert (shown.total, [(row.sequence, row.fields["name"]) for row in shown.rows]) == (3, [(1, "Recipient 2")])


def test_an_import_into_an_audience_makes_its_next_snapshot(desk: Desk) -> None:
    audience = desk.audience()
    parsed = desk.read_through(desk.made_up(5, audience.id))
    grown = desk.committed(parsed, audience_version=1)
    assert (grown.version, grown.snapshot_revision, grown.record_count) == (2, 2, 5)
    assert [(one.revision, one.record_count) for one in snapshots(desk, audience)] == [(2, 5), (1, 3)]


def test_an_audience_that_was_changed_since_is_not_committed_to(desk: Desk) -> None:
    audience = desk.audience()
    parsed = desk.read_through(desk.made_up(5, audience.id))
    with pytest.raises(PreconditionRequired):
        desk.committed(parsed)
    desk.write(lambda uow: audiences.change_audience(uow, of(audience), AudienceChange(name="Clients"), desk.rules))
    with pytest.raises(VersionConflict) as stale:
        desk.committed(parsed, audience_version=1)
    assert stale.value.head["version"] == 2
    assert desk.import_now(parsed.id).state is ImportState.PARSED
    assert desk.committed(parsed, audience_version=2).snapshot_revision == 2


def test_two_who_commit_at_once_make_one_snapshot(desk: Desk) -> None:
    audience = desk.audience()
    imports = [desk.read_through(desk.made_up(count, audience.id)) for count in (4, 5)]

    def commit(number: int) -> str:
        try:
            desk.committed(imports[number], audience_version=1)
        except VersionConflict:
            return "stale"
        return "committed"

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(commit, range(2))) == ["committed", "stale"]
    assert len(snapshots(desk, audience)) == 2


def test_only_what_was_read_can_be_committed_and_only_once(desk: Desk) -> None:
    begun = desk.made_up(3)
    with pytest.raises(StateConflict, match="only a PARSED import"):
        desk.committed(begun, "Early")
    parsed = desk.read_through(begun)
    with pytest.raises(ValidationFailed, match="name the new audience"):
        desk.committed(parsed)
    desk.committed(parsed, "Once")
    with pytest.raises(VersionConflict):
        desk.committed(parsed, audience_version=1)
    with pytest.raises(StateConflict):
        desk.committed(desk.import_now(parsed.id), audience_version=1)


def test_no_two_audiences_in_use_have_the_same_name(desk: Desk) -> None:
    first = desk.audience("Ｃustomers")
    with pytest.raises(ValidationFailed) as taken:
        desk.audience("customers")
    assert taken.value.problems[0].code == "NAME_TAKEN"
    desk.write(lambda uow: audiences.archive_audience(uow, of(first), desk.uses))
    assert desk.audience("customers").name == "customers"


def test_an_audience_that_a_job_sends_to_is_neither_archived_nor_erased(desk: Desk) -> None:
    audience = desk.audience()
    desk.uses.jobs = [Referrer("job", "j1", "Welcome")]
    for refuse in (
        lambda: desk.write(lambda uow: audiences.archive_audience(uow, of(audience), desk.uses)),
        lambda: desk.write(lambda uow: audiences.erase_audience(uow, of(audience), desk.uses, desk.keeper)),
    ):
        with pytest.raises(StateConflict, match="still used by the job 'Welcome'"):
            refuse()


def test_an_archived_audience_takes_no_more_recipients(desk: Desk) -> None:
    audience = desk.audience()
    parsed = desk.read_through(desk.made_up(5, audience.id))
    archived = desk.write(lambda uow: audiences.archive_audience(uow, of(audience), desk.uses))
    assert archived.status is AudienceStatus.ARCHIVED
    with pytest.raises(StateConflict, match="archived"):
        desk.committed(parsed, audience_version=2)
    with pytest.raises(StateConflict, match="archived"):
        desk.made_up(5, audience.id)


def test_erasing_takes_all_snapshots_and_imports_with_it(desk: Desk) -> None:
    audience = desk.audience()
    desk.committed(desk.read_through(desk.made_up(5, audience.id)), audience_version=1)
    kept = snapshots(desk, audience)
    now = desk.audience_now(audience.id)
    desk.uses.needed = {kept[1].id}
    with pytest.raises(StateConflict, match="runs still need 1 snapshot"):
        desk.write(lambda uow: audiences.erase_audience(uow, of(now), desk.uses, desk.keeper))
    desk.uses.needed = set()
    desk.write(lambda uow: audiences.erase_audience(uow, of(now), desk.uses, desk.keeper))
    assert [desk.is_kept(snapshot.artifact_id) for snapshot in kept] == [False, False]
    everything = AudienceFilter(status="ARCHIVED")
    found = desk.read(lambda reading: audiences.list_audiences(reading, WORKSPACE, PageRequest(), everything))
    assert found.items == ()


def test_a_replaced_snapshot_goes_thirty_days_after_its_last_use(desk: Desk) -> None:
    audience = desk.audience()
    desk.committed(desk.read_through(desk.made_up(5, audience.id)), audience_version=1)
    second, first = snapshots(desk, audience)
    clock, upkeep = desk.databases.clock, desk.upkeep()
    desk.uses.needed = {first.id}
    upkeep.tick()
    clock.advance(s=40 * DAY)
    upkeep.tick()
    assert desk.is_kept(first.artifact_id)
    desk.uses.needed = set()
    upkeep.tick()
    clock.advance(s=30 * DAY - 1)
    upkeep.tick()
    assert desk.is_kept(first.artifact_id)
    clock.advance(s=1)
    upkeep.tick()
    assert not desk.is_kept(first.artifact_id)
    assert desk.is_kept(second.artifact_id)
    assert [one.state for one in snapshots(desk, audience)] == [SnapshotState.READY, SnapshotState.EXPIRED]
    with pytest.raises(StateConflict, match="are deleted"):
        desk.showing.rows(desk.sender, audience.id, 1)


def test_a_snapshot_that_is_needed_again_in_time_stays(desk: Desk) -> None:
    audience = desk.audience()
    desk.committed(desk.read_through(desk.made_up(5, audience.id)), audience_version=1)
    first, clock, upkeep = snapshots(desk, audience)[1], desk.databases.clock, desk.upkeep()
    upkeep.tick()
    clock.advance(s=29 * DAY)
    desk.uses.needed = {first.id}
    upkeep.tick()
    desk.uses.needed = set()
    clock.advance(s=29 * DAY)
    upkeep.tick()
    upkeep.tick()
    assert desk.is_kept(first.artifact_id)


def test_lists_are_filtered_counted_and_paged(desk: Desk) -> None:
    for number in range(3):
        desk.databases.clock.advance(s=1)
        desk.audience(f"Group {number}", 1)
    wanted = AudienceFilter(name="GROUP", source_type="SYNTHETIC")
    first = desk.read(lambda reading: audiences.list_audiences(reading, WORKSPACE, PageRequest(2), wanted))
    assert [one.name for one in first.items] == ["Group 2", "Group 1"]
    rest = desk.read(
        lambda reading: audiences.list_audiences(reading, WORKSPACE, PageRequest(2, first.next_cursor), wanted)
    )
    assert [one.name for one in rest.items] == ["Group 0"]
    assert desk.read(lambda r: audiences.count_audiences(r, WORKSPACE, wanted)) == {"ACTIVE": 3, "ARCHIVED": 0}
    none = AudienceFilter(source_type="FILE")
    assert desk.read(lambda r: audiences.list_audiences(r, WORKSPACE, PageRequest(), none)).items == ()


def test_the_layout_of_an_audience_can_be_changed_and_its_query_only_where_it_has_one(desk: Desk) -> None:
    audience = desk.audience()
    change = AudienceChange(layout=LayoutChange(key=("number",)))
    changed = desk.write(lambda uow: audiences.change_audience(uow, of(audience), change, desk.rules))
    assert (changed.layout.key, changed.version) == (("number",), 2)
    query = AudienceChange(query=audiences.QuerySource("postgresql://db/x", "SELECT 1"))
    with pytest.raises(StateConflict, match="has no query"):
        desk.write(lambda uow: audiences.change_audience(uow, of(changed), query, desk.rules))


def test_every_change_is_told_and_audited(desk: Desk) -> None:
    parsed = desk.read_through(desk.made_up(3))
    desk.committed(parsed, "Customers")
    told = [
        (entry.action, entry.actor) for entry in desk.databases.audit.entries if entry.action.startswith("audience")
    ]
    assert told == [
        ("audience_import.begun", "user:user-1"),
        ("audience_import.read", "system:audience-reader"),
        ("audience.created", "user:user-1"),
        ("audience.committed", "user:user-1"),
        ("audience_import.committed", "user:user-1"),
    ]
    assert at(parsed).import_id == parsed.id
