"""Plain Python that only computes: what a core of this machine gives to one process, or to several at once."""

from collections.abc import Mapping
from time import perf_counter
from typing import Any

from benchmarks.processes import answer


def work(order: Mapping[str, Any]) -> dict[str, float]:
    """Turns a second over `seconds`; a turn makes and joins some text, as rendering does."""
    until, turns, start = perf_counter() + order["seconds"], 0, perf_counter()
    while perf_counter() < until:
        for number in range(1_000):
            "\t".join(("INTENT", str(number), "1", str(number * 7)))
        turns += 1
    return {"per_s": turns / (perf_counter() - start)}


if __name__ == "__main__":
    answer(work)
