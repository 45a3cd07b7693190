import asyncio
import threading

from postroad.kernel.wakeups import EVERYTHING, MOST_KEYS, Wakeups

LONG_S = 10.0


def test_hints_that_come_together_wake_once_with_all_their_keys() -> None:
    wakeups = Wakeups()
    with wakeups.subscribe("runs") as waiting:
        for key in ("a", "b", "a"):
            wakeups.notify("runs", key)
        assert waiting.wait(LONG_S) == {"a", "b"}
        assert waiting.wait(0) == frozenset()


def test_a_hint_of_another_topic_wakes_nobody() -> None:
    wakeups = Wakeups()
    with wakeups.subscribe("runs") as waiting:
        wakeups.notify("events", "a")
        assert waiting.wait(0) == frozenset()


def test_a_hint_that_comes_before_one_waits_is_not_lost() -> None:
    wakeups = Wakeups()
    with wakeups.subscribe("runs") as waiting:
        thread = threading.Thread(target=wakeups.notify, args=("runs", "a"))
        thread.start()
        assert waiting.wait(LONG_S) == {"a"}
        thread.join()


def test_everybody_who_waits_is_woken() -> None:
    wakeups = Wakeups()
    with wakeups.subscribe("runs") as first, wakeups.subscribe("runs") as second:
        wakeups.notify("runs")
        assert first.wait(LONG_S) == second.wait(LONG_S) == {EVERYTHING}


def test_closing_ends_the_wait() -> None:
    waiting = Wakeups().subscribe("runs")
    closer = threading.Thread(target=waiting.close)
    closer.start()
    assert waiting.wait(LONG_S) == frozenset()
    closer.join()


def test_who_left_is_told_no_more() -> None:
    wakeups = Wakeups()
    waiting = wakeups.subscribe("runs")
    waiting.close()
    wakeups.notify("runs", "a")
    assert waiting.wait(0) == frozenset()


def test_too_many_keys_become_everything() -> None:
    wakeups = Wakeups()
    with wakeups.subscribe("runs") as waiting:
        for number in range(MOST_KEYS + 1):
            wakeups.notify("runs", str(number))
        assert EVERYTHING in waiting.wait(LONG_S)


def test_what_came_from_outside_is_not_sent_back() -> None:
    sent: list[tuple[str, str]] = []
    wakeups = Wakeups(lambda topic, key: sent.append((topic, key)))
    with wakeups.subscribe("runs") as waiting:
        wakeups.notify("runs", "ours")
        wakeups.deliver("runs", "theirs")
        assert waiting.wait(LONG_S) == {"ours", "theirs"}
    assert sent == [("runs", "ours")]


async def test_a_task_waits_as_a_thread_does() -> None:
    wakeups = Wakeups()
    with wakeups.subscribe("runs") as waiting:
        task = asyncio.ensure_future(waiting.next(LONG_S))
        await asyncio.to_thread(wakeups.notify, "runs", "a")
        assert await task == {"a"}
        assert await waiting.next(0) == frozenset()


async def test_closing_ends_the_wait_of_a_task() -> None:
    waiting = Wakeups().subscribe("runs")
    task = asyncio.ensure_future(waiting.next(LONG_S))
    await asyncio.to_thread(waiting.close)
    assert await task == frozenset()
