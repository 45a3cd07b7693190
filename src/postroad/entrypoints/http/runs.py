"""What the routes of runs ask of the composition root."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from postroad.entrypoints.http.composition import HttpComposition

if TYPE_CHECKING:
    from postroad.flows.run_results import ResultsNeeds
    from postroad.flows.sending import SendingNeeds


@dataclass(frozen=True, slots=True)
class RunParts:
    sending: "SendingNeeds"
    results: "ResultsNeeds"


class RunComposition(HttpComposition, Protocol):
    @property
    def runs(self) -> RunParts: ...
