"""Where items lie that must wait: bounded, by due time, and never a storm when they wake.

Two places share one capacity. The *clock* is a heap of items with a moment of their own: retries and holds. A *lane*
is the queue behind one narrow bucket, in order of arrival; the heap knows only when the lane's bucket is next worth
asking, so ten thousand items behind a slow domain cost one heap entry. A lane that is open is served from its head
until its bucket refuses again.
"""

import heapq
from collections import deque

from postroad.engine.items.item import Item

CAPACITY = 20_000


class Lane:
    __slots__ = ("due_ms", "items", "key")

    def __init__(self, key: str) -> None:
        self.key = key
        self.items: deque[Item] = deque()
        self.due_ms = 0.0


class Parking:
    def __init__(self, capacity: int = CAPACITY) -> None:
        self.capacity = capacity
        self.size = 0
        self._count = 0
        self._clock: list[tuple[float, int, Item]] = []
        self._closed: list[tuple[float, int, Lane]] = []
        self._lanes: dict[str, Lane] = {}
        self._open: deque[Lane] = deque()

    @property
    def is_full(self) -> bool:
        return self.size >= self.capacity

    def until(self, item: Item, due_ms: float) -> None:
        """Items that already passed the door may exceed the capacity: they never number more than the permits."""
        self._count += 1
        self.size += 1
        heapq.heappush(self._clock, (due_ms, self._count, item))

    def behind(self, item: Item, key: str, due_ms: float) -> None:
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = Lane(key)
            self.close(lane, due_ms)
        lane.items.append(item)
        self.size += 1

    def pop_due(self, now_ms: float) -> Item | None:
        """The next retry or held item whose moment has come."""
        if self._clock and self._clock[0][0] <= now_ms:
            self.size -= 1
            return heapq.heappop(self._clock)[2]
        return None

    def next_lane(self, now_ms: float) -> Lane | None:
        """The next lane worth asking. Give it back by `close`, `rotate`, `keep_first` or `drop`."""
        while self._closed and self._closed[0][0] <= now_ms:
            lane = heapq.heappop(self._closed)[2]
            self._open.append(lane)
        return self._open.popleft() if self._open else None

    def pop_from(self, lane: Lane) -> Item:
        self.size -= 1
        return lane.items.popleft()

    def close(self, lane: Lane, due_ms: float) -> None:
        self._count += 1
        lane.due_ms = due_ms
        heapq.heappush(self._closed, (due_ms, self._count, lane))

    def rotate(self, lane: Lane) -> None:
        self._open.append(lane)

    def keep_first(self, lane: Lane) -> None:
        self._open.appendleft(lane)

    def drop(self, lane: Lane) -> None:
        """An empty lane is forgotten, so lanes number no more than the items in them."""
        del self._lanes[lane.key]

    @property
    def has_open_lane(self) -> bool:
        return bool(self._open)

    def reopen(self, key: str) -> None:
        """Asks the lanes of a scope or bucket again at once: its rate has changed."""
        touched = [entry for entry in self._closed if entry[2].key == key or entry[2].key.partition(":")[0] == key]
        if touched:
            self._closed = [entry for entry in self._closed if entry not in touched]
            heapq.heapify(self._closed)
            self._open.extend(entry[2] for entry in touched)

    def next_due(self) -> tuple[float, str] | None:
        """When something here is next worth trying, and the bucket's key; an empty key for the clock."""
        due: tuple[float, str] | None = None
        if self._clock:
            due = (self._clock[0][0], "")
        if self._closed and (due is None or self._closed[0][0] < due[0]):
            due = (self._closed[0][0], self._closed[0][2].key)
        return due

    def drain(self) -> list[Item]:
        """Takes everything out, for a run that stops."""
        items = [entry[2] for entry in self._clock]
        for lane in self._lanes.values():
            items.extend(lane.items)
        self._clock.clear()
        self._closed.clear()
        self._lanes.clear()
        self._open.clear()
        self.size = 0
        return items
