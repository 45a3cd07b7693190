"""Where a watcher goes on: the header `Last-Event-ID`, or `lastEventId` in the query for a first connection."""

from typing import Annotated

from fastapi import Depends, Header, Query

from postroad.vocabulary.refusals import ValidationFailed

_LARGEST = 2**63 - 1


def _position(
    last_event_id: Annotated[
        str | None, Header(description="The id of the last event that was seen. Browsers send it by themselves.")
    ] = None,
    asked: Annotated[
        str | None, Query(alias="lastEventId", description="The same, for a first connection. The header wins.")
    ] = None,
) -> int | None:
    text = last_event_id or asked
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and int(text) <= _LARGEST):
        message = "must be the id of an event of this stream: a whole number"
        raise ValidationFailed.of("Last-Event-ID", "EVENT_ID_INVALID", f"Last-Event-ID {message}")
    return int(text)


LastEventId = Annotated[int | None, Depends(_position)]
"""The sequence after which to begin; None: only what comes from now on."""
