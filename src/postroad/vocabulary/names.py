"""Names that people give to what they keep: one rule for all of it.

Two names are the same name when they look the same: compatibility forms are folded (NFKC), runs of spaces become one,
and case does not count. A name is kept as it was written after that, and compared by its key.
"""

import unicodedata
from collections.abc import Iterator
from itertools import count

from postroad.vocabulary.refusals import FieldProblem, ValidationFailed

LONGEST = 120


def resource_name(text: str, field: str = "name") -> str:
    """The name as it is kept. Raises ValidationFailed for an empty or overlong one, and for what cannot be seen."""
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    if 0 < len(name) <= LONGEST and name.isprintable():
        return name
    said = f"must have 1 to {LONGEST} visible characters"
    raise ValidationFailed(f"{field}: {said}", problems=(FieldProblem(field, "NAME_UNFIT", said),))


def name_key(name: str) -> str:
    """What two equal names have in common; also what a search for a part of a name looks into."""
    return unicodedata.normalize("NFKC", name.casefold())


def copy_names(name: str) -> Iterator[str]:
    """`name (copy)`, `name (copy 2)`, … without end, for a copy to take the first that is free."""
    for number in count(1):
        ending = " (copy)" if number == 1 else f" (copy {number})"
        yield name[: LONGEST - len(ending)].rstrip() + ending
