"""Which part of a file is asked for. Source: RFC 9110 §14.

One range of bytes is understood. Several, another unit or a range that is none are passed over, as the RFC allows: the
whole file is the answer. With `If-Range` the range counts only while the file still is that one.
"""

import re
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header

_ONE = re.compile(r"bytes\s*=\s*(\d{0,19})\s*-\s*(\d{0,19})\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ByteRange:
    start: int
    length: int


class Unsatisfiable(Exception):
    """The range lies outside the file: 416."""


@dataclass(frozen=True, slots=True)
class RangeAsked:
    """The headers of a request for content, as they came."""

    range: Annotated[str | None, Header(description="`bytes=0-999`: only a part, answered by 206.")] = None
    if_range: Annotated[str | None, Header(description="The ETag for which the range was meant.")] = None
    if_none_match: Annotated[str | None, Header(description="ETags that the client has: answered by 304.")] = None


PartAsked = Annotated[RangeAsked, Depends()]


def chosen_range(asked: RangeAsked, size: int, etag: str) -> ByteRange | None:
    """The part that is asked for, None for all of it. Raises Unsatisfiable."""
    if asked.range is None or (asked.if_range is not None and asked.if_range.strip() != etag):
        return None
    found = _ONE.fullmatch(asked.range.strip())
    if found is None or not (found[1] or found[2]):
        return None
    if not found[1]:
        length = min(int(found[2]), size)
        if not length:
            raise Unsatisfiable
        return ByteRange(size - length, length)
    start = int(found[1])
    end = min(int(found[2]), size - 1) if found[2] else size - 1
    if found[2] and int(found[2]) < start:
        return None
    if start >= size:
        raise Unsatisfiable
    return ByteRange(start, end - start + 1)


def has_already(asked: RangeAsked, etag: str) -> bool:
    """Whether the client has exactly this content."""
    if asked.if_none_match is None:
        return False
    known = {each.strip().removeprefix("W/") for each in asked.if_none_match.split(",")}
    return "*" in known or etag in known
