"""A person counts first, then replays or gives up; what happened stays readable, and the audit says who and why."""

import pytest
from tests.builders.databases import OTHER_WORKSPACE, WORKSPACE, Databases
from tests.builders.deliveries import Desk, label, noting

from postroad.kernel.authz import Principal, PrincipalKind
from postroad.kernel.deliveries import inspecting, steering, sweeping
from postroad.kernel.deliveries.inspecting import DeliveryFilter
from postroad.kernel.deliveries.steering import Order, Range
from postroad.kernel.pages import PageRequest
from postroad.vocabulary.events import Event
from postroad.vocabulary.refusals import AccessDenied, ResourceNotFound, StateConflict, ValidationFailed
from postroad.vocabulary.roles import Role
from postroad.vocabulary.transitions import DELIVERY, REPLAYABLE, DeliveryState

WHY = "the receiver is well again"
SYSTEM_ADMIN = Principal(PrincipalKind.USER, "root", "root", session_id="s", system_admin=True)


class Ward:
    """A consumer that fails on runs that are sick, and everything of it is dead."""

    def __init__(self, databases: Databases) -> None:
        self.sick = {"a/1", "b/1"}
        self.desk = Desk(databases, [noting("one", self._failing)])
        self.admin = databases.member(Role.ADMIN)
        for run in "ab":
            for version in (1, 2):
                self.desk.emit(run, version)
        self.elsewhere = self.desk.emit("c", 1, OTHER_WORKSPACE)
        for _ in range(3):
            self.desk.run("one")
            databases.clock.advance(s=10)

    def _failing(self, event: Event) -> None:
        if label(event) in self.sick:
            raise ValueError("sick")

    def replay(self, expected: int | None, who: Principal | None = None, **chosen: object) -> steering.Steered:
        order = Order(Range("one", **chosen), WHY, expected)  # type: ignore[arg-type]
        return self.desk.database.write(who or self.admin, lambda uow: steering.replay(uow, WORKSPACE, order))


def test_a_replay_is_counted_first_and_does_nothing_then(databases: Databases) -> None:
    ward = Ward(databases)
    assert ward.desk.states("one") == {
        "a/1": "DEAD",
        "a/2": "PENDING",
        "b/1": "DEAD",
        "b/2": "PENDING",
        "c/1": "SUCCEEDED",
    }
    assert ward.replay(None) == steering.Steered(2, done=False)
    assert ward.desk.states("one")["a/1"] == "DEAD"
    assert databases.audit.entries == []


def test_a_replay_delivers_again_in_order_and_keeps_what_happened(databases: Databases) -> None:
    ward = Ward(databases)
    ward.sick.clear()
    assert ward.replay(2) == steering.Steered(2, done=True)
    ward.desk.run("one")
    databases.clock.advance(s=1)
    ward.desk.run("one")
    assert set(ward.desk.states("one").values()) == {"SUCCEEDED"}
    effects = [what for what in ward.desk.effects("one") if what.startswith("a")]
    assert effects == ["a/1", "a/2"]
    page = ward.desk.database.read(
        ward.admin, lambda reading: inspecting.list_deliveries(reading, WORKSPACE, PageRequest(), DeliveryFilter())
    )
    (first,) = [view for view in page.items if view.aggregate_id == "a" and view.aggregate_version == 1]
    detail = ward.desk.database.read(ward.admin, lambda reading: inspecting.get_delivery(reading, WORKSPACE, first.id))
    assert [(one.generation, one.state) for one in detail.generations] == [(1, "DEAD"), (2, "SUCCEEDED")]
    assert detail.event.payload == {"runId": "a"}


def test_a_replay_is_audited_with_its_range_and_reason(databases: Databases) -> None:
    ward = Ward(databases)
    ward.replay(2)
    (entry,) = databases.audit.entries
    assert (entry.action, entry.resource_id, entry.actor) == ("deliveries.replay", "one", "user:user-1")
    assert (entry.details["number"], entry.details["reason"]) == (2, WHY)


