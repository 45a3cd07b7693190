"""What every route shares. Route files import from here."""

from postroad.entrypoints.http.conventions.answers import SENDS, created, problems
from postroad.entrypoints.http.conventions.caller import Caller, CallerOf
from postroad.entrypoints.http.conventions.paging import FiltersAsked, ListFilters, PageAsked, PageShown, paged
from postroad.entrypoints.http.conventions.paths import WorkspaceId, path_part
from postroad.entrypoints.http.conventions.repeats import RepeatKey
from postroad.entrypoints.http.conventions.routing import Door, Router
from postroad.entrypoints.http.conventions.versions import IfMatch, show_version
from postroad.entrypoints.http.conventions.wire import Asked, GivenInstant, Instant, Shown, iso, stamp

__all__ = [
    "SENDS",
    "Asked",
    "Caller",
    "CallerOf",
    "Door",
    "FiltersAsked",
    "GivenInstant",
    "IfMatch",
    "Instant",
    "ListFilters",
    "PageAsked",
    "PageShown",
    "RepeatKey",
    "Router",
    "Shown",
    "WorkspaceId",
    "created",
    "iso",
    "paged",
    "path_part",
    "problems",
    "show_version",
    "stamp",
]
