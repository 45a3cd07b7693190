"""Holds the sender's account against the receiver's: who is missing, who got two, who is called what they are not."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

OUTCOMES = ("succeeded", "failed", "unknown", "unsent", "skipped")
_ARRIVED_IS_A_LIE = ("failed", "unsent", "skipped")


@dataclass(frozen=True, slots=True)
class Comparison:
    """All figures count recipients. A drill is passed when `lost`, `doubled` and `misreported` are zero."""

    total: int
    counts: Mapping[str, int]
    lost: int
    """In no result file, in two of them, or called succeeded without a copy at the receiver."""
    doubled: int
    """More than one copy arrived."""
    misreported: int
    """A copy arrived, and the sender says failed, unsent or skipped; or a name that nobody gave."""
    examples: tuple[str, ...]


def compare(folder: Path, identity: str, expected: set[str], copies: Mapping[str, int]) -> Comparison:
    """Reads the five result files of a finished send. `expected` are the identities that were accepted."""
    told: dict[str, list[str]] = {person: [] for person in expected}
    for outcome in OUTCOMES:
        for person in _people(folder / f"{outcome}.csv", identity):
            told.setdefault(person, []).append(outcome)
    lost = [p for p, said in told.items() if len(said) != 1 or (said == ["succeeded"] and not copies.get(p))]
    doubled = [p for p, n in copies.items() if n > 1]
    strangers = (told.keys() | copies.keys()) - expected
    denied = [p for p, said in told.items() if copies.get(p) and set(said) & set(_ARRIVED_IS_A_LIE)]
    misreported = sorted(strangers.union(denied))
    examples = [
        *(f"lost {p}: {told[p]}, {copies.get(p, 0)} copies" for p in lost[:3]),
        *(f"doubled {p}: {copies[p]} copies, {told.get(p)}" for p in doubled[:3]),
        *(f"misreported {p}: {told.get(p)}, {copies.get(p, 0)} copies" for p in misreported[:3]),
    ]
    counts = {outcome: sum(outcome in said for said in told.values()) for outcome in OUTCOMES}
    return Comparison(len(expected), counts, len(lost), len(doubled), len(misreported), tuple(examples))


def _people(path: Path, identity: str) -> Iterator[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            yield row[identity]
