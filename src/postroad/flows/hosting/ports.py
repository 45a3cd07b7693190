"""What the host needs from elsewhere: folders and worker processes, secrets, a place for results."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from postroad.engine import Lease
from postroad.modules.runs import ArtifactFact, CommandOrder, LeasedShard, Live, RunPlan, RunToEnd
from postroad.spi import Rate
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.errors import PostroadError
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.transitions import RunState

Spent = tuple[int, tuple[str, ...], int]
"""When (UTC milliseconds), from which narrow budgets, how many tokens."""


@dataclass(frozen=True, slots=True)
class Heard:
    """One thing a worker said. `kind` is empty for bare progress, which a newer one may replace."""

    at_ms: int
    counts: Counts
    state: RunState
    live: Live
    kind: str = ""
    severity: str = "INFO"
    payload: Mapping[str, str | int | float | bool | None] = field(default_factory=dict)


class ShardEar(Protocol):
    """Called on the host's loop; each call returns at once."""

    def heard(self, said: Heard, /) -> None: ...

    def answered(self, command_id: str, applied: bool, text: str, /) -> None: ...

    def lend(self, key: str, want: int, /) -> Lease: ...

    def slow(self, keys: Sequence[str], until_ms: float, /) -> None: ...


@dataclass(frozen=True, slots=True)
class ShardOutcome:
    """How a worker went. Without `counts` it was refused, or it died (then without `refusal` as well).

    State LOST with counts: it stopped unfinished, and these are settled.
    """

    settled: int
    last_words: str = ""
    refusal: PostroadError | None = None
    counts: Counts | None = None
    state: RunState = RunState.LOST
    reason: str = ""
    category: Category | None = None
    suppressed_errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Beginning:
    """What has changed for a shard since it was leased."""

    concurrency: int
    orders: tuple[CommandOrder, ...] = ()
    budgets: frozenset[str] = frozenset()
    """Keys that others made limited: it asks for their tokens as for those of its plan."""


class Worker(Protocol):
    @property
    def pid(self) -> int: ...

    def command(self, order: CommandOrder, concurrency: int) -> None:
        """On its way to the worker; `concurrency` is this lease's share, for a command of that kind."""
        ...

    def share(self, concurrency: int) -> None:
        """This lease's share has changed without a command."""
        ...

    def ask_for(self, key: str) -> None:
        """From now on the worker asks for tokens of this budget, which it thought unlimited."""
        ...

    def drain(self, within_s: float) -> None:
        """Lets nothing more leave, and stops the worker when what has left was answered, or the time is over."""
        ...

    def close(self) -> None:
        """Stops it hard."""
        ...

    async def attend(self, ear: ShardEar) -> ShardOutcome:
        """Until the worker is gone."""
        ...


@dataclass(frozen=True, slots=True)
class FolderEnd:
    """What the exported results say, and the files by name."""

    counts: Counts
    files: Mapping[str, Path]


class WorkPlace(Protocol):
    """Where the folders of runs lie and workers are started. Calls block unless they say otherwise."""

    def freeze(self, shard: LeasedShard) -> None:
        """Makes the run's folder where there is none. Raises what makes the run impossible, SendConflict where a
        shard has begun and its folder is not here."""
        ...

    def rates(self, plan: RunPlan) -> Mapping[str, Rate]:
        """The budgets of the run by key, the provider's limits among them."""
        ...

    def parsed_rate(self, text: str) -> Rate:
        """Raises ValueError."""
        ...

    def spent(self, run_id: str, since_ms: int) -> Iterable[Spent]:
        """What the journals of this run say was spent since then; nothing where they are not here."""
        ...

    async def start(self, shard: LeasedShard, secrets: Mapping[str, str], beginning: Beginning) -> Worker:
        """A worker for the shard. What was commanded before its lease, and how it begins, hold from its first moment
        on; it answers the orders."""
        ...

    def as_it_stands(self, shard: LeasedShard) -> Counts:
        """The account of a shard that no worker can end: what was in flight is unknown, the rest unsent."""
        ...

    def end(self, run: RunToEnd) -> FolderEnd:
        """Exports results, summary and receipt; the same files again when they are there."""
        ...

    def show(self, plan: RunPlan) -> None:
        """From now on people may look at what is settled of this run. Does not block."""
        ...

    def hide(self, run_id: str) -> None:
        """The run has its results, or does not go on here. Does not block."""
        ...

    def give_up(self) -> None:
        """Ends calls of `as_it_stands` and `end` under way, soon, and those to come; what they made is made anew."""
        ...


class SecretTexts(Protocol):
    def of(self, plan: RunPlan) -> Mapping[str, str]:
        """The secrets that the plan names, as they are now. Blocks. Raises SecretMissing, SecretUnreadable."""
        ...


class ResultKeeper(Protocol):
    def keep(self, run: RunToEnd, file: Path) -> ArtifactFact:
        """Takes a file of results in as an artifact; the one that is there already where it is the same. Blocks."""
        ...
