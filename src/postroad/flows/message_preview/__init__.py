"""Looking at a message before anybody gets it: as a saved revision or as a draft, for made-up people or for rows of an
audience.

Read what is needed in one transaction, then render outside of it: a template may take its time. Nothing is sent, no
secret is read, nothing is kept.
"""

from postroad.flows.message_preview.ports import AudienceRows, PreviewNeeds, RowReader
from postroad.flows.message_preview.previewing import (
    MOST_ROWS,
    Draft,
    FromAudience,
    People,
    PreviewAsk,
    PreviewResult,
    SavedMessage,
    preview_message,
)

__all__ = [
    "MOST_ROWS",
    "AudienceRows",
    "Draft",
    "FromAudience",
    "People",
    "PreviewAsk",
    "PreviewNeeds",
    "PreviewResult",
    "RowReader",
    "SavedMessage",
    "preview_message",
]
