"""Tencent Cloud signature version 3 (TC3-HMAC-SHA256) over `content-type` and `host`.

Source: Tencent Cloud "Signature v3" page. Skew above five minutes is refused there. Sign exactly the bytes sent.
"""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime

from postroad.vocabulary.secret import Secret

ALGORITHM = "TC3-HMAC-SHA256"


@dataclass(frozen=True, slots=True)
class Call:
    """One POST to `/`. `content_type` must equal the header as sent."""

    host: str
    service: str
    content_type: str
    payload: bytes
    timestamp_s: int

    @property
    def date(self) -> str:
        return datetime.fromtimestamp(self.timestamp_s, UTC).strftime("%Y-%m-%d")


def canonical_request(call: Call) -> str:
    digest = hashlib.sha256(call.payload).hexdigest()
    return f"POST\n/\n\ncontent-type:{call.content_type}\nhost:{call.host}\n\ncontent-type;host\n{digest}"


def signature(call: Call, secret: Secret) -> str:
    digest = hashlib.sha256(canonical_request(call).encode()).hexdigest()
    scope = f"{call.date}/{call.service}/tc3_request"
    to_sign = f"{ALGORITHM}\n{call.timestamp_s}\n{scope}\n{digest}"
    key = f"TC3{secret.reveal()}".encode()
    for step in (call.date, call.service, "tc3_request", to_sign):
        key = hmac.digest(key, step.encode(), hashlib.sha256)
    return key.hex()


def authorization(call: Call, secret_id: str, secret: Secret) -> str:
    """The `Authorization` header."""
    credential = f"{secret_id}/{call.date}/{call.service}/tc3_request"
    return f"{ALGORITHM} Credential={credential}, SignedHeaders=content-type;host, Signature={signature(call, secret)}"
