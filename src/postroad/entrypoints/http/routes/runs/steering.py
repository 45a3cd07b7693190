"""Commands to a run.

202: taken. 200: taken before, under this key. 409 with the command in the body: the state of the run forbids it.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fastapi import Response

from postroad.entrypoints.http.conventions import Caller, CallerOf, RepeatKey, Router, WorkspaceId, problems
from postroad.entrypoints.http.routes.runs.paths import ONE, RunId
from postroad.entrypoints.http.runs import RunComposition
from postroad.entrypoints.http.wire.runs.standing import CommandShown
from postroad.entrypoints.http.wire.runs.starting import CancelAsked, ConcurrencyAsked, RateAsked
from postroad.flows import sending
from postroad.flows.sending import SteerAsk
from postroad.modules.runs import CommandKind

Steer = Callable[[CallerOf, SteerAsk, Response], Awaitable[CommandShown]]
_COMMANDS = ONE + "/commands/"
_ANSWERS = {
    **problems(403, 404),
    409: {"model": CommandShown, "description": "REJECTED: the state of the run forbids it; the message says why."},
}


def add_routes(router: Router, composition: RunComposition) -> None:
    async def steer(caller: CallerOf, ask: SteerAsk, response: Response) -> CommandShown:
        around = composition.runs.sending.runs
        answered = await caller.write(lambda uow: sending.steer_run(uow, ask, around))
        response.status_code = 200 if answered.is_repeat and answered.status == 202 else answered.status
        return CommandShown.of(answered)

    _add_plain(router, steer)
    _add_with_payload(router, steer)


def _add_plain(router: Router, steer: Steer) -> None:
    @router.post(_COMMANDS + "pause", status_code=202, responses=_ANSWERS)
    async def pause_run(
        caller: Caller, workspace_id: WorkspaceId, run_id: RunId, key: RepeatKey, response: Response
    ) -> CommandShown:
        """Nothing more leaves until it is resumed; what is in flight is waited for."""
        return await steer(caller, SteerAsk(workspace_id, run_id, CommandKind.PAUSE, key), response)

    @router.post(_COMMANDS + "resume", status_code=202, responses=_ANSWERS)
    async def resume_run(
        caller: Caller, workspace_id: WorkspaceId, run_id: RunId, key: RepeatKey, response: Response
    ) -> CommandShown:
        """Goes on, at the rates and without a burst."""
        return await steer(caller, SteerAsk(workspace_id, run_id, CommandKind.RESUME, key), response)


def _add_with_payload(router: Router, steer: Steer) -> None:
    def ask(workspace_id: str, run_id: str, kind: CommandKind, key: str | None, payload: Mapping[str, Any]) -> SteerAsk:
        return SteerAsk(workspace_id, run_id, kind, key, payload)

    @router.post(_COMMANDS + "cancel", status_code=202, responses=_ANSWERS)
    async def cancel_run(
        caller: Caller,
        workspace_id: WorkspaceId,
        run_id: RunId,
        key: RepeatKey,
        body: CancelAsked | None = None,
        *,
        response: Response,
    ) -> CommandShown:
        """Ends the run: what is in flight is waited for, the rest is UNSENT. Nobody can take it back."""
        payload = (body or CancelAsked()).model_dump()
        return await steer(caller, ask(workspace_id, run_id, CommandKind.CANCEL, key, payload), response)

    @router.post(_COMMANDS + "concurrency", status_code=202, responses=_ANSWERS)
    async def change_run_concurrency(
        caller: Caller,
        workspace_id: WorkspaceId,
        run_id: RunId,
        key: RepeatKey,
        body: ConcurrencyAsked,
        *,
        response: Response,
    ) -> CommandShown:
        """Sends so many at once from now on, inside the range that was frozen with the run."""
        payload = body.model_dump()
        return await steer(caller, ask(workspace_id, run_id, CommandKind.CONCURRENCY, key, payload), response)

    @router.post(_COMMANDS + "rate", status_code=202, responses=_ANSWERS)
    async def change_run_rate(
        caller: Caller,
        workspace_id: WorkspaceId,
        run_id: RunId,
        key: RepeatKey,
        body: RateAsked,
        *,
        response: Response,
    ) -> CommandShown:
        """Sets the rate of a budget from now on; what was sent still counts."""
        payload = body.model_dump()
        return await steer(caller, ask(workspace_id, run_id, CommandKind.RATE, key, payload), response)
