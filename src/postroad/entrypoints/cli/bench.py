"""`postroad bench`: the benchmarks of a checkout."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

import postroad
from postroad.entrypoints.cli.texts import say
from postroad.vocabulary.errors import InvalidInput


def add_commands(program: typer.Typer) -> None:
    program.command(help=say("Measure this machine: items per second, memory, peers side by side."))(bench)


def bench(
    *,
    only: Annotated[str | None, typer.Option("--only", metavar="NAME", help=say("One benchmark alone."))] = None,
    quick: Annotated[bool, typer.Option("--quick", help=say("Fewer and shorter repetitions."))] = False,
) -> None:
    checkout = Path(postroad.__file__).resolve().parents[2]
    if not (checkout / "benchmarks" / "__main__.py").exists():
        raise InvalidInput(say("the benchmarks are part of a checkout; clone the repository and run `make bench`"))
    arguments = [*(["--only", only] if only else []), *(["--quick"] if quick else [])]
    raise typer.Exit(
        subprocess.run([sys.executable, "-m", "benchmarks", *arguments], cwd=checkout, check=False).returncode  # noqa: S603  (run: the command is a list, no shell parses it; until 2027-11-30)
    )
