"""The process that seals: `python -m postroad.recipients.live.seal_child`. It ends with its parent.

It takes one JSON object a line: `{"show": PARTS, "journal": FOLDER}` or `{"hide": PARTS}`. It says nothing but its
troubles, and no trouble with one run ends it.
"""

import json
import logging
import os
import sys
import threading
import time
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from postroad.recipients.live.sealing import RunSealer

SECONDS = 1.0
"""Between two looks at the journals, at least."""
_SHARE = 20
"""It rests so many times longer than it worked."""
_LOWEST = 19
_LOG = logging.getLogger(__name__)


def main() -> int:
    import duckdb

    os.nice(_LOWEST)
    orders: SimpleQueue[dict[str, Any]] = SimpleQueue()
    threading.Thread(target=_listen, args=(orders,), daemon=True).start()
    sealers: dict[str, RunSealer] = {}
    rest_s = SECONDS
    with duckdb.connect(config={"threads": 1, "memory_limit": "100MB"}) as connection:
        while True:
            try:
                _obey(orders.get(timeout=rest_s if sealers else None), sealers, connection)
                rest_s = 0.0
                continue
            except Empty:
                pass
            began = time.monotonic()
            is_behind = [_sealed(name, sealer) for name, sealer in list(sealers.items())]
            worked_s = time.monotonic() - began
            rest_s = 0.0 if any(is_behind) else max(SECONDS, worked_s * _SHARE)


def _listen(orders: "SimpleQueue[dict[str, Any]]") -> None:
    for line in sys.stdin.buffer:
        orders.put(json.loads(line))
    os._exit(0)


def _obey(order: dict[str, Any], sealers: dict[str, RunSealer], connection: Any) -> None:
    try:
        if "show" in order:
            if order["show"] not in sealers:
                sealers[order["show"]] = RunSealer(Path(order["journal"]), Path(order["show"]), connection)
        elif (sealer := sealers.pop(order["hide"], None)) is not None:
            sealer.remove()
    except OSError as error:
        _LOG.warning("what is settled of %s cannot be shown: %s", order, error)


def _sealed(name: str, sealer: RunSealer) -> bool:
    import duckdb

    try:
        return sealer.seal()
    except (OSError, duckdb.Error) as error:
        _LOG.warning("what is settled in %s cannot be shown now: %s", name, error)
        return False


if __name__ == "__main__":
    sys.exit(main())
