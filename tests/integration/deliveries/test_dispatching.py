"""Every event reaches every consumer once, whatever fails, and nobody is held up by anybody else."""

from collections.abc import Callable, Sequence

import pytest
from tests.builders.databases import Databases
from tests.builders.deliveries import CREATED, QUICK, Desk, calling, label, noting
from tests.builders.notes import SYSTEM

from postroad.kernel.consumers import Consumer, DatabaseWork, Delivery, Outcome, RefusedForGood, Verdict
from postroad.kernel.deliveries import sweeping
from postroad.kernel.deliveries.claims import claim
from postroad.kernel.uow import Aggregate, UnitOfWork
from postroad.vocabulary.events import Causation, Event, EventName

DONE = Outcome(Verdict.DONE)


def _fails_on(*labels: str) -> Callable[[Event], None]:
    def failing(event: Event) -> None:
        if label(event) in labels:
            raise ValueError("no")

    return failing


def test_each_consumer_has_its_own_delivery_of_an_event(databases: Databases) -> None:
    desk = Desk(databases, [noting("one"), noting("other")])
    desk.emit("a", 1)
    desk.run("one")
    assert (desk.states("one"), desk.states("other")) == ({"a/1": "SUCCEEDED"}, {"a/1": "PENDING"})
    desk.run("other")
    assert (desk.effects("one"), desk.effects("other")) == (["a/1"], ["a/1"])
    assert desk.receipts() == 2


def test_what_nobody_asked_for_is_delivered_to_nobody(databases: Databases) -> None:
    desk = Desk(databases, [noting("one")])
    desk.database.write(
        SYSTEM, lambda uow: uow.emit(EventName.JOB_CHANGED, Aggregate("job", "j", 1), {}, workspace_id="w")
    )
    assert desk.states("one") == {}


def test_an_event_that_was_rolled_back_has_no_delivery(databases: Databases) -> None:
    desk = Desk(databases, [noting("one")])

    def failing(uow: UnitOfWork) -> None:
        uow.emit(EventName.RUN_CREATED, Aggregate("run", "a", 1), {}, workspace_id="w")
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        desk.database.write(SYSTEM, failing)
    assert desk.states("one") == {}


@pytest.mark.parametrize("careful", [True, False])
def test_one_bad_event_of_a_batch_fails_alone(databases: Databases, careful: bool) -> None:
    desk = Desk(databases, [noting("one", _fails_on("b/1"))])
    if not careful:
        for _ in range(3):
            desk.dispatcher("one").tick()
    for run in "abc":
        desk.emit(run, 1)
    desk.run("one")
    assert desk.states("one") == {"a/1": "SUCCEEDED", "b/1": "RETRY_WAIT", "c/1": "SUCCEEDED"}
    assert sorted(desk.effects("one")) == ["a/1", "c/1"]


def test_a_failing_consumer_stops_nobody_else(databases: Databases) -> None:
    desk = Desk(databases, [noting("bad", _fails_on("a/1")), noting("good")])
    desk.emit("a", 1)
    desk.run("bad")
    desk.run("good")
    assert (desk.states("bad"), desk.states("good")) == ({"a/1": "RETRY_WAIT"}, {"a/1": "SUCCEEDED"})


def test_waits_grow_and_after_the_last_attempt_the_delivery_is_dead(databases: Databases) -> None:
    desk = Desk(databases, [noting("one", _fails_on("a/1"))])
    event = desk.emit("a", 1)
    waits = []
    for _ in range(2):
        desk.run("one")
        row = desk.row("one", event)
        waits.append(row["next_attempt_at_ms"] - databases.clock.now_ms())
        assert (row["state"], row["last_error"]) == ("RETRY_WAIT", "ValueError")
        databases.clock.advance(ms=waits[-1])
    desk.run("one")
    assert waits == [1000, 2000]
    assert (desk.row("one", event)["state"], desk.row("one", event)["attempts"]) == ("DEAD", 3)


def test_a_refusal_for_good_is_dead_at_once(databases: Databases) -> None:
    def refusing(event: Event) -> None:
        raise RefusedForGood("NOT_OURS")

    desk = Desk(databases, [noting("one", refusing)])
    event = desk.emit("a", 1)
    desk.run("one")
    row = desk.row("one", event)
    assert (row["state"], row["attempts"], row["last_error"]) == ("DEAD", 1, "NOT_OURS")


