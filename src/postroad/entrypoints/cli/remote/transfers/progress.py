"""A bar while bytes pass, in a terminal only."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from postroad.entrypoints.cli.show import console


@contextmanager
def passing(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Yields what is to be told the bytes that have passed. Without a total the bar only moves."""
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=console.people,
        transient=True,
        disable=not console.people.is_terminal,
    ) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)
