"""Which run is meant."""

from http import HTTPStatus

from postroad.entrypoints.cli.remote.access.naming import is_id
from postroad.entrypoints.cli.remote.access.refusals import ServiceRefused
from postroad.entrypoints.cli.remote.access.service import Service, Wire, path_of
from postroad.entrypoints.cli.texts import say
from postroad.vocabulary.refusals import ResourceNotFound

LATEST = "latest"


def get_run(service: Service, text: str, *, may_be_latest: bool = True) -> Wire:
    """The run with this id, or `latest`: a word for looking, not for what ends or repeats a run, since a schedule may
    have begun another one meanwhile. Raises ResourceNotFound."""
    run_id = text
    if text == LATEST and may_be_latest:
        newest = service.listed("runs", {}, limit=1).items
        if not newest:
            raise ResourceNotFound(say("there is no run yet; start one: postroad jobs run NAME"))
        run_id = str(newest[0]["id"])
    elif not is_id(text):
        raise ResourceNotFound(say("`{run}` is no id of a run; see: postroad runs list", run=text))
    try:
        return service.get(path_of("runs", run_id))
    except ServiceRefused as refused:
        if refused.status != HTTPStatus.NOT_FOUND:
            raise
        raise ResourceNotFound(say("there is no run {run}; see: postroad runs list", run=text)) from None