def test_another_number_than_expected_does_nothing(databases: Databases) -> None:
    ward = Ward(databases)
    with pytest.raises(StateConflict, match="2 deliveries now, not 3"):
        ward.replay(3)
    assert ward.desk.states("one")["a/1"] == "DEAD"


def test_what_succeeded_cannot_be_replayed(databases: Databases) -> None:
    ward = Ward(databases)
    with pytest.raises(ValidationFailed, match="only deliveries in these states"):
        ward.replay(None, states=frozenset({DeliveryState.SUCCEEDED}))


def test_a_range_of_time_chooses(databases: Databases) -> None:
    ward = Ward(databases)
    assert ward.replay(None, wanted=DeliveryFilter(occurred_after=databases.clock.now_ms())).number == 0


def test_giving_up_lets_the_next_version_go_on(databases: Databases) -> None:
    ward = Ward(databases)
    order = Order(Range("one"), "never mind", 2)
    ward.desk.database.write(ward.admin, lambda uow: steering.discard(uow, WORKSPACE, order))
    ward.desk.run("one")
    assert ward.desk.states("one")["a/1"] == "SKIPPED"
    assert ward.desk.states("one")["a/2"] == "SUCCEEDED"


def test_only_an_administrator_steers_and_nobody_sees_another_workspace(databases: Databases) -> None:
    ward = Ward(databases)
    with pytest.raises(AccessDenied):
        ward.replay(None, databases.member(Role.OPERATOR))
    with pytest.raises(ResourceNotFound):
        ward.desk.database.read(
            ward.admin,
            lambda reading: inspecting.get_delivery(reading, WORKSPACE, f"{ward.elsewhere}.1.one"),
        )
    everything = ward.desk.database.read(
        SYSTEM_ADMIN, lambda reading: inspecting.list_deliveries(reading, None, PageRequest(), DeliveryFilter())
    )
    assert len(everything.items) == 5


def test_pages_go_on_where_the_last_one_ended(databases: Databases) -> None:
    ward = Ward(databases)
    seen: list[str] = []
    cursor = None
    while True:
        asked = PageRequest(limit=1, cursor=cursor)
        page = ward.desk.database.read(
            ward.admin,
            lambda reading, asked=asked: inspecting.list_deliveries(reading, WORKSPACE, asked, DeliveryFilter()),
        )
        seen += [view.id for view in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 4
    assert seen == sorted(seen, reverse=True)


def test_a_consumer_is_held_and_released(databases: Databases) -> None:
    ward = Ward(databases)
    database = ward.desk.database
    held = database.write(
        SYSTEM_ADMIN, lambda uow: steering.switch_consumer(uow, "one", held=True, reason="maintenance")
    )
    ward.desk.emit("d", 1)
    ward.desk.run("one")
    assert (held.consumer.held, ward.desk.states("one")["d/1"]) == (True, "HELD")
    database.write(SYSTEM_ADMIN, lambda uow: steering.switch_consumer(uow, "one", held=False, reason="done"))
    consumer = ward.desk.registry.all[0]
    database.write(SYSTEM_ADMIN.system("x"), lambda uow: sweeping.release_held(uow, consumer))
    ward.desk.run("one")
    assert ward.desk.states("one")["d/1"] == "SUCCEEDED"
    assert [entry.action for entry in databases.audit.entries] == ["consumer.hold", "consumer.release"]


def test_nobody_can_switch_a_consumer_that_is_not_there(databases: Databases) -> None:
    ward = Ward(databases)
    with pytest.raises(ResourceNotFound):
        ward.desk.database.write(SYSTEM_ADMIN, lambda uow: steering.switch_consumer(uow, "none", held=True, reason="x"))


def test_what_a_person_may_do_stands_in_the_table_of_transitions() -> None:
    assert all(DeliveryState.SKIPPED in DELIVERY[state] for state in steering.DISCARDABLE)
    assert DeliveryState.SUCCEEDED not in REPLAYABLE
