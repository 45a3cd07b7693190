"""Which core a worker stays on.

Workers that are as many as the cores get one each. Left alone the kernel now and then runs two of them on one core, and
a send ends with its slowest worker. Fewer or more workers than cores stay free: with cores to spare the kernel does
better, and two sends would both take the first ones. The parent stays free always.
"""

import os
from collections.abc import Collection


def core_of(shard: int, shards: int, cores: Collection[int]) -> int | None:
    """None: any."""
    if shards < 2 or len(cores) != shards:
        return None
    return sorted(cores)[shard]


def stay_on_core(shard: int, shards: int) -> None:
    """For the calling thread and all it will start. Nothing happens where the system has no such thing or refuses."""
    if not hasattr(os, "sched_setaffinity"):
        return
    try:
        core = core_of(shard, shards, os.sched_getaffinity(0))
        if core is not None:
            os.sched_setaffinity(0, {core})
    except OSError:
        return
