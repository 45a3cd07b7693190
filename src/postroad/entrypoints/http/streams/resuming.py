"""Where a watcher goes on: the header `Last-Event-ID`, or `lastEventId` in the query for a first connection."""

from typing import Annotated

from fastapi import Depends, Header, Query

from postroad.entrypoints.http.streams.log import Place
from postroad.vocabulary.refusals import ValidationFailed


def _place(
    last_event_id: Annotated[
        str | None, Header(description="The id of the last event that was seen. Browsers send it by themselves.")
    ] = None,
    asked: Annotated[
        str | None,
        Query(
            alias="lastEventId",
            description="The same, for a first connection; `0` begins with the oldest that is kept. The header wins.",
        ),
    ] = None,
) -> Place | None:
    text = asked if last_event_id is None else last_event_id
    if not text:
        return None
    try:
        return Place.of(text)
    except ValueError:
        message = "Last-Event-ID must be the id of an event of this stream, as it was received"
        raise ValidationFailed.of("Last-Event-ID", "EVENT_ID_INVALID", message) from None


LastEventId = Annotated[Place | None, Depends(_place)]
"""The place after which to begin; None: only what comes from now on."""
