"""Values, lists and runs as people read them."""

from typing import Any

import pytest
from rich.console import Console

from postroad.entrypoints.cli.remote.show import cells, live, tables

NO_COUNTS = {"succeeded": 0, "failed": 0, "unknown": 0, "unsent": 0, "skipped": 0}


def run(**changes: Any) -> dict[str, Any]:
    counts = {"total": 200, **NO_COUNTS, "open": 200} | changes.pop("counts", {})
    return {
        "state": "RUNNING",
        "counts": counts,
        "isEnding": False,
        "waiting": {"reason": "", "until": None},
        "inFlight": 0,
        "perSecond": 0.0,
        "concurrency": 8,
        **changes,
    }


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        (True, "yes"),
        (False, "no"),
        (12, "12"),
        (1234567, "1\u202f234\u202f567"),
        (["a", "b"], "a, b"),
        ("two\nlines  and\ttabs", "two lines and tabs"),
        ("\x1b[31mred\x07", "\ufffd[31mred\ufffd"),
        ("李小明", "李小明"),
    ],
)
def test_a_value_is_one_line_that_commands_no_terminal(value: object, shown: str) -> None:
    assert cells.cell(value) == shown


def test_a_text_of_several_lines_keeps_them_and_no_commands() -> None:
    assert cells.block("one\n\ttwo\x1b[2J") == "one\n\ttwo\ufffd[2J"


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (123456, "123 kB"), (3_400_000, "3.4 MB"), (5e12, "5000 GB")],
)
def test_sizes_are_short(number: float, shown: str) -> None:
    assert cells.size(number) == shown


def test_a_time_that_is_none_is_empty() -> None:
    assert cells.local(None) == cells.local("not a time") == cells.clock(None) == ""
    assert cells.moment_of("2026-11-30T22:57:05.123Z") is not None


def test_outcomes_that_nobody_came_to_are_left_out() -> None:
    assert cells.became({**NO_COUNTS, "succeeded": 3, "failed": 1, "open": 2}).plain == "succeeded 3, failed 1, open 2"
    assert cells.became(NO_COUNTS).plain == ""


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"state": "PENDING"}, "waits for a worker"),
        ({"state": "LOST"}, "its worker is gone; another one will go on"),
        ({"inFlight": 3}, "sending, in flight 3"),
        ({"waiting": {"reason": "WAITING_RATE", "until": None}}, "waits for the rate limit"),
        ({"waiting": {"reason": "the circuit is open", "until": None}}, "the circuit is open"),
        ({"isEnding": True}, "cancelling: waits for what is in flight"),
        ({"state": "BRAND_NEW"}, "BRAND_NEW"),
    ],
)
def test_a_run_says_what_it_does_or_waits_for(changes: dict[str, Any], said: str) -> None:
    assert live.doing(run(**changes)) == said


def test_a_pace_has_the_time_that_is_left() -> None:
    assert live.pace(run(perSecond=2.0, counts={"open": 120})) == "2/s, 1 min left"
    assert live.pace(run(perSecond=0.5, counts={"open": 1})) == "0.5/s, 2 s left"
    assert live.pace(run()) == ""
    assert live.pace(run(counts={"open": 0})) == "writing the results"


def test_a_line_has_all_outcomes_pace_and_state() -> None:
    line = live.line(run(perSecond=10.0, counts={"succeeded": 100, "open": 100}))
    assert line == "succeeded 100  failed 0  unknown 0  unsent 0  skipped 0  open 100 | 10/s, 10 s left | sending"


def test_a_picture_can_be_drawn_for_a_run_of_nobody() -> None:
    console = Console(width=100, record=True, file=None, quiet=False)
    with console.capture() as drawn:
        console.print(live.picture(run(counts={"total": 0, "open": 0})))
    assert "0 %" in drawn.get()


def test_a_list_goes_on_by_the_same_command_with_the_next_place() -> None:
    words = ["jobs", "list", "--cursor", "old", "--name", "a b", "--cursor=older"]
    assert tables._going_on(words, "new") == "postroad jobs list --name 'a b' --cursor new"
