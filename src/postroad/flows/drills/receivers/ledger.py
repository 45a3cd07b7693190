"""What a receiver knows: copies per recipient, requests per fate, whom it left in doubt, how many are open at once."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from postroad.flows.drills.receivers.weather import Fate, Weather


@dataclass(slots=True)
class Ledger:
    weather: Weather
    copies: Counter[str] = field(default_factory=Counter)
    requests: Counter[str] = field(default_factory=Counter)
    fates: Counter[str] = field(default_factory=Counter)
    doubtful: int = 0
    """Recipients of requests whose line was cut where the sender cannot know what became of them."""
    in_flight: int = 0
    in_flight_max: int = 0

    def fate_of(self, recipient: str) -> Fate:
        """Draws the fate of one more request for this recipient, and counts it."""
        self.requests[recipient] += 1
        fate = self.weather.fate(recipient, self.requests[recipient])
        self.fates[fate] += 1
        return fate

    def arrived(self, recipient: str) -> None:
        self.copies[recipient] += 1

    @contextmanager
    def open_request(self) -> Iterator[None]:
        self.in_flight += 1
        self.in_flight_max = max(self.in_flight_max, self.in_flight)
        try:
            yield
        finally:
            self.in_flight -= 1

    def report(self) -> dict[str, object]:
        """As JSON can say it: `copies` by recipient, `requests` in all, `fates`, and the counts above."""
        return {
            "copies": dict(self.copies),
            "requests": self.requests.total(),
            "fates": dict(self.fates),
            "doubtful": self.doubtful,
            "inFlight": self.in_flight,
            "inFlightMax": self.in_flight_max,
        }
