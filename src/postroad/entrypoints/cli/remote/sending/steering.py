"""Commands to a run: asked once each, told whether they were taken."""

from http import HTTPStatus

from postroad.entrypoints.cli.remote.access.service import Service, Wire, path_of
from postroad.entrypoints.cli.texts import say
from postroad.foundation.ids import uuid7
from postroad.vocabulary.refusals import RunStateConflict


def steer(service: Service, run_id: str, kind: str, body: object = None) -> Wire:
    """The command as the service keeps it; workers follow in a moment. Raises RunStateConflict where the state of the
    run forbids it."""
    path = f"{path_of('runs', run_id)}/commands/{kind}"
    answer = service.ask("POST", path, body, key=uuid7(), also=HTTPStatus.CONFLICT)
    command: Wire = answer.value
    if answer.status == HTTPStatus.CONFLICT:
        said = say("the run refused `{kind}`: {message}", kind=kind, message=command["message"])
        raise RunStateConflict(said)
    return command
