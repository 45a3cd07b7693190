"""Waits until the service has read an import, and shows how far it is."""

from contextlib import ExitStack

from rich.status import Status

from postroad.entrypoints.cli.remote.access.service import Service, Wire, path_of
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say
from postroad.vocabulary.errors import AudienceInvalid

_FIRST_LOOK_S, _LONGEST_LOOK_S = 0.1, 1.0


def read_import(service: Service, begun: Wire) -> Wire:
    """The import once it is read, or committed by itself. Raises AudienceInvalid where it cannot be read."""
    path, pause = path_of("audience-imports", begun["id"]), _FIRST_LOOK_S
    found = begun
    with ExitStack() as stack:
        status = stack.enter_context(_status()) if console.people.is_terminal else None
        while found["state"] == "UPLOADED":
            if status is not None:
                status.update(say("the service reads: {n} rows", n=console.number(found["rowsRead"])))
            service.wait(pause)
            pause = min(pause * 1.5, _LONGEST_LOOK_S)
            found = service.get(path)
    if found["state"] in ("PARSED", "COMMITTED"):
        return found
    raise AudienceInvalid(_why(found), field="audience")


def _status() -> Status:
    return Status(say("the service reads"), console=console.people)


def _why(found: Wire) -> str:
    reason = found["reason"]
    if reason is None:
        return say("the import was discarded by somebody else; nothing was kept")
    row = "" if reason["row"] is None else say(" (row {row})", row=reason["row"])
    return f"{reason['message']}{row}"
