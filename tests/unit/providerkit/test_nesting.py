"""Depth is counted without calling oneself."""

import pytest

from postroad.providerkit.nesting import MOST_LEVELS, is_too_deep


def _nested(levels: int) -> object:
    value: object = "x"
    for number in range(levels):
        value = {"x": value} if number % 2 else [value]
    return value


@pytest.mark.parametrize(
    ("levels", "too_deep"), [(0, False), (MOST_LEVELS, False), (MOST_LEVELS + 1, True), (100_000, True)]
)
def test_a_hundred_levels_are_enough(levels: int, too_deep: bool) -> None:
    assert is_too_deep(_nested(levels)) is too_deep


def test_a_wide_value_is_not_deep() -> None:
    assert not is_too_deep({str(number): [number] for number in range(10_000)})
