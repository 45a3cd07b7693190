"""The `postroad` command: one file per owner of commands, and what they share to show things on a terminal.

A command parses, calls one use case and shows the result; decisions about sending live in the flows. Heavy libraries
are imported inside commands, so that `--help` and `--version` answer at once.
"""

from postroad.entrypoints.cli.composition import Composition
from postroad.entrypoints.cli.program import build

__all__ = ["Composition", "build"]
