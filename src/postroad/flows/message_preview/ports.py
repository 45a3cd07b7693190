"""What a preview needs from elsewhere; the composition root fills it in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from postroad.kernel.database import Database
from postroad.kernel.uow import Reading
from postroad.modules.messages import MessageNeeds
from postroad.spi import Recipient

RowReader = Callable[[Sequence[int], int], Sequence[Recipient]]
"""`read(rows, limit)`: the recipients of these rows (as the spreadsheet counts), or the first `limit` where none is
named. Raises ValidationFailed for a row that the audience does not have."""


class AudienceRows(Protocol):
    def reader(self, reading: Reading, workspace_id: str, audience_id: str) -> RowReader:
        """What reads the latest snapshot of an audience; to be called after the transaction, since it reads a file.

        Raises ResourceNotFound, ArtifactNotReady.
        """
        ...


@dataclass(frozen=True, slots=True)
class PreviewNeeds:
    """Made once by the composition root."""

    database: Database
    messages: MessageNeeds
    audiences: AudienceRows
