"""Secrets, the two keys each of them gives, and the headers that sign a body."""

import base64
import binascii
import hashlib
import hmac
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from postroad.vocabulary.errors import InvalidInput
from postroad.vocabulary.secret import Secret

PREFIX = "whsec_"
_SECRET_BYTES = 32
_LEAST_BYTES, _MOST_BYTES = 24, 64


class Convention(StrEnum):
    POSTROAD = "POSTROAD"
    """`X-Postroad-Signature: sha256=<hex>` over `{timestamp}.{body}`."""
    STANDARD = "STANDARD"
    """Standard Webhooks: `webhook-signature: v1,<base64>` over `{id}.{timestamp}.{body}`."""


@dataclass(frozen=True, slots=True, repr=False)
class Keys:
    """The two keys of one secret, by convention."""

    postroad: bytes
    standard: bytes


@dataclass(frozen=True, slots=True)
class WebhookMessage:
    """`body` is what goes over the wire, byte for byte."""

    id: str
    event: str
    timestamp_s: int
    body: bytes


def new_secret(entropy: Callable[[int], bytes] = os.urandom) -> Secret:
    """`whsec_` and the base64 of 32 random bytes."""
    return Secret(PREFIX + base64.b64encode(entropy(_SECRET_BYTES)).decode())


def keys_of(secret: Secret) -> Keys:
    """Raises InvalidInput for what is no secret of webhooks; the message does not repeat it."""
    text = secret.reveal()
    encoded = text.removeprefix(PREFIX)
    try:
        raw = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if encoded == text or not _LEAST_BYTES <= len(raw) <= _MOST_BYTES:
        said = f"secret: must be {PREFIX} and the base64 of {_LEAST_BYTES} to {_MOST_BYTES} bytes, as it was shown"
        raise InvalidInput(said, field="secret")
    return Keys(text.encode(), raw)


def fingerprint(secret: Secret) -> str:
    """Eight characters that tell secrets apart and say nothing about them."""
    return hashlib.sha256(secret.reveal().encode()).hexdigest()[:8]


def postroad_signature(keys: Keys, timestamp: str, body: bytes) -> str:
    """Lower-case hexadecimal, without `sha256=`."""
    return hmac.digest(keys.postroad, timestamp.encode() + b"." + body, "sha256").hex()


def standard_signature(keys: Keys, message_id: str, timestamp: str, body: bytes) -> str:
    """Base64, without `v1,`."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return base64.b64encode(hmac.digest(keys.standard, signed, "sha256")).decode()


def signed_headers(keys: Sequence[Keys], message: WebhookMessage) -> list[tuple[str, str]]:
    """The headers of both conventions, with a signature of each of the keys: the newest first during a rotation."""
    at = str(message.timestamp_s)
    ours = ",".join("sha256=" + postroad_signature(one, at, message.body) for one in keys)
    standard = " ".join("v1," + standard_signature(one, message.id, at, message.body) for one in keys)
    return [
        ("X-Postroad-Event", message.event),
        ("X-Postroad-Delivery", message.id),
        ("X-Postroad-Timestamp", at),
        ("X-Postroad-Signature", ours),
        ("webhook-id", message.id),
        ("webhook-timestamp", at),
        ("webhook-signature", standard),
    ]
