"""What sweeps repair: leases of the vanished, poison, gaps, consumers switched off; and what clean-up leaves alone."""

from sqlalchemy import delete, func, select, update
from tests.builders.databases import Databases
from tests.builders.deliveries import Desk, calling, noting
from tests.builders.notes import SYSTEM

from postroad.kernel.consumers import Outcome, Verdict
from postroad.kernel.consumers.rows import event_consumers, event_deliveries
from postroad.kernel.deliveries import cleaning, sweeping
from postroad.kernel.deliveries.claims import claim
from postroad.kernel.outbox import outbox_events
from postroad.kernel.uow import UnitOfWork
from postroad.vocabulary.events import Event


def _vanish(desk: Desk, consumer: str) -> int:
    """Somebody claims, dies, and the sweep finds out; how many were in his hands."""
    found = desk.registry.find(consumer)
    assert found is not None
    taken = desk.database.write(SYSTEM, lambda uow: claim(uow, found, "gone", 100))
    desk.databases.clock.advance(s=1000)
    desk.database.write(SYSTEM, lambda uow: sweeping.take_back_lost(uow, found))
    return len(taken.deliveries)


def _count_events(desk: Desk) -> int:
    statement = select(func.count()).select_from(outbox_events)
    return desk.database.read(SYSTEM, lambda reading: reading.connection.execute(statement).scalar_one())


def test_what_a_vanished_instance_had_in_hand_is_done_by_others(databases: Databases) -> None:
    desk = Desk(databases, [noting("one")])
    for run in "abc":
        desk.emit(run, 1)
    assert _vanish(desk, "one") == 3
    assert set(desk.states("one").values()) == {"RETRY_WAIT"}
    desk.run("one")
    assert sorted(desk.effects("one")) == ["a/1", "b/1", "c/1"]


def test_a_lease_that_is_not_over_is_left_alone(databases: Databases) -> None:
    consumer = noting("one")
    desk = Desk(databases, [consumer])
    desk.emit("a", 1)
    desk.database.write(SYSTEM, lambda uow: claim(uow, consumer, "alive", 1))
    assert desk.database.write(SYSTEM, lambda uow: sweeping.take_back_lost(uow, consumer)) == 0


def test_what_was_lost_before_is_claimed_alone_and_poison_dies_alone(databases: Databases) -> None:
    desk = Desk(databases, [noting("one")])
    for run in "abc":
        desk.emit(run, 1)
    assert [_vanish(desk, "one") for _ in range(2)] == [3, 1]
    poison = [run for run, state in desk.states("one").items() if state == "RETRY_WAIT"]
    assert len(poison) == 3
    assert _vanish(desk, "one") == 1


def test_who_kills_every_process_is_dead_after_the_last_attempt(databases: Databases) -> None:
    desk = Desk(databases, [noting("one")])
    event = desk.emit("a", 1)
    assert [_vanish(desk, "one") for _ in range(4)] == [1, 1, 1, 0]
    row = desk.row("one", event)
    assert (row["state"], row["last_error"]) == ("DEAD", "LEASE_LOST")


def test_a_receiver_without_keys_leaves_a_lost_call_unknown(databases: Databases) -> None:
    desk = Desk(databases, [calling("out", lambda _delivery: Outcome(Verdict.DONE), repeatable=False)])
    desk.emit("a", 1)
    _vanish(desk, "out")
    assert desk.states("out") == {"a/1": "UNKNOWN"}


def test_an_event_of_an_instance_that_knew_no_consumer_is_delivered_too(databases: Databases) -> None:
    consumer = noting("one")
    desk = Desk(databases, [consumer])
    desk.emit("a", 1)
    desk.emit("b", 1)
    desk.database.write(SYSTEM, lambda uow: uow.connection.execute(delete(event_deliveries)))
    assert desk.database.write(SYSTEM, lambda uow: sweeping.add_missing(uow, consumer)) == 2
    assert desk.database.write(SYSTEM, lambda uow: sweeping.add_missing(uow, consumer)) == 0
    desk.run("one")
    assert desk.effects("one") == ["a/1", "b/1"]


def test_a_new_consumer_begins_with_the_events_after_it(databases: Databases) -> None:
    consumer = noting("one")
    before = Desk(databases, [])
    before.emit("old", 1)
    databases.clock.advance(s=1)
    desk = Desk(databases, [consumer])
    desk.emit("new", 1)
    desk.database.write(SYSTEM, lambda uow: sweeping.add_missing(uow, consumer))
    assert desk.states("one") == {"new/1": "PENDING"}


def _switch(desk: Desk, *, held: bool) -> None:
    switching = update(event_consumers).where(event_consumers.c.name == "one").values(held=held)
    desk.database.write(SYSTEM, lambda uow: uow.connection.execute(switching))


def test_a_consumer_that_is_switched_off_loses_nothing(databases: Databases) -> None:
    consumer = noting("one")
    desk = Desk(databases, [consumer])
    _switch(desk, held=True)
    desk.emit("a", 1)
    desk.run("one")
    assert desk.database.write(SYSTEM, lambda uow: sweeping.release_held(uow, consumer)) == 0
    assert (desk.states("one"), desk.effects("one")) == ({"a/1": "HELD"}, [])
    _switch(desk, held=False)
    assert desk.database.write(SYSTEM, lambda uow: sweeping.release_held(uow, consumer)) == 1
    desk.run("one")
    assert desk.effects("one") == ["a/1"]


def _clean(desk: Desk, after_s: float) -> int:
    before_ms = desk.databases.clock.now_ms() - round(after_s * 1000)

    def cleaned(uow: UnitOfWork) -> int:
        return cleaning.clean(uow, before_ms, 500)

    return desk.database.write(SYSTEM, cleaned)


def test_events_go_once_every_required_consumer_is_done_and_they_are_old(databases: Databases) -> None:
    desk = Desk(databases, [noting("one"), noting("optional", required=False)])
    desk.emit("a", 1)
    databases.clock.advance(s=1000)
    assert _clean(desk, 100) == 0
    desk.run("one")
    assert _clean(desk, 5000) == 0
    assert _clean(desk, 100) == 1
    assert (desk.states("one"), desk.states("optional"), desk.receipts(), _count_events(desk)) == ({}, {}, 0, 0)


def test_a_dead_delivery_keeps_its_event_and_hides_no_other(databases: Databases) -> None:
    def failing(event: Event) -> None:
        if event.aggregate.id == "bad":
            raise ValueError("no")

    desk = Desk(databases, [noting("one", failing)])
    desk.emit("bad", 1)
    desk.emit("good", 1)
    for _ in range(3):
        desk.run("one")
        databases.clock.advance(s=1000)
    assert _clean(desk, 100) == 1
    assert desk.states("one") == {"bad/1": "DEAD"}
