"""Rounds in turn and their medians: what slows the machine for a moment slows everybody, and the median drops it."""

from collections.abc import Callable, Mapping
from statistics import median

Round = Mapping[str, float]


def in_turn(rounds: int, *contenders: Callable[[], Round]) -> list[dict[str, float]]:
    """Each contender once a round; for each the median of every number it gave."""
    seen: list[list[Round]] = [[] for _ in contenders]
    for _ in range(rounds):
        for place, contender in enumerate(contenders):
            seen[place].append(contender())
    return [medians(rounds_of) for rounds_of in seen]


def medians(rounds: list[Round]) -> dict[str, float]:
    return {name: median(each[name] for each in rounds) for name in rounds[0]}


def over(ours: float, theirs: float | None) -> float | None:
    """The ratio to two digits; None where there is no peer."""
    return None if not theirs else round(ours / theirs, 2)
