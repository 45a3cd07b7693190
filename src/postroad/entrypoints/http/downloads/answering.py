"""The headers and the body of a file that is handed out.

What people stored is never trusted to be a page: only types that no browser runs are named, everything else is bytes,
sniffing is off, and the answer may not be kept by anything on the way.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Protocol

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from postroad.entrypoints.http.downloads.naming import attachment
from postroad.entrypoints.http.downloads.ranges import ByteRange

_HARMLESS = frozenset(
    {
        "application/gzip",
        "application/json",
        "application/pdf",
        "application/vnd.apache.parquet",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/x-ndjson",
        "application/zip",
        "text/csv",
        "text/plain",
    }
)


class Content(Protocol):
    @property
    def size_bytes(self) -> int: ...
    @property
    def sha256(self) -> str: ...
    @property
    def content_type(self) -> str: ...
    @property
    def file_name(self) -> str: ...


def content_etag(content: Content) -> str:
    """Strong: the same bytes have the same ETag, other bytes never."""
    return f'"{content.sha256}"'


def content_headers(content: Content, part: ByteRange | None = None) -> dict[str, str]:
    """Of an answer with the content, or with a part of it."""
    known = content.content_type in _HARMLESS
    headers = {
        "accept-ranges": "bytes",
        "etag": content_etag(content),
        "content-type": content.content_type if known else "application/octet-stream",
        "content-disposition": attachment(content.file_name),
        "content-length": str(content.size_bytes if part is None else part.length),
        "content-security-policy": "default-src 'none'; sandbox",
        "cache-control": "private, no-store",
    }
    if part is not None:
        headers["content-range"] = f"bytes {part.start}-{part.start + part.length - 1}/{content.size_bytes}"
    return headers


def content_response(content: Content, part: ByteRange | None, chunks: Iterator[bytes]) -> Response:
    """200 with all of it or 206 with a part; the file is closed when the client goes away."""
    return StreamingResponse(_piecewise(chunks), 200 if part is None else 206, content_headers(content, part))


def not_modified(content: Content) -> Response:
    return Response(status_code=304, headers={"etag": content_etag(content), "cache-control": "private, no-store"})


async def _piecewise(chunks: Iterator[bytes]) -> AsyncIterator[bytes]:
    try:
        while piece := await run_in_threadpool(next, chunks, b""):
            yield piece
    finally:
        close = getattr(chunks, "close", None)
        if close is not None:
            close()
