"""Numbers as people read them."""

import pytest

from postroad.entrypoints.cli.show import console
from postroad.flows.local_runs.running.display import _time_left


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.2, "0 s"), (45, "45 s"), (200, "3 min 20 s"), (7500, "2 h 5 min"), (3600, "1 h"), (273_600, "3 d 4 h")],
)
def test_a_duration_has_two_units_at_most(seconds: float, shown: str) -> None:
    assert console.duration(seconds) == shown


@pytest.mark.parametrize(
    ("amount", "shown"),
    [(0.135, "0.135 CNY"), (450.0, "450.00 CNY"), (0.0455, "0.0455 CNY"), (12_345.5, "12,345.50 CNY")],
)
def test_regression_a_price_of_0_135_was_shown_as_0_14(amount: float, shown: str) -> None:
    assert console.money(amount, "CNY") == shown


def test_a_rate_is_shown_as_people_write_it() -> None:
    assert [console.rate(text) for text in ("200/1s", "100/1m", "5/10s", "unlimited")] == [
        "200/s",
        "100/min",
        "5/10s",
        "unlimited",
    ]


def test_regression_a_stalled_send_promised_an_end_in_billions_of_years() -> None:
    assert _time_left(9_000, 1e-30) is None
    assert _time_left(9_000, 0.0) is None
    assert _time_left(9_000, 90.0) == 100.0


def test_large_numbers_are_set_apart() -> None:
    assert (console.number(9_999), console.number(1_234_567)) == ("9999", "1\u202f234\u202f567")


def test_a_word_is_quoted_only_where_a_shell_needs_it() -> None:
    plain = ["sends/2026-11-30-通知-1", "客户.xlsx", "email=me@example.com", "--rate"]
    assert [console.typed(word) for word in plain] == plain
    assert [console.typed(word) for word in ("", "a b", "it's", "$HOME", "一（二）")] == [
        "''",
        "'a b'",
        "'it'\"'\"'s'",
        "'$HOME'",
        "'一（二）'",
    ]
