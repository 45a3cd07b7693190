"""Live streams: nothing missed, nothing twice, one reader, and an end when it is time."""

import asyncio

import pytest
from tests.builders.stream_watcher import MemoryLog, Watcher

from postroad.entrypoints.http.streams import BEGINNING, EventStream, Place, StreamHub, StreamTimes
from postroad.entrypoints.http.streams.frames import frame
from postroad.entrypoints.http.streams.log import LoggedEvent
from postroad.entrypoints.http.streams.ring import Ring
from postroad.kernel.wakeups import Wakeups
from postroad.vocabulary.refusals import AuthenticationRequired, Overloaded

QUICK = StreamTimes(heartbeat_s=0.01, sweep_s=0.005, slow_s=0.05)
CALM = StreamTimes(heartbeat_s=60, sweep_s=0.005, slow_s=5)


def _allowed() -> None:
    return None


def _watch(hub: StreamHub, log: MemoryLog, after: Place | None = None, *, stuck: bool = False) -> Watcher:
    return Watcher(EventStream(hub, "runs:7", lambda: log, after=after, still_allowed=_allowed), stuck=stuck)


def _ids(text: str) -> list[int]:
    return [int(line[4:]) for line in text.splitlines() if line.startswith("id: ")]


async def test_a_watcher_hears_what_comes_after_it_came() -> None:
    hub, log = StreamHub(times=CALM), MemoryLog()
    log.add("old")
    watcher = _watch(hub, log)
    await watcher.until(": open")
    log.add("new")
    assert "id: 2\nevent: progress\ndata: new\n\n" in await watcher.until("new")
    assert "old" not in watcher.text
    await watcher.leave()


async def test_who_comes_back_gets_what_it_missed_once_and_in_order() -> None:
    hub, log = StreamHub(times=CALM, ring_bytes=100), MemoryLog()
    log.add(*(f"event {n}" for n in range(1, 1201)))
    watcher = _watch(hub, log, Place(0, 5))
    await watcher.until("event 1200")
    log.add("the next")
    await watcher.until("the next")
    assert _ids(watcher.text) == list(range(6, 1202))
    await watcher.leave()


async def test_the_beginning_is_the_oldest_event_kept() -> None:
    hub, log = StreamHub(times=CALM), MemoryLog()
    log.add("one", "two")
    watcher = _watch(hub, log, BEGINNING)
    assert _ids(await watcher.until("two")) == [1, 2]
    await watcher.leave()


async def test_a_cursor_whose_events_are_gone_is_said_to_be_expired() -> None:
    hub, log = StreamHub(times=CALM), MemoryLog(kept_from=100)
    log.add(*(f"event {n}" for n in range(1, 151)))
    text = await _watch(hub, log, Place(0, 20)).end()
    assert "event: cursor-expired\n" in text
    assert _ids(text) == []


async def test_all_watchers_share_one_reader() -> None:
    hub, log = StreamHub(times=CALM), MemoryLog()
    watchers = [_watch(hub, log) for _ in range(50)]
    for watcher in watchers:
        await watcher.until(": open")
    before = log.reads
    log.add("for everybody")
    for watcher in watchers:
        await watcher.until("for everybody")
    assert log.reads - before < 50
    assert hub.watchers == 50
    for watcher in watchers:
        await watcher.leave()
    assert hub.watchers == 0


async def test_a_silent_stream_is_kept_alive_by_comments() -> None:
    watcher = _watch(StreamHub(times=QUICK), MemoryLog())
    assert ": still here" in await watcher.until(": still here")
    await watcher.leave()


async def test_the_end_of_a_topic_ends_the_stream() -> None:
    log = MemoryLog(is_over=True)
    log.add("last")
    text = await _watch(StreamHub(times=CALM), log, BEGINNING).end()
    assert text.endswith("data: last\n\nevent: end\ndata: {}\n\n")


async def test_a_stop_of_the_service_ends_all_streams_and_refuses_new_ones() -> None:
    hub, log = StreamHub(times=CALM), MemoryLog()
    watcher = _watch(hub, log)
    await watcher.until(": open")
    hub.close()
    await watcher.end()
    assert watcher.ended
    with pytest.raises(Overloaded):
        await hub.join("runs:7", lambda: log)


async def test_whoever_loses_the_right_hears_no_more() -> None:
    rights = iter([None, None])

    def still_allowed() -> None:
        if next(rights, "gone") == "gone":
            raise AuthenticationRequired("the token was revoked")

    stream = EventStream(StreamHub(times=QUICK), "runs:7", MemoryLog, still_allowed=still_allowed)
    text = await Watcher(stream).end()
    assert text.count(": still here") == 3


async def test_a_client_that_takes_nothing_is_cut_off() -> None:
    hub, log = StreamHub(times=QUICK), MemoryLog()
    watcher = _watch(hub, log, stuck=True)
    await watcher.end()
    assert not watcher.ended
    assert hub.watchers == 0


async def test_no_more_watchers_than_allowed() -> None:
    hub, log = StreamHub(times=CALM, most_watchers=1), MemoryLog()
    watcher = _watch(hub, log)
    await watcher.until(": open")
    with pytest.raises(Overloaded):
        await hub.join("runs:7", lambda: log)
    await watcher.leave()


async def test_a_read_that_fails_ends_no_stream() -> None:
    class Broken(MemoryLog):
        def read(self, after: Place, limit: int):  # type: ignore[no-untyped-def]
            if self.reads < 2:
                self.reads += 1
                raise OSError("the database is away")
            return super().read(after, limit)

    log = Broken()
    watcher = _watch(StreamHub(times=CALM), log)
    await watcher.until(": open")
    log.add("after all")
    await watcher.until("after all")
    await watcher.leave()


async def test_hints_of_the_kernel_reach_their_topic() -> None:
    hub = StreamHub(times=StreamTimes(heartbeat_s=60, sweep_s=60))
    wakeups, log = Wakeups(), MemoryLog()
    hub.listen("runs")
    async with hub.hearing(wakeups):
        watcher = _watch(hub, log)
        await watcher.until(": open")
        while log.reads == 0:
            await asyncio.sleep(0)
        log.add("now")
        wakeups.notify("runs", "7")
        await watcher.until("now")
        await watcher.leave()


def test_a_ring_forgets_its_oldest_and_says_so() -> None:
    events = [LoggedEvent(Place(0, n), "e", b"x" * 50) for n in range(1, 11)]
    ring = Ring(BEGINNING, most_bytes=3 * len(frame(events[0])))
    ring.add(events, Place(0, 10))
    assert ring.after(Place(0, 6)) is None
    assert ring.after(Place(0, 9)) == frame(events[9])
    assert ring.after(Place(0, 10)) == b""
    assert ring.after(Place(0, 8)) is ring.after(Place(0, 8))


@pytest.mark.parametrize(("text", "place"), [("0", (0, 0)), ("121", (0, 121)), ("7733.121", (7733, 121))])
def test_a_place_reads_what_it_shows(text: str, place: tuple[int, int]) -> None:
    assert Place.of(text) == Place(*place)
    assert Place.of(text).text == text


@pytest.mark.parametrize("text", ["", "-1", "1.2.3", "x", "1.", "٣", "9" * 50])
def test_a_place_refuses_what_it_never_shows(text: str) -> None:
    with pytest.raises(ValueError):
        Place.of(text)


def test_the_data_of_a_frame_is_one_line() -> None:
    with pytest.raises(ValueError):
        frame(LoggedEvent(Place(0, 1), "e", b"a\nb"))