def test_what_a_consumer_has_no_use_for_is_skipped(databases: Databases) -> None:
    def handle(uow: UnitOfWork, events: Sequence[Event]) -> Sequence[str]:
        return [event.event_id for event in events if event.aggregate.id == "b"]

    desk = Desk(databases, [Consumer("one", CREATED, DatabaseWork(handle), backoff=QUICK)])
    for run in "ab":
        desk.emit(run, 1)
    desk.run("one")
    assert desk.states("one") == {"a/1": "SUCCEEDED", "b/1": "SKIPPED"}


def test_what_a_consumer_emits_names_its_cause_one_hop_further(databases: Databases) -> None:
    caused: list[Event] = []

    def handle(uow: UnitOfWork, events: Sequence[Event]) -> Sequence[str]:
        for event in events:
            with uow.caused_by(event):
                uow.emit(EventName.JOB_CHANGED, Aggregate("job", event.aggregate.id, 1), {}, workspace_id="w")
        caused[:] = uow.events
        return ()

    desk = Desk(databases, [Consumer("one", CREATED, DatabaseWork(handle))])
    first, second = desk.emit("a", 1), desk.emit("b", 1)
    desk.run("one")
    assert [(event.causation_id, event.hop) for event in caused] == [(first, 1), (second, 1)]


def test_events_that_go_round_in_a_circle_are_refused_and_recorded(databases: Databases) -> None:
    desk = Desk(databases, [noting("one")])
    aggregate = Aggregate("run", "a", 1)
    event = desk.database.write(
        SYSTEM,
        lambda uow: uow.emit(EventName.RUN_CREATED, aggregate, {}, workspace_id="w"),
        causation=Causation("before", 8),
    )
    desk.run("one")
    row = desk.row("one", event)
    assert (row["state"], row["last_error"], desk.effects("one")) == ("DEAD", "TOO_MANY_HOPS", [])


def test_an_outside_effect_carries_one_key_through_all_attempts(databases: Databases) -> None:
    asked: list[Delivery] = []

    def act(delivery: Delivery) -> Outcome:
        asked.append(delivery)
        return DONE if len(asked) == 3 else Outcome(Verdict.RETRY, "HTTP_503", retry_after_s=5)

    desk = Desk(databases, [calling("out", act)])
    event = desk.emit("a", 1)
    for _ in range(3):
        desk.run("out")
        databases.clock.advance(s=5)
    assert desk.states("out") == {"a/1": "SUCCEEDED"}
    assert [delivery.attempt for delivery in asked] == [1, 2, 3]
    assert {delivery.idempotency_key for delivery in asked} == {f"out:{event}"}


def test_the_result_of_somebody_too_late_is_refused(databases: Databases) -> None:
    slow = calling("out", lambda _delivery: DONE)
    desk = Desk(databases, [slow])

    def takes_too_long(delivery: Delivery) -> Outcome:
        if delivery.attempt == 1:
            databases.clock.advance(s=11)
            desk.database.write(SYSTEM, lambda uow: sweeping.take_back_lost(uow, slow))
            desk.database.write(SYSTEM, lambda uow: claim(uow, slow, "somebody else", 1))
        return Outcome(Verdict.DEAD, "LATE")

    late = calling("out", takes_too_long)
    event = desk.emit("a", 1)
    desk.registry._by_name["out"] = late
    desk.dispatcher("out").tick()
    row = desk.row("out", event)
    assert (row["state"], row["owner"], row["attempts"]) == ("SENDING", "somebody else", 2)


def test_two_instances_share_the_work_and_double_nothing(databases: Databases) -> None:
    desk = Desk(databases, [noting("one")])
    for number in range(250):
        desk.emit(f"r{number % 50}", number // 50 + 1)
    more = True
    while more:
        more = any([desk.dispatcher("one", "here").tick(), desk.dispatcher("one", "there").tick()])
    assert sorted(desk.effects("one")) == sorted(f"r{n % 50}/{n // 50 + 1}" for n in range(250))
    assert set(desk.states("one").values()) == {"SUCCEEDED"}
