"""Things of a workspace by the names people gave them, or by their ids."""

import re
from collections.abc import Callable
from http import HTTPStatus

from postroad.entrypoints.cli.remote.access.kinds import Kind
from postroad.entrypoints.cli.remote.access.refusals import ServiceRefused
from postroad.entrypoints.cli.remote.access.service import Service, Wire, path_of
from postroad.entrypoints.cli.texts import say
from postroad.vocabulary.refusals import ResourceNotFound, ValidationFailed

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
ARCHIVED = "ARCHIVED"


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def get_one(service: Service, kind: Kind, text: str) -> Wire:
    """The thing in full. Raises ResourceNotFound, ValidationFailed where several have the name."""
    if is_id(text):
        try:
            return service.get(f"{kind.path}/{path_of(text)}")
        except ServiceRefused as refused:
            if refused.status != HTTPStatus.NOT_FOUND:
                raise
    found = find_named(service, kind, text)
    if found is None:
        said = say("there is nothing called `{name}`; see: postroad {group} list", name=text, group=kind.group)
        raise ResourceNotFound(said)
    return service.get(f"{kind.path}/{path_of(str(found[kind.id_field]))}")


def id_of(service: Service, kind: Kind, text: str | None) -> str | None:
    """The id of what is called so; None for None. Raises as `get_one`."""
    return None if text is None else str(get_one(service, kind, text)[kind.id_field])


def find_named(service: Service, kind: Kind, name: str) -> Wire | None:
    """The entry of the list with exactly this name; one that is in use before archived ones. Small and capital letters
    count only where they tell two apart. Raises ValidationFailed for several."""
    found = [one for one in service.each(kind.path, {"name": name}) if _same(one[kind.name_field], name)]
    for fits in _PREFERRED:
        chosen = [one for one in found if fits(one, kind, name)]
        if len(chosen) == 1:
            return chosen[0]
        if chosen:
            ids = ", ".join(str(one[kind.id_field]) for one in chosen)
            raise ValidationFailed(say("several are called `{name}`; give the id: {ids}", name=name, ids=ids))
    return None


def _same(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def _is_used(one: Wire, _: Kind, __: str) -> bool:
    return bool(one.get("status") != ARCHIVED)


_PREFERRED: tuple[Callable[[Wire, Kind, str], bool], ...] = (
    lambda one, kind, name: _is_used(one, kind, name) and one[kind.name_field] == name,
    _is_used,
    lambda one, kind, name: one[kind.name_field] == name,
    lambda *_: True,
)
