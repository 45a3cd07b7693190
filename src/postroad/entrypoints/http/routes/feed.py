"""The feed of a workspace: its events as they are committed, live."""

from typing import Any

import orjson

from postroad.entrypoints.http.composition import HttpComposition
from postroad.entrypoints.http.conventions import Caller, Router, WorkspaceId, iso, problems
from postroad.entrypoints.http.streams import BEGINNING, EventStream, LastEventId, LoggedEvent, Place, Portion
from postroad.kernel import outbox
from postroad.kernel.authz import Action, Principal, Resource
from postroad.kernel.database import EVENTS_TOPIC, Database
from postroad.kernel.uow import Reading
from postroad.vocabulary.events import Event, EventName

_NOT_FOR_ALL = frozenset({EventName.MEMBER_CHANGED, EventName.TOKEN_CHANGED, EventName.USER_CHANGED})
"""Every member may watch; these tell of what only administrators see."""
_READER = Principal.system("feed")
_LIVE: dict[int | str, dict[str, Any]] = {
    200: {"description": "Server-sent events, until the client leaves.", "content": {"text/event-stream": {}}}
}


def add_routes(router: Router, composition: HttpComposition) -> None:
    """GET /workspaces/{workspaceId}/events."""
    composition.streams.listen(EVENTS_TOPIC)

    @router.get(
        "/workspaces/{workspaceId}/events",
        response_class=EventStream,
        responses={**_LIVE, **problems(403, 404, 503)},
    )
    async def watch_workspace(caller: Caller, workspace_id: WorkspaceId, after: LastEventId) -> EventStream:
        """What happens in the workspace, live. `event: cursor-expired` means: load what you show anew."""

        def may_watch() -> None:
            composition.database.read(caller.again(), lambda reading: _admit(reading, workspace_id))

        await caller.read(lambda reading: _admit(reading, workspace_id))
        return EventStream(
            composition.streams,
            f"{EVENTS_TOPIC}:{workspace_id}",
            lambda: WorkspaceLog(composition.database, workspace_id),
            after=after,
            still_allowed=may_watch,
        )


class WorkspaceLog:
    """The outbox of one workspace as a stream. Fulfils `streams.EventLog`."""

    def __init__(self, database: Database, workspace_id: str) -> None:
        self._database = database
        self._workspace_id = workspace_id

    def read(self, after: Place, limit: int) -> Portion:
        return self._database.read(_READER, lambda reading: self._portion(reading, after, limit))

    def newest(self) -> Place:
        head = self._database.read(_READER, lambda reading: outbox.feed_head(reading, self._workspace_id))
        return Place.of(head) if head else BEGINNING

    def _portion(self, reading: Reading, after: Place, limit: int) -> Portion:
        items = outbox.feed(reading, self._workspace_id, _cursor(after), limit)
        shown = [_logged(item) for item in items if item.event.name not in _NOT_FOR_ALL]
        has_gap = bool(items) and after != BEGINNING and self._oldest(reading) == items[0].cursor
        reached = Place.of(items[-1].cursor) if items else after
        return Portion(shown, reached, has_more=len(items) == limit, has_gap=has_gap)

    def _oldest(self, reading: Reading) -> str:
        return outbox.feed(reading, self._workspace_id, "", 1)[0].cursor


def _admit(reading: Reading, workspace_id: str) -> None:
    reading.authorize(Action.WORKSPACE_READ, Resource(workspace_id, "workspace", workspace_id))


def _cursor(place: Place) -> str:
    return "" if place == BEGINNING else f"{place.transaction}.{place.sequence}"


def _logged(item: outbox.FeedItem) -> LoggedEvent:
    return LoggedEvent(Place.of(item.cursor), item.event.name.value, orjson.dumps(_shown(item.event)))


def _shown(event: Event) -> dict[str, object]:
    return {
        "eventId": event.event_id,
        "name": event.name.value,
        "aggregate": {"type": event.aggregate.type, "id": event.aggregate.id, "version": event.aggregate.version},
        "actor": event.actor,
        "occurredAt": iso(event.occurred_at_ms),
        "payload": event.payload,
    }
