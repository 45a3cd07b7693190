"""A recipient as a report shows it."""

from collections.abc import Mapping
from dataclasses import dataclass

from postroad.vocabulary.values import RecipientValue


@dataclass(frozen=True, slots=True)
class AcceptedSample:
    row: int
    fields: Mapping[str, RecipientValue]
