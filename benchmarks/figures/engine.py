"""The engine's own cost: everything but a network. One core carries the loop, the journal's sync and the rendering."""

from benchmarks.machine import SENDER
from benchmarks.processes import ask
from benchmarks.rounds import in_turn


def measure(quick: bool) -> dict[str, float | None]:
    count = 2_000 if quick else 100_000

    def run(*, journal: bool, suspending: bool) -> dict[str, float]:
        order = {"count": count, "journal": journal, "suspending": suspending}
        return ask("benchmarks.loads.engine_run", order, core=SENDER)

    whole, bare, suspending = in_turn(
        1 if quick else 3,
        lambda: run(journal=True, suspending=False),
        lambda: run(journal=False, suspending=False),
        lambda: run(journal=True, suspending=True),
    )
    return {
        "engine_items_per_s": round(whole["per_s"]),
        "engine_cpu_us_per_item": round(whole["cpu_us"], 2),
        "engine_no_journal_items_per_s": round(bare["per_s"]),
        "engine_suspending_items_per_s": round(suspending["per_s"]),
        "engine_suspending_cpu_us_per_item": round(suspending["cpu_us"], 2),
    }
