"""Tables that leave as CSV, and for whom recipients are sent and shown."""

import os
from collections.abc import AsyncIterator
from typing import Any, BinaryIO

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from postroad.entrypoints.http.conventions import CallerOf
from postroad.entrypoints.http.downloads import attachment
from postroad.modules.audiences import Sender

_PIECE_BYTES = 1024 * 1024
CSV_ANSWER: dict[int | str, dict[str, Any]] = {
    200: {"description": "The table", "content": {"text/csv": {"schema": {"type": "string", "format": "binary"}}}}
}


def csv_response(file: BinaryIO, file_name: str) -> Response:
    """Sends an open file to its end and closes it."""
    headers = {
        "content-disposition": attachment(file_name),
        "content-length": str(os.fstat(file.fileno()).st_size),
        "content-security-policy": "default-src 'none'; sandbox",
        "cache-control": "private, no-store",
    }
    return StreamingResponse(_pieces(file), headers=headers, media_type="text/csv")


def sender_of(caller: CallerOf, workspace_id: str) -> Sender:
    return Sender(caller.principal, workspace_id, caller.trace_id, caller.address)


async def _pieces(file: BinaryIO) -> AsyncIterator[bytes]:
    with file:
        while piece := await run_in_threadpool(file.read, _PIECE_BYTES):
            yield piece
