"""A body that is a file: taken in piece by piece, never held whole, stored whole or not at all.

Pieces are gathered to a megabyte before a thread writes them, so that a hop is paid once a megabyte. Where the client
goes away, or anything is refused, what was written is removed and the reserved bytes are given back.
"""

import asyncio
from collections.abc import AsyncIterator

from starlette.requests import ClientDisconnect, Request

from postroad.entrypoints.http.conventions.caller import CallerOf
from postroad.modules.artifacts import Artifact, ArtifactAsked, ArtifactKeeper, Behalf
from postroad.vocabulary.errors import PostroadError
from postroad.vocabulary.refusals import ValidationFailed

_PIECE_BYTES = 1024 * 1024


async def received(request: Request, caller: CallerOf, keeper: ArtifactKeeper, ask: ArtifactAsked) -> Artifact:
    """The artifact of the request's body. Raises what the keeper refuses."""
    upload = await caller.run(lambda: keeper.begin(behalf_of(caller), ask))
    try:
        async for piece in pieces(request):
            await asyncio.to_thread(upload.append, piece)
        return await asyncio.to_thread(upload.finish)
    except BaseException as error:
        reason = error.code if isinstance(error, PostroadError) else type(error).__name__
        await asyncio.shield(asyncio.to_thread(upload.abandon, reason))
        raise


def behalf_of(caller: CallerOf) -> Behalf:
    """For whom the keeper of artifacts does something."""
    return Behalf(caller.principal, caller.trace_id, caller.address)


async def pieces(request: Request) -> AsyncIterator[bytes]:
    """The body in pieces of about a megabyte. Raises ValidationFailed where the client goes away."""
    gathered = bytearray()
    try:
        async for chunk in request.stream():
            gathered += chunk
            if len(gathered) >= _PIECE_BYTES:
                yield bytes(gathered)
                gathered.clear()
    except ClientDisconnect:
        raise ValidationFailed.of("body", "INCOMPLETE", "the client went away before the file was whole") from None
    if gathered:
        yield bytes(gathered)
