"""One aggregate's events are handled in the order of its versions; a failing one holds up its own aggregate only."""

from tests.builders.databases import Databases
from tests.builders.deliveries import Desk, calling, label, noting

from postroad.kernel.consumers import Delivery, Order, Outcome, RefusedForGood, Verdict
from postroad.vocabulary.events import Event


class Sick:
    """Fails on some events until it is healed."""

    def __init__(self, *labels: str, dead: bool = False) -> None:
        self.labels = set(labels)
        self.dead = dead

    def __call__(self, event: Event) -> None:
        if label(event) in self.labels:
            raise RefusedForGood("SICK") if self.dead else ValueError("sick")


def test_a_batch_goes_through_the_versions_of_an_aggregate_in_order(databases: Databases) -> None:
    desk = Desk(databases, [noting("one")])
    for version in range(1, 31):
        desk.emit("a", version)
    desk.run("one")
    assert desk.effects("one") == [f"a/{version}" for version in range(1, 31)]


def test_later_versions_wait_for_one_that_failed_and_other_aggregates_do_not(databases: Databases) -> None:
    sick = Sick("a/2")
    desk = Desk(databases, [noting("one", sick)])
    for version in (1, 2, 3):
        desk.emit("a", version)
        desk.emit("b", version)
    desk.run("one")
    assert [what for what in desk.effects("one") if what.startswith("b")] == ["b/1", "b/2", "b/3"]
    assert desk.states("one")["a/3"] == "PENDING"
    sick.labels.clear()
    databases.clock.advance(s=5)
    desk.run("one")
    assert [what for what in desk.effects("one") if what.startswith("a")] == ["a/1", "a/2", "a/3"]


def test_a_long_queue_behind_a_failing_one_hides_nobody(databases: Databases) -> None:
    desk = Desk(databases, [noting("one", Sick("a/1"))])
    for version in range(1, 351):
        desk.emit("a", version)
    desk.emit("b", 1)
    desk.run("one")
    assert desk.effects("one") == ["b/1"]


def test_a_dead_one_blocks_its_aggregate(databases: Databases) -> None:
    desk = Desk(databases, [noting("one", Sick("a/1", dead=True))])
    for version in (1, 2):
        desk.emit("a", version)
    desk.run("one")
    databases.clock.advance(s=3600)
    desk.run("one")
    assert desk.states("one") == {"a/1": "DEAD", "a/2": "PENDING"}


def test_a_consumer_may_pass_over_the_dead(databases: Databases) -> None:
    desk = Desk(databases, [noting("one", Sick("a/1", dead=True), skip_dead=True)])
    for version in (1, 2):
        desk.emit("a", version)
    desk.run("one")
    databases.clock.advance(s=1)
    desk.run("one")
    assert desk.states("one") == {"a/1": "DEAD", "a/2": "SUCCEEDED"}


def test_without_an_order_nothing_waits(databases: Databases) -> None:
    desk = Desk(databases, [noting("one", Sick("a/1"), order=Order.NONE)])
    for version in (1, 2):
        desk.emit("a", version)
    desk.run("one")
    assert desk.effects("one") == ["a/2"]


def test_outside_an_aggregate_has_one_delivery_in_hand_at_a_time(databases: Databases) -> None:
    asked: list[str] = []

    def act(delivery: Delivery) -> Outcome:
        asked.append(label(delivery.event))
        return Outcome(Verdict.DONE)

    desk = Desk(databases, [calling("out", act)])
    for version in (1, 2, 3):
        desk.emit("a", version)
    for _ in range(3):
        desk.run("out")
        databases.clock.advance(s=1)
    assert asked == ["a/1", "a/2", "a/3"]


def test_a_hot_aggregate_shared_by_two_instances_keeps_its_order(databases: Databases) -> None:
    desk = Desk(databases, [noting("one")])
    for version in range(1, 301):
        desk.emit("a", version)
    for _ in range(20):
        desk.dispatcher("one", "here").tick()
        desk.dispatcher("one", "there").tick()
        databases.clock.advance(ms=100)
    assert desk.effects("one") == [f"a/{version}" for version in range(1, 301)]
