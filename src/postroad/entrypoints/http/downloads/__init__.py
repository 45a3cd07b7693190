"""Files on their way to a client: which part of them, under which name, with which headers."""

from postroad.entrypoints.http.downloads.answering import content_etag, content_headers, content_response, not_modified
from postroad.entrypoints.http.downloads.naming import attachment
from postroad.entrypoints.http.downloads.ranges import (
    ByteRange,
    PartAsked,
    RangeAsked,
    Unsatisfiable,
    chosen_range,
    has_already,
)

__all__ = [
    "ByteRange",
    "PartAsked",
    "RangeAsked",
    "Unsatisfiable",
    "attachment",
    "chosen_range",
    "content_etag",
    "content_headers",
    "content_response",
    "has_already",
    "not_modified",
]
