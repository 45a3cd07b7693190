"""Lists in pages: a cursor says where the last page ended and cannot be forged or used elsewhere.

A cursor is base64url of the position (JSON) and an HMAC-SHA256 over workspace, resource, filters and position. It tells
no SQL and opens only the list it was made for. A store reads one row more than the page holds, to know of a next page.
"""

import base64
import binascii
import hmac
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy import FromClause, Select, literal, tuple_

from postroad.kernel.authz import Resource
from postroad.kernel.tables import canonical_json
from postroad.vocabulary.refusals import ValidationFailed

_T = TypeVar("_T")
_V = TypeVar("_V")
_SIGNATURE_BYTES = 32
_LONGEST = 1024

Position = tuple[int | str, ...]
"""What the rows are ordered by, as of the last row of a page; mostly (created_at_ms, id)."""
Filters = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Raises ValidationFailed where `limit` is not 1..100 (or up to `most`)."""

    limit: int = 50
    cursor: str | None = None
    most: int = 100

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= self.most:
            raise ValidationFailed.of("limit", "OUT_OF_RANGE", f"limit must be 1..{self.most}, not {self.limit}")


@dataclass(frozen=True, slots=True)
class Page(Generic[_T]):
    items: tuple[_T, ...]
    next_cursor: str | None
    has_more: bool


class CursorKey:
    def __init__(self, secret: bytes) -> None:
        """`secret` is at least 32 bytes and the same in all instances of a service."""
        if len(secret) < 32:
            raise ValueError("the key of cursors must have at least 32 bytes")
        self._secret = secret

    def seal(self, resource: Resource, filters: Filters, position: Position) -> str:
        body = canonical_json(list(position)).encode()
        return base64.urlsafe_b64encode(self._signature(resource, filters, body) + body).rstrip(b"=").decode()

    def open(self, cursor: str, resource: Resource, filters: Filters) -> Position:
        """Raises ValidationFailed for what `seal` did not make for this list."""
        raw = _decoded(cursor)
        signature, body = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
        if not hmac.compare_digest(signature, self._signature(resource, filters, body)):
            raise _refused()
        return tuple(json.loads(body))

    def _signature(self, resource: Resource, filters: Filters, body: bytes) -> bytes:
        bound = [resource.workspace_id, resource.type, resource.id, {k: v for k, v in filters.items() if v is not None}]
        return hmac.digest(self._secret, canonical_json(bound).encode() + b"\0" + body, "sha256")


@dataclass(frozen=True, slots=True)
class Listing:
    """One request for one page of one list, opened: hand it to the store, then make the page of its rows."""

    request: PageRequest
    resource: Resource
    filters: Filters
    position: Position | None
    """Where the last page ended; None for the first."""
    cursors: CursorKey

    @staticmethod
    def open(cursors: CursorKey, request: PageRequest, resource: Resource, filters: Filters) -> "Listing":
        """Raises ValidationFailed for a cursor of another list."""
        position = None if request.cursor is None else cursors.open(request.cursor, resource, filters)
        return Listing(request, resource, filters, position, cursors)

    @property
    def rows_wanted(self) -> int:
        """One more than the page holds."""
        return self.request.limit + 1

    def newest_first(self, statement: Select[Any], table: FromClause) -> Select[Any]:
        """Orders by (created_at_ms, id), newest first, from where the last page ended, `rows_wanted` rows."""
        keys = (table.c.created_at_ms, table.c.id)
        if self.position is not None:
            last = (literal(value, key.type) for value, key in zip(self.position, keys, strict=True))
            statement = statement.where(tuple_(*keys) < tuple_(*last))
        return statement.order_by(*(key.desc() for key in keys)).limit(self.rows_wanted)

    def page(self, rows: Sequence[_V], position_of: Callable[[_V], Position]) -> Page[_V]:
        """`rows` are at most `rows_wanted`."""
        return page_of(
            rows, self.request.limit, lambda row: self.cursors.seal(self.resource, self.filters, position_of(row))
        )


def page_of(rows: Sequence[_V], limit: int, cursor_of: Callable[[_V], str]) -> Page[_V]:
    """The first `limit` of the rows; a further row only says that there are more."""
    items = tuple(rows[:limit])
    has_more = len(rows) > limit
    return Page(items, cursor_of(items[-1]) if has_more else None, has_more)


def _decoded(cursor: str) -> bytes:
    if len(cursor) > _LONGEST or not cursor.isascii():
        raise _refused()
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise _refused() from None
    if base64.urlsafe_b64encode(raw).rstrip(b"=").decode() != cursor:
        raise _refused()
    return raw


def _refused() -> ValidationFailed:
    said = "the cursor does not belong to this list and these filters; start again without one"
    return ValidationFailed.of("cursor", "CURSOR_INVALID", said)
