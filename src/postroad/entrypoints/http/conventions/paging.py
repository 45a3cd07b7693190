"""Pages of a list: `limit` and `cursor` in, `{items, page: {nextCursor, hasMore}}` out. Source: spec wepush §25.1."""

from typing import Annotated

from fastapi import Depends, Query

from postroad.entrypoints.http.conventions.wire import GivenInstant, Shown
from postroad.kernel.pages import PageRequest


class PageShown(Shown):
    """Where a list goes on."""

    next_cursor: str | None
    has_more: bool


def _asked(
    limit: Annotated[int, Query(ge=1, le=100, description="How many at most.")] = 50,
    cursor: Annotated[
        str | None, Query(max_length=1024, description="`nextCursor` of the page before, with the same filters.")
    ] = None,
) -> PageRequest:
    return PageRequest(limit=limit, cursor=cursor)


PageAsked = Annotated[PageRequest, Depends(_asked)]

NameFilter = Annotated[str | None, Query(max_length=200, description="Only names that contain this.")]
StatusFilter = Annotated[str | None, Query(max_length=40, description="Only this status.")]
AfterFilter = Annotated[GivenInstant | None, Query(alias="createdAfter", description="Only what was made at or after.")]
BeforeFilter = Annotated[GivenInstant | None, Query(alias="createdBefore", description="Only what was made before.")]
