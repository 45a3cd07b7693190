"""Items of a finished run, page by page."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from postroad.vocabulary.outcomes import Outcome
from postroad.vocabulary.values import RecipientValue


@dataclass(frozen=True, slots=True)
class ItemRow:
    sequence: int
    row: int
    outcome: Outcome
    category: str
    code: str
    request_id: str
    attempts: int
    latency_ms: int
    finished_at_ms: int
    """0 where nothing was sent."""
    summary: str
    fields: Mapping[str, RecipientValue]


@dataclass(frozen=True, slots=True)
class ItemPage:
    items: tuple[ItemRow, ...]
    next_after: int | None
    """Pass it as `after` for the next page; None at the end."""


def list_items(results: Path, *, outcome: Outcome | None = None, after: int = -1, limit: int = 100) -> ItemPage:
    """Items of `results.parquet` in order of sequence. Blocks; a page costs the same wherever it lies."""
    raise NotImplementedError
