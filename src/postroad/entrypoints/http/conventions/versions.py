"""The version of a resource on the wire: shown as a strong ETag, expected back in If-Match."""

from typing import Annotated

from fastapi import Depends, Header, Response

from postroad.kernel.versions import Expected, etag, from_etag


def show_version(response: Response, version: int) -> None:
    """Puts the ETag onto an answer."""
    response.headers["etag"] = etag(version)


def _expected(
    if_match: Annotated[
        str | None,
        Header(
            alias="If-Match",
            description='The version this change starts from, as its ETag: `"3"`. Missing: 428. Stale: 412.',
        ),
    ] = None,
) -> Expected:
    return from_etag(if_match)


IfMatch = Annotated[Expected, Depends(_expected)]
"""The version a changing request expects. `kernel.versions.expect` decides whether it still holds."""
