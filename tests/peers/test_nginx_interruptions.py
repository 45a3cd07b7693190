"""A real nginx that is reloaded, stopped and killed while a run is under way: nobody lost, nobody asked twice.

A server that ends cuts what is in flight. For a moment its second worker and the line behind both still take
connections, so a sender that was just cut may be cut twice more: one end leaves up to three rounds UNKNOWN.
"""

from collections.abc import Callable

import pytest
from tests.builders.nginx import Behaviour, Nginx, running_nginx
from tests.peers.sending import check
from tests.peers.web import names, plan, rows

from postroad.vocabulary.transitions import RunState

SLOW_ANSWERS = Behaviour(
    http="limit_req_zone $server_port zone=all:1m rate=400r/s;", place="limit_req zone=all burst=64;"
)
"""Takes everything and lets it wait: at any moment something is in flight that a stop cuts."""
AT_ONCE = 8
CUT_BY_ONE_END = 3 * AT_ONCE


def reload_twice(nginx: Nginx) -> None:
    nginx.wait_for(300)
    nginx.reload()
    nginx.wait_for(900)
    nginx.reload()


def stop_and_start(nginx: Nginx) -> None:
    for copies in 200, 500, 800:
        nginx.wait_for(copies)
        nginx.stop()
        nginx.start()


async def test_a_reload_in_the_middle_is_hardly_noticed() -> None:
    with running_nginx() as nginx:
        ran = await plan(nginx, at_once=AT_ONCE, rate=500).run(rows(1500), lambda: reload_twice(nginx))
        served_by = {line.generation for line in nginx.final_answers()}
        check(ran.outcomes, names(1500), nginx.final_copies())
    assert served_by == {1, 2, 3}
    assert ran.summary.failed + ran.summary.unsent == 0
    assert ran.summary.unknown <= 2 * CUT_BY_ONE_END


async def test_a_stop_leaves_unknown_only_what_was_in_flight() -> None:
    with running_nginx(SLOW_ANSWERS) as nginx:
        ran = await plan(nginx, at_once=AT_ONCE).run(rows(1000), lambda: stop_and_start(nginx))
        check(ran.outcomes, names(1000), nginx.final_copies())
    summary = ran.summary
    assert (summary.state, summary.failed, summary.unsent) == (RunState.PARTIAL, 0, 0)
    assert 1 <= summary.unknown <= 3 * CUT_BY_ONE_END
    assert {(item.category, item.code) for item in ran.items.values() if item.outcome == "UNKNOWN"} == {
        ("NETWORK", "RESET")
    }


async def test_a_kill_leaves_unknown_only_what_was_in_flight() -> None:
    with running_nginx(SLOW_ANSWERS) as nginx:

        def kill_and_start() -> None:
            nginx.wait_for(300)
            nginx.kill()
            nginx.start()

        ran = await plan(nginx, at_once=AT_ONCE).run(rows(600), kill_and_start)
        copies = nginx.final_copies()
    summary = ran.summary
    assert (summary.failed, summary.unsent, summary.succeeded + summary.unknown) == (0, 0, 600)
    assert 1 <= summary.unknown <= CUT_BY_ONE_END
    assert max(copies.values()) == 1


@pytest.mark.parametrize("interrupt", [reload_twice, stop_and_start])
async def test_a_service_that_keeps_keys_leaves_nobody_unknown(interrupt: Callable[[Nginx], None]) -> None:
    with running_nginx(SLOW_ANSWERS) as nginx:
        made = plan(nginx, at_once=AT_ONCE)
        made.account["idempotency"] = {"header": "Idempotency-Key", "keptFor": "PT1H"}
        ran = await made.run(rows(1000), lambda: interrupt(nginx))
        copies = nginx.final_copies()
    assert (ran.summary.state, ran.summary.succeeded) == (RunState.SUCCEEDED, 1000)
    assert set(copies) == set(names(1000))
