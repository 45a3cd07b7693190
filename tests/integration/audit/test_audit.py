"""The audit: written with the change, read by those who may, and never changed."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from tests.builders.people import SYSTEM, House

from postroad.kernel.authz import ANONYMOUS, Action, Resource
from postroad.kernel.limits import MemoryLimiter
from postroad.kernel.pages import PageRequest
from postroad.modules import audit
from postroad.modules.audit import AuditFilter, AuditResult, Denials
from postroad.vocabulary.refusals import AccessDenied, RateLimited, ResourceNotFound, ValidationFailed
from postroad.vocabulary.roles import Role
from postroad.vocabulary.secret import Secret

DAY_MS = 86_400_000


def _note(house: House, action: str, *, workspace_id: str = "", result: str = "OK", **details: object) -> None:
    resource = Resource(workspace_id or house.workspace_id, "thing", "thing-1")
    house.database.write(
        SYSTEM,
        lambda uow: uow.audit(action, resource, result=result, details=details),
        correlation_id="trace-1",
        source_address="10.0.0.7",
    )


def _sql(house: House, statement: str) -> None:
    with house.database._dialect.writing(5) as opened:
        opened.connection.execute(text(statement))
        opened.connection.commit()


def test_a_row_says_who_did_what_to_what_from_where(house: House) -> None:
    _note(house, "thing.change", name="North")
    row = house.audited(action="thing.change")[0]
    assert (row.actor_kind, row.actor_id, row.actor_name) == ("system", "tests", "tests")
    assert (row.resource_type, row.resource_id, row.workspace_id) == ("thing", "thing-1", house.workspace_id)
    assert (row.result, row.trace_id, row.source_address) == (AuditResult.OK, "trace-1", "10.0.0.7")
    assert (row.details, row.occurred_at_ms) == ({"name": "North"}, house.clock.now_ms())


def test_a_change_that_was_rolled_back_leaves_no_row(house: House) -> None:
    def work(uow: object) -> None:
        uow.audit("thing.change", Resource("", "thing"))  # type: ignore[attr-defined]
        raise ValueError

    with pytest.raises(ValueError):
        house.database.write(SYSTEM, work)
    assert house.audited(action="thing.change") == []


def test_a_secret_cannot_be_written_down(house: House) -> None:
    with pytest.raises(ValidationFailed):
        _note(house, "thing.change", password=Secret("x"))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_events SET result = 'OK'",
        "UPDATE audit_events SET occurred_at_ms = 0",
        "DELETE FROM audit_events",
        "DELETE FROM audit_events WHERE action = 'thing.change'",
    ],
)
def test_the_database_itself_refuses_to_change_the_audit(house: House, statement: str) -> None:
    _note(house, "thing.change")
    before = house.audited()
    with pytest.raises(DBAPIError, match="append-only"):
        _sql(house, statement)
    assert house.audited() == before


def test_postgresql_does_not_empty_it_either(house: House) -> None:
    if house.database.dialect_name == "postgresql":
        with pytest.raises(DBAPIError, match="append-only"):
            _sql(house, "TRUNCATE audit_events")


def test_retention_removes_the_old_end_and_says_so(house: House) -> None:
    _note(house, "thing.old")
    house.clock.advance(ms=40 * DAY_MS)
    _note(house, "thing.new")
    keep_from_ms = house.clock.now_ms() - 35 * DAY_MS
    removed = house.database.write(SYSTEM, lambda uow: audit.forget_before(uow, keep_from_ms))
    assert removed > 0
    assert [row.action for row in house.audited()] == ["thing.new", "audit.retention"]
    assert house.audited()[-1].details == {"removed": removed, "keptFromMs": keep_from_ms}


def test_nothing_younger_than_a_month_is_removed_and_the_horizon_moves_forward_only(house: House) -> None:
    _note(house, "thing.change")
    house.clock.advance(ms=10 * DAY_MS)
    with pytest.raises(ValidationFailed):
        house.database.write(SYSTEM, lambda uow: audit.forget_before(uow, uow.now_ms - 30 * DAY_MS))
    house.database.write(SYSTEM, lambda uow: audit.forget_before(uow, uow.now_ms - 31 * DAY_MS))
    house.database.write(SYSTEM, lambda uow: audit.forget_before(uow, uow.now_ms - 50 * DAY_MS))
    with pytest.raises(DBAPIError, match="forward"):
        _sql(house, "UPDATE audit_horizon SET keep_from_ms = 0")
    with pytest.raises(DBAPIError, match="audit"):
        _sql(house, "DELETE FROM audit_horizon")
    with pytest.raises(AccessDenied):
        house.database.write(house.administrator(), lambda uow: audit.forget_before(uow, 0))


def test_an_administrator_reads_the_own_workspace_and_nobody_elses(house: House) -> None:
    other = house.other_workspace()
    _note(house, "thing.mine")
    _note(house, "thing.theirs", workspace_id=other)
    anna = house.member("anna", Role.ADMIN)

    def seen(workspace_id: str | None) -> list[str]:
        page = house.database.read(
            anna, lambda reading: audit.list_audit_events(reading, workspace_id, PageRequest(), AuditFilter())
        )
        return [row.action for row in page.items]

    assert "thing.mine" in seen(house.workspace_id)
    assert "thing.theirs" not in seen(house.workspace_id)
    with pytest.raises(ResourceNotFound):
        seen(other)
    with pytest.raises(AccessDenied):
        seen(None)


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_others_do_not_read_the_audit(house: House, role: Role) -> None:
    anna = house.member("anna", role)
    with pytest.raises(AccessDenied):
        house.database.read(
            anna,
            lambda reading: audit.list_audit_events(reading, house.workspace_id, PageRequest(), AuditFilter()),
        )


def test_every_filter_narrows_the_list(house: House) -> None:
    _note(house, "thing.create")
    house.clock.advance(s=10)
    middle = house.clock.now_ms()
    _note(house, "thing.change", result="FAILED")
    _note(house, "things.change")
    house.clock.advance(s=10)

    def found(**wanted: object) -> list[str]:
        page = house.database.read(
            SYSTEM,
            lambda reading: audit.list_audit_events(
                reading,
                house.workspace_id,
                PageRequest(),
                AuditFilter(**wanted),  # type: ignore[arg-type]
            ),
        )
        return [row.action for row in reversed(page.items)]

    assert found(action="thing.*") == ["thing.create", "thing.change"]
    assert found(action="thing") == []
    assert found(action="%") == []
    assert found(result="FAILED") == ["thing.change"]
    assert found(actor_id="tests", resource_type="thing") == ["thing.create", "thing.change", "things.change"]
    assert found(resource_id="other") == []
    assert found(after_ms=middle) == ["thing.change", "things.change"]
    assert found(before_ms=middle, resource_type="thing") == ["thing.create"]


def test_pages_follow_each_other_and_a_cursor_fits_its_filter_alone(house: House) -> None:
    for number in range(5):
        _note(house, f"thing.{number}")
    wanted, found, cursor = AuditFilter(resource_type="thing"), [], None
    while True:
        request = PageRequest(limit=2, cursor=cursor)
        page = house.database.read(
            SYSTEM,
            lambda reading, asked=request: audit.list_audit_events(reading, house.workspace_id, asked, wanted),
        )
        found += [row.action for row in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
        last = cursor
    assert found == [f"thing.{number}" for number in (4, 3, 2, 1, 0)]
    with pytest.raises(ValidationFailed):
        house.database.read(
            SYSTEM,
            lambda reading: audit.list_audit_events(
                reading, house.workspace_id, PageRequest(cursor=last), AuditFilter(resource_type="other")
            ),
        )


def test_an_export_is_written_down_before_it_begins_and_comes_in_parts(house: House) -> None:
    anna = house.member("anna", Role.ADMIN)
    wanted = AuditFilter(result="OK")
    house.database.write(anna, lambda uow: audit.begin_export(uow, house.workspace_id, wanted, "csv"))
    first = house.database.read(anna, lambda reading: audit.list_for_export(reading, house.workspace_id, wanted, None))
    assert (first[0].action, first[0].details) == ("audit.export", {"format": "csv", "filters": {"result": "OK"}})
    after = audit.position_of(first[-1])
    assert (
        house.database.read(anna, lambda reading: audit.list_for_export(reading, house.workspace_id, wanted, after))
        == []
    )


def _denied(house: House, action: Action = Action.MEMBERS_WRITE) -> AccessDenied:
    return AccessDenied("no", action=action.value, workspace_id=house.workspace_id, resource_type="member")


def test_a_refusal_is_written_down_though_nothing_was_changed(house: House) -> None:
    anna = house.member("anna", Role.VIEWER)
    denials = Denials(house.database, house.limiter)
    assert denials.record(anna, _denied(house), correlation_id="trace-2", source_address="10.0.0.7")
    row = house.audited(result="DENIED")[0]
    assert (row.actor_id, row.action, row.workspace_id) == (anna.user_id, "members:write", house.workspace_id)
    assert (row.trace_id, row.source_address) == ("trace-2", "10.0.0.7")


def test_a_flood_of_refusals_is_counted_and_not_written(house: House) -> None:
    denials = Denials(house.database, MemoryLimiter(house.clock))
    anna, berta = house.member("anna", Role.VIEWER), house.member("berta", Role.VIEWER)
    written = sum(denials.record(anna, _denied(house)) for _ in range(100))
    assert 30 <= written <= 32
    assert denials.record(berta, _denied(house))
    rows = house.audited(result="DENIED")
    assert len(rows) == written + 1
    assert rows[-1].details == {"notWrittenBefore": 100 - written}


def test_a_flood_from_nobody_is_counted_by_address_and_in_all(house: House) -> None:
    class Strict:
        """Lets one use of each key pass."""

        def __init__(self) -> None:
            self.seen: set[str] = set()

        def take(self, key: str, limit: int, per_s: float, n: int = 1) -> None:
            if key in self.seen:
                raise RateLimited("too often")
            self.seen.add(key)

    limiter = Strict()
    denials = Denials(house.database, limiter)
    assert denials.record(ANONYMOUS, _denied(house), source_address="10.0.0.1")
    assert not denials.record(ANONYMOUS, _denied(house), source_address="10.0.0.2")
    assert limiter.seen == {"denials:10.0.0.1", "denials:10.0.0.2", "denials"}
