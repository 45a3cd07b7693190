"""How many came to what: the account that every send, shard and run has to give."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from postroad.vocabulary.errors import AccountingBroken


@dataclass(frozen=True, slots=True)
class Counts:
    """`total = succeeded + failed + unknown + unsent + skipped + open`; `open` is 0 when it has ended."""

    total: int = 0
    succeeded: int = 0
    failed: int = 0
    unknown: int = 0
    unsent: int = 0
    skipped: int = 0
    retried: int = 0
    maybe_doubled: int = 0

    @property
    def settled(self) -> int:
        return self.succeeded + self.failed + self.unknown + self.unsent + self.skipped

    @property
    def open(self) -> int:
        return self.total - self.settled

    @property
    def reached_everyone(self) -> bool:
        return self.failed == self.unknown == self.unsent == 0

    def check(self, total: int, what: str) -> None:
        """Raises AccountingBroken unless the five outcomes add up to `total`."""
        parts = (self.succeeded, self.failed, self.unknown, self.unsent, self.skipped)
        if self.total != total or self.settled != total or min(parts) < 0:
            raise AccountingBroken(
                f"{what}: succeeded, failed, unknown, unsent and skipped are {parts}, together {self.settled}, "
                f"but it has {total} recipients; it is not reported as ended, its journals are kept"
            )

    def check_progress(self, total: int, what: str) -> None:
        """Raises AccountingBroken for counts that cannot be those of a part under way."""
        if self.total != total or not 0 <= self.settled <= total or min(asdict(self).values()) < 0:
            raise AccountingBroken(
                f"{what}: {self.settled} of {self.total} settled does not fit its {total} recipients; "
                "the report is not kept"
            )


def all_unsent(total: int) -> Counts:
    return Counts(total=total, unsent=total)


def add_counts(many: Iterable[Counts]) -> Counts:
    sums = dict.fromkeys(asdict(Counts()), 0)
    for counts in many:
        for name, number in asdict(counts).items():
            sums[name] += number
    return Counts(**sums)
