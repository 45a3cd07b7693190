import threading

import pytest

from postroad.drivers.sqlite.writers_queue import WritersQueue
from postroad.vocabulary.refusals import Overloaded

LONG_S = 10.0


def _until(queue: WritersQueue, waiting: int) -> None:
    while queue.waiting != waiting:
        threading.Event().wait(0.001)


def test_writers_get_their_turn_in_the_order_in_which_they_came() -> None:
    queue, order = WritersQueue(), []

    def write(number: int) -> None:
        queue.enter(LONG_S)
        order.append(number)
        queue.leave()

    queue.enter(0)
    threads = []
    for number in range(20):
        threads.append(threading.Thread(target=write, args=(number,)))
        threads[-1].start()
        _until(queue, number + 1)
    queue.leave()
    for thread in threads:
        thread.join()
    assert order == list(range(20))


def test_a_full_line_is_refused_at_once() -> None:
    queue = WritersQueue(most_waiting=1)
    queue.enter(0)
    waiting = threading.Thread(target=queue.enter, args=(LONG_S,))
    waiting.start()
    _until(queue, 1)
    with pytest.raises(Overloaded, match="1 writers wait"):
        queue.enter(LONG_S)
    queue.leave()
    waiting.join()


def test_who_waited_too_long_leaves_the_line_and_holds_nobody_up() -> None:
    queue = WritersQueue()
    queue.enter(0)
    with pytest.raises(Overloaded, match="in time"):
        queue.enter(0.01)
    assert queue.waiting == 0
    queue.leave()
    queue.enter(0)
