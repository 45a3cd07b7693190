"""What a second worker process adds, the parent included, which shows progress and shares the cores.

One worker on one core leaves the other to the neighbours, two leave them none: each percent of a core that others take
is lost to the two and not to the one. So a round that somebody disturbed is run again. Beside it stands what two
processes of plain Python reach over one in the same rounds: where the cores are two threads of one, nobody reaches 2.
"""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.machine import RECEIVER, SENDER
from benchmarks.neighbours import TRIES, undisturbed
from benchmarks.processes import ask
from benchmarks.recipe import write_table
from benchmarks.rounds import in_turn, over

COUNT, QUICK_COUNT = 300_000, 4_000


def measure(quick: bool) -> dict[str, float | None]:
    with tempfile.TemporaryDirectory(prefix="postroad-bench-") as name:
        table = write_table(Path(name, "people.csv"), QUICK_COUNT if quick else COUNT)
        tries = 1 if quick else TRIES
        one, two, free, plain = in_turn(
            1 if quick else 3,
            lambda: undisturbed(lambda: _send(table, workers=1, core=SENDER), tries),
            lambda: undisturbed(lambda: _send(table, workers=2, core=None), tries),
            lambda: undisturbed(lambda: _send(table, workers=1, core=None), tries),
            lambda: undisturbed(lambda: {"ratio": _cores2_vs_1(0.2 if quick else 2.0)}, tries),
        )
    return {
        "workers1_items_per_s": round(one["per_s"]),
        "workers2_items_per_s": round(two["per_s"]),
        "workers2_vs_1": over(two["per_s"], one["per_s"]),
        "workers2_vs_1_unpinned": over(two["per_s"], free["per_s"]),
        "workers2_vs_1_whole": over(one["whole_s"], two["whole_s"]),
        "workers_others": round(max(each["others"] for each in (one, two, free, plain)), 3),
        "cores2_vs_1": round(plain["ratio"], 2),
    }


def _send(table: Path, *, workers: int, core: int | None) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="postroad-bench-") as folder:
        order = {"table": str(table), "workers": workers, "folder": folder}
        return ask("benchmarks.loads.local_send", order, core=core)


def _cores2_vs_1(seconds: float) -> float:
    def spin(core: int) -> float:
        rate: float = ask("benchmarks.loads.spinning", {"seconds": seconds}, core=core)["per_s"]
        return rate

    alone = spin(SENDER)
    with ThreadPoolExecutor(2) as pool:
        return sum(pool.map(spin, (SENDER, RECEIVER))) / alone
