"""One scheduler over the database of a service that does not run: ticks at a time it is told, until nothing is due.

The service lets only one of its instances schedule; two at once are what happens where that fails.
"""

import logging
from collections.abc import Mapping
from time import perf_counter, sleep, time
from typing import Any

from benchmarks.processes import answer
from postroad.app.service_composition import ServiceComposition
from postroad.entrypoints.http.composition import HttpSettings
from postroad.foundation.keyring import KeyRing
from postroad.foundation.service_settings import load_settings


def work(order: Mapping[str, Any]) -> dict[str, float]:
    """`data`: the folder; `begin_at`: when both begin; `now_ms`: what the clock says to the scheduler."""
    logging.disable(logging.WARNING)
    settings = load_settings(flags={"dataDir": order["data"]})
    keys = KeyRing.load_or_make(settings.keys.file, may_make=False)
    composition = ServiceComposition(settings, keys, HttpSettings())
    firer = composition.firer()
    if firer is None:
        raise RuntimeError("nothing fires in this service")
    scheduler = composition.scheduler_over(composition.database, firer)
    sleep(max(0.0, order["begin_at"] - time()))
    begun = perf_counter()
    try:
        while scheduler.tick(order["now_ms"]):
            pass
        return {"took_s": perf_counter() - begun}
    finally:
        composition.close()


if __name__ == "__main__":
    answer(work)
