"""What routes say about their answers: the problems in the contract, places of what was made, versions."""

from typing import Any

from fastapi import Response

from postroad.entrypoints.http.conventions.versions import show_version

SAID = {
    400: "The request cannot be read or holds something that is not allowed",
    401: "Nobody is signed in, or the token is no more",
    403: "The right to do this is missing",
    404: "There is no such thing, or it may not be seen",
    409: "The state, the version or an idempotency key is in the way",
    412: "The version in If-Match is not the current one",
    413: "The body is larger than this route takes",
    422: "A provider cannot work with this configuration",
    428: "If-Match is missing",
    429: "Too often; see Retry-After",
    503: "Not now; see Retry-After",
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """`responses=problems(404, 409)`: what may come besides success. 400, 401, 429 and 503 are said for every route."""
    return {status: {"description": SAID[status]} for status in statuses}


SENDS: dict[str, Any] = {"x-postroad-risk": "sends"}
"""`openapi_extra=SENDS`: the call can send real messages; the live reference asks twice before it makes it."""


def created(response: Response, location: str, version: int | None = None) -> None:
    """Makes the answer a 201 that says where the new thing is."""
    response.status_code = 201
    response.headers["location"] = location
    if version is not None:
        show_version(response, version)


__all__ = ["SENDS", "created", "problems", "show_version"]
