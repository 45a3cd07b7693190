"""Words of the engine in the words of runs."""

from postroad.engine import EventKind
from postroad.vocabulary.outcomes import Category

_SEVERITY = {EventKind.ERROR: "ERROR", EventKind.STALLED: "WARNING"}


def severity_of(kind: EventKind) -> str:
    return _SEVERITY.get(kind, "INFO")


def category_of(reason: str) -> Category | None:
    """The category that a run's reason begins with: `AUTHENTICATION HTTP_401: …`."""
    name = reason.replace(":", " ").partition(" ")[0]
    return Category(name) if name in Category.__members__ else None
