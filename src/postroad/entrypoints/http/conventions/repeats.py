"""`Idempotency-Key`: a request that may be repeated and still happens once.

The first answer is 202 (or 201), a repeat with the same body is 200 with the same body, another body is 409. Hand the
header to `kernel.idempotency.IdempotencyKey`, which refuses a missing one.
Source: spec wepush §24.2, draft-ietf-httpapi-idempotency-key-header.
"""

from typing import Annotated

from fastapi import Header

RepeatKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="1 to 256 characters that name this request: repeated with the same body it is done once.",
    ),
]
"""The value of the header."""
