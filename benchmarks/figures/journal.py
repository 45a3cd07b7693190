"""What the send journal costs an item: INTENT, FINAL and their share of a write, with the sync thread at work.

64 items share a write, as one turn of the engine's loop does. Also how fast a resume reads it back.
"""

import tempfile
from pathlib import Path
from time import process_time

from benchmarks.rounds import in_turn
from postroad.journal import open_journal, read_state
from postroad.vocabulary.outcomes import Outcome

ITEMS, QUICK_ITEMS = 200_000, 6_400
TOGETHER = 64
AT_MS = 1_790_000_000_000


def measure(quick: bool) -> dict[str, float | None]:
    items = (QUICK_ITEMS if quick else ITEMS) // TOGETHER * TOGETHER
    (costs,) = in_turn(1 if quick else 3, lambda: _costs(items))
    return {name: round(value, 2) for name, value in costs.items()}


def _costs(items: int) -> dict[str, float]:
    """Processor time of all threads."""
    with tempfile.TemporaryDirectory(prefix="postroad-bench-") as name:
        folder = Path(name)
        written, size = _write(folder, items)
        begun = process_time()
        state = read_state(folder, 0)
        read = process_time() - begun
    if state.counts != {Outcome.SUCCEEDED: items}:
        raise RuntimeError(f"the journal lost items: {state.counts}")
    return {
        "journal_write_cpu_us_per_item": written / items * 1e6,
        "journal_read_cpu_us_per_item": read / items * 1e6,
        "journal_bytes_per_item": size / items,
    }


def _write(folder: Path, items: int) -> tuple[float, int]:
    journal = open_journal(folder, run_id="bench", shard=0, fencing_token="1", config_sha256="0", started_at_ms=AT_MS)
    keys = [(f"domain:{number}.example.org",) for number in range(50)]
    begun = process_time()
    for first in range(0, items, TOGETHER):
        for sequence in range(first, first + TOGETHER):
            journal.intent(sequence, 1, AT_MS, keys[sequence % 50])
        for sequence in range(first, first + TOGETHER):
            journal.final(sequence, 1, Outcome.SUCCEEDED, request_id="0a1b2c3d4e5f", latency_ms=3, at_ms=AT_MS)
        journal.flush()
        journal.sync_soon()
    used, size = process_time() - begun, journal.position
    journal.close()
    return used, size
