"""Chance for jitter and for picking: never for secrets."""

import random

_CHANCE = random.Random()


def chance() -> float:
    """0 ≤ x < 1. Safe to call from any thread."""
    return _CHANCE.random()
