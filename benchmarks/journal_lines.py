"""What the send journal costs an item: INTENT, FINAL and their share of a write, with the sync thread at work.

64 items share a write, as one turn of the engine's loop does. Also how fast a resume reads it back. Run alone:
`python -m benchmarks.journal_lines`.
"""

import tempfile
import time
from pathlib import Path

from postroad.journal import open_journal, read_state
from postroad.vocabulary.outcomes import Outcome

ITEMS = 200_000
TOGETHER = 64
AT_MS = 1_790_000_000_000


def measure(items: int = ITEMS) -> dict[str, float]:
    """CPU microseconds an item (all threads) to write and to read, and bytes an item on disk."""
    items -= items % TOGETHER
    with tempfile.TemporaryDirectory(prefix="postroad-bench-") as name:
        folder = Path(name)
        journal = open_journal(
            folder, run_id="bench", shard=0, fencing_token="1", config_sha256="0", started_at_ms=AT_MS
        )
        keys = [(f"domain:{number}.example.org",) for number in range(50)]
        begun = time.process_time()
        for first in range(0, items, TOGETHER):
            for sequence in range(first, first + TOGETHER):
                journal.intent(sequence, 1, AT_MS, keys[sequence % 50])
            for sequence in range(first, first + TOGETHER):
                journal.final(sequence, 1, Outcome.SUCCEEDED, request_id="0a1b2c3d4e5f", latency_ms=3, at_ms=AT_MS)
            journal.flush()
            journal.sync_soon()
        written = time.process_time() - begun
        size = journal.position
        journal.close()
        begun = time.process_time()
        state = read_state(folder, 0)
        read = time.process_time() - begun
        if state.counts != {Outcome.SUCCEEDED: items}:
            raise RuntimeError(f"the journal lost items: {state.counts}")
    return {
        "journal_write_cpu_us_per_item": round(written / items * 1e6, 2),
        "journal_read_cpu_us_per_item": round(read / items * 1e6, 2),
        "journal_bytes_per_item": round(size / items, 1),
    }


if __name__ == "__main__":
    for figure, value in measure().items():
        print(f"{figure}: {value:,}")
