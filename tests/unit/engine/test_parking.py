"""Where items wait: by moment, or in line behind a bucket."""

from postroad.engine.items.item import Item
from postroad.engine.items.parking import Parking
from postroad.spi import Recipient


def _item(sequence: int) -> Item:
    return Item(Recipient(sequence, {}), None, (), 1, careful=True)


def test_items_come_out_when_due_and_in_order() -> None:
    parking = Parking()
    for sequence, due in ((1, 30.0), (2, 10.0), (3, 20.0), (4, 10.0)):
        parking.until(_item(sequence), due)
    assert parking.pop_due(9.0) is None
    out = [item.sequence for _ in range(3) if (item := parking.pop_due(20.0))]
    assert out == [2, 4, 3]
    assert (parking.size, parking.next_due()) == (1, (30.0, ""))


def test_a_lane_keeps_the_order_of_arrival_and_one_moment_for_all() -> None:
    parking = Parking()
    for sequence in range(5):
        parking.behind(_item(sequence), "domain:x", 100.0)
    assert parking.next_due() == (100.0, "domain:x")
    assert parking.next_lane(99.0) is None
    lane = parking.next_lane(100.0)
    assert lane is not None
    assert [parking.pop_from(lane).sequence for _ in range(2)] == [0, 1]
    parking.close(lane, 200.0)
    assert parking.next_lane(199.0) is None
    assert (parking.size, parking.next_due()) == (3, (200.0, "domain:x"))


def test_an_empty_lane_is_forgotten() -> None:
    parking = Parking()
    parking.behind(_item(1), "domain:x", 0.0)
    lane = parking.next_lane(0.0)
    assert lane is not None
    parking.pop_from(lane)
    parking.drop(lane)
    assert parking.next_due() is None
    parking.behind(_item(2), "domain:x", 7.0)
    assert parking.next_due() == (7.0, "domain:x")


def test_a_changed_rate_opens_the_lanes_of_its_scope_at_once() -> None:
    parking = Parking()
    parking.behind(_item(1), "domain:x", 1e9)
    parking.behind(_item(2), "sender:y", 1e9)
    parking.reopen("domain")
    lane = parking.next_lane(0.0)
    assert lane is not None
    assert lane.key == "domain:x"
    assert parking.next_lane(0.0) is None


def test_full_means_full_and_draining_gives_everything_back() -> None:
    parking = Parking(capacity=3)
    parking.until(_item(1), 5.0)
    parking.behind(_item(2), "domain:x", 5.0)
    assert not parking.is_full
    parking.behind(_item(3), "domain:y", 5.0)
    assert parking.is_full
    assert sorted(item.sequence for item in parking.drain()) == [1, 2, 3]
    assert (parking.size, parking.next_due()) == (0, None)
