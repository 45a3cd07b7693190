"""The records of a send journal, as values. What they look like on disk is the business of `format`."""

from dataclasses import dataclass

from postroad.vocabulary.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class JournalHeader:
    """The first line of a segment: whose journal this is, and whether its page cache may be believed.

    `boot_id` is empty where it could not be read, where the file system is not a local one we know, or after an
    error: a reader then assumes that the power was lost. `part` is 0 but for segments made by `Journal.recover`.
    """

    run_id: str
    shard: int
    epoch: int
    fencing_token: str
    config_sha256: str
    boot_id: str
    device: str
    started_at_ms: int
    part: int = 0


@dataclass(frozen=True, slots=True)
class Opened:
    """Everything older is durable and all doubt found in it is written down; the epoch may begin."""


@dataclass(frozen=True, slots=True)
class Window:
    """First attempts of sequences in `[frontier, to)` may run ahead of the sync once this record is durable."""

    frontier: int
    to: int


@dataclass(frozen=True, slots=True)
class Intent:
    """An attempt is about to be handed over. `keys` and `cost` are the tokens it took of the buckets."""

    sequence: int
    attempt: int
    at_ms: int
    keys: tuple[str, ...] = ()
    batch: str = ""
    cost: int = 1


@dataclass(frozen=True, slots=True)
class Doubt:
    """An opening after a power loss could not exclude that this attempt left, at `at_ms` or later."""

    sequence: int
    attempt: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class Final:
    """What became of an item, for good. `attempt` is 0 where none was made."""

    sequence: int
    attempt: int
    outcome: Outcome
    category: str = ""
    code: str = ""
    request_id: str = ""
    latency_ms: int = 0
    summary: str = ""
    at_ms: int = 0


@dataclass(frozen=True, slots=True)
class Retry:
    """The attempt was answered, the item is not finished: it is due again at `retry_at_ms`."""

    sequence: int
    attempt: int
    retry_at_ms: int
    category: str
    code: str
    may_have_left: bool
    request_id: str = ""
    latency_ms: int = 0
    summary: str = ""


@dataclass(frozen=True, slots=True)
class End:
    """The run of this shard came to a final state; `text` is what the writer wanted to keep of it."""

    state: str
    at_ms: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Damaged:
    """Bytes in the middle of a segment that are no record, although records follow: lost pages, or a strange hand."""

    offset: int
    length: int


Record = JournalHeader | Opened | Window | Intent | Doubt | Final | Retry | End | Damaged
