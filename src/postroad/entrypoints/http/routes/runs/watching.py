"""The events of a run: live where the client takes a stream, as a list where it does not."""

from typing import Annotated, Any

import orjson
from fastapi import Query, Request, Response

from postroad.entrypoints.http.conventions import Caller, CallerOf, Router, WorkspaceId, iso, problems
from postroad.entrypoints.http.routes.runs.paths import ONE, RunId
from postroad.entrypoints.http.runs import RunComposition
from postroad.entrypoints.http.streams import BEGINNING, EventStream, LastEventId, LoggedEvent, Place, Portion
from postroad.entrypoints.http.wire.runs.results import RunEventsShown, shown_events
from postroad.kernel.authz import Principal
from postroad.kernel.database import Database
from postroad.modules import runs
from postroad.modules.runs import RUNS_TOPIC, RunEventRow

_READER = Principal.system("run-events")
_EITHER: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A list, or with `Accept: text/event-stream` server-sent events until the run has ended.",
        "content": {"text/event-stream": {}},
        "model": RunEventsShown,
    }
}
After = Annotated[int, Query(ge=0, description="For a list: only events behind this sequence.")]
Limit = Annotated[int, Query(ge=1, le=500, description="For a list: how many at most.")]


def add_routes(router: Router, composition: RunComposition) -> None:
    composition.streams.listen(RUNS_TOPIC)

    @router.get(ONE + "/events", response_model=None, responses={**_EITHER, **problems(404, 503)})
    async def watch_run(
        caller: Caller,
        workspace_id: WorkspaceId,
        run_id: RunId,
        request: Request,
        place: LastEventId,
        *,
        after: After = 0,
        limit: Limit = 100,
    ) -> Response:
        """What happens in a run. `event: cursor-expired` means: load the run anew."""
        if "text/event-stream" not in request.headers.get("accept", ""):
            portion = await caller.read(
                lambda reading: runs.list_run_events(reading, workspace_id, run_id, after, limit)
            )
            return Response(shown_events(portion, after).model_dump_json(by_alias=True), media_type="application/json")
        await caller.read(lambda reading: runs.get_run(reading, workspace_id, run_id))
        return _stream(caller, composition, workspace_id, run_id, place)


def _stream(
    caller: CallerOf, composition: RunComposition, workspace_id: str, run_id: str, place: Place | None
) -> EventStream:
    def may_watch() -> None:
        composition.database.read(caller.again(), lambda reading: runs.get_run(reading, workspace_id, run_id))

    return EventStream(
        composition.streams,
        f"{RUNS_TOPIC}:{run_id}",
        lambda: RunLog(composition.database, workspace_id, run_id),
        after=BEGINNING if place is None else place,
        still_allowed=may_watch,
    )


class RunLog:
    """The events of one run as a stream. Fulfils `streams.EventLog`."""

    def __init__(self, database: Database, workspace_id: str, run_id: str) -> None:
        self._database = database
        self._workspace_id = workspace_id
        self._run_id = run_id

    def read(self, after: Place, limit: int) -> Portion:
        found = self._database.read(
            _READER,
            lambda reading: runs.list_run_events(reading, self._workspace_id, self._run_id, after.sequence, limit),
        )
        reached = Place(0, found.events[-1].sequence) if found.events else after
        events = [_logged(event) for event in found.events]
        return Portion(events, reached, has_more=found.has_more, has_gap=found.has_gap, is_last=found.is_last)

    def newest(self) -> Place:
        return Place(0, self._database.read(_READER, lambda reading: runs.newest_event(reading, self._run_id)))


def _logged(event: RunEventRow) -> LoggedEvent:
    body = {
        "runId": event.run_id,
        "sequence": event.sequence,
        "severity": event.severity,
        "occurredAt": iso(event.occurred_at_ms),
        **event.payload,
    }
    return LoggedEvent(Place(0, event.sequence), event.type, orjson.dumps(body))
