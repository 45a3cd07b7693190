"""Puts a worker together: the guarded way out, the providers, the clock. Started by the parent of a crew."""

import asyncio
import signal
import sys
from collections.abc import Callable, Collection

from postroad import providers
from postroad.egress import AddressPolicy, Egress
from postroad.flows.local_runs import loop_factory, serve_shard
from postroad.foundation.clock import SystemClock
from postroad.spi import ProviderFactory


def main() -> int:
    """Ctrl-C in a terminal and a stop by the system reach the whole group; what to do is the parent's decision."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if sys.stdin.isatty():
        sys.stderr.write("this is started by Postroad itself; it takes its order from a pipe\n")
        return 2
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(serve_shard(_way_out, SystemClock()))


def _way_out(networks: Collection[str]) -> tuple[Callable[[str], ProviderFactory], Egress]:
    egress = Egress(AddressPolicy(networks))
    return (lambda name: providers.load(name, egress)), egress


if __name__ == "__main__":
    sys.exit(main())
