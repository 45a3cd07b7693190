"""Pages of a list: `limit` and `cursor` in, `{items, page: {nextCursor, hasMore}}` out. Source: spec wepush §25.1."""

from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Query

from postroad.entrypoints.http.conventions.wire import GivenInstant, Shown
from postroad.kernel.pages import Page, PageRequest

T = TypeVar("T")


class PageShown(Shown):
    """Where a list goes on."""

    next_cursor: str | None
    has_more: bool


def paged(page: Page[T]) -> dict[str, object]:
    """`XPage.of(paged(found))` shows a page of views."""
    return {"items": page.items, "page": page}


def _asked(
    limit: Annotated[int, Query(ge=1, le=100, description="How many at most.")] = 50,
    cursor: Annotated[
        str | None, Query(max_length=1024, description="`nextCursor` of the page before, with the same filters.")
    ] = None,
) -> PageRequest:
    return PageRequest(limit=limit, cursor=cursor)


PageAsked = Annotated[PageRequest, Depends(_asked)]
"""`limit` and `cursor`."""


@dataclass(frozen=True, slots=True)
class ListFilters:
    name: Annotated[str | None, Query(max_length=200, description="Only names that contain this.")] = None
    status: Annotated[str | None, Query(max_length=40, description="Only this status.")] = None
    created_after: Annotated[
        GivenInstant | None, Query(alias="createdAfter", description="Only what was made at or after this time.")
    ] = None
    created_before: Annotated[
        GivenInstant | None, Query(alias="createdBefore", description="Only what was made before this time.")
    ] = None


FiltersAsked = Annotated[ListFilters, Depends()]
"""The filters that most lists have. A list with others declares them one by one, or a dataclass like this one."""
