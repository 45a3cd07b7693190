"""How deep a configuration lies in itself: what walks it calls itself for each level, so a stranger's is bounded."""

MOST_LEVELS = 100


def is_too_deep(value: object, most: int = MOST_LEVELS) -> bool:
    """Whether lists and objects lie in one another more than `most` deep."""
    level: list[object] = [value]
    for _ in range(most + 1):
        level = [
            inner
            for one in level
            for inner in (one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())
        ]
        if not level:
            return False
    return True
