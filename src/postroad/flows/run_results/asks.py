"""Which items of which run."""

from dataclasses import dataclass

from postroad.kernel.pages import PageRequest
from postroad.recipients import Chosen
from postroad.vocabulary.outcomes import Outcome
from postroad.vocabulary.refusals import ValidationFailed

MOST_ITEMS = 500
"""On one page."""
MOST_TEXT = 200


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """Raises ValidationFailed for a text that is too long or a range that is none."""

    outcomes: frozenset[Outcome] = frozenset()
    """Empty: all."""
    text: str = ""
    """Stands, in any case, in a field of the recipient, the code, the request id or the summary."""
    first: int = 0
    end: int | None = None
    """Sequences `first` to before `end`."""

    def __post_init__(self) -> None:
        if len(self.text) > MOST_TEXT:
            raise ValidationFailed.of("text", "TOO_LONG", f"text has at most {MOST_TEXT} characters")
        if self.first < 0 or (self.end is not None and self.end <= self.first):
            raise ValidationFailed.of(
                "end", "OUT_OF_RANGE", "the range goes from a sequence of 0 or more to a later one"
            )

    @property
    def chosen(self) -> Chosen:
        return Chosen(self.outcomes, self.text, self.first, self.end)

    def as_filters(self) -> dict[str, object]:
        """What a cursor is bound to."""
        outcomes = sorted(outcome.value for outcome in self.outcomes)
        return {"outcomes": outcomes, "text": self.text, "first": self.first, "end": self.end}


@dataclass(frozen=True, slots=True)
class ItemsAsk:
    workspace_id: str
    run_id: str
    wanted: ItemFilter
    page: PageRequest


@dataclass(frozen=True, slots=True)
class ExportAsk:
    workspace_id: str
    run_id: str
    wanted: ItemFilter
