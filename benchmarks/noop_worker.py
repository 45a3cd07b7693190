"""`postroad.worker` that knows the benchmark's provider as well. Started by the parent of a crew, as that one is."""

import sys

from benchmarks.recipe import NoopProvider
from postroad import providers
from postroad.worker.__main__ import main

PROVIDER_ID = "noop"


def add_noop() -> None:
    """In this process alone."""
    providers.BUILTIN[PROVIDER_ID] = f"{NoopProvider.__module__}:{NoopProvider.__name__}"


if __name__ == "__main__":
    add_noop()
    sys.exit(main())
