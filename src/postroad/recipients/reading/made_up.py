"""Made-up recipients, for trials and drills: `number` from 1 and a `name`."""

from collections.abc import Iterator, Sequence

from postroad.recipients.reading.records import Block, Origin
from postroad.recipients.request import ImportLimits, SyntheticInput
from postroad.vocabulary.errors import AudienceInvalid

_BLOCK_ROWS = 8_192


class MadeUp:
    ragged = False

    def __init__(self, source: SyntheticInput, limits: ImportLimits) -> None:
        if not 1 <= source.count <= limits.max_rows:
            raise AudienceInvalid(f"count must be from 1 to {limits.max_rows:,}", field="audience.count")
        self._count = source.count
        self.columns: Sequence[str] | None = ("number", "name")
        self.origin = Origin("synthetic", delimiter=",", quote='"')

    def blocks(self) -> Iterator[Block]:
        for first in range(1, self._count + 1, _BLOCK_ROWS):
            numbers = range(first, min(first + _BLOCK_ROWS, self._count + 1))
            rows = [[str(number), f"Recipient {number}"] for number in numbers]
            yield Block(numbers, rows, [",".join(row) for row in rows])
