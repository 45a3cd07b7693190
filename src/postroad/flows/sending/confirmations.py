"""The word of a person that this, and nothing else, shall be sent: a token for five minutes.

It is base64url of a JSON body and an HMAC-SHA256 over it. The body holds what was shown: workspace, subject, actor, the
versions of everything the run would be made of, the hash over all of it. When one of them is another one at the start,
the token is stale and the refusal names what changed. It opens one run: its number is kept with the run it started.

The token carries no secret and no recipient; whoever steals it can start nothing that its actor could not.
"""

import base64
import binascii
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from postroad.kernel.tables import canonical_json
from postroad.vocabulary.refusals import ValidationFailed, VersionConflict

LASTS_MS = 5 * 60_000
_SIGNATURE_BYTES = 32
_LONGEST = 4096


@dataclass(frozen=True, slots=True)
class Bound:
    """What a confirmation stands for. `parts` are compared one by one; their names are those a refusal says."""

    purpose: str
    workspace_id: str
    subject_id: str
    """The job, or the source of a re-send."""
    actor: str
    parts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Token:
    text: str
    confirmation_id: str
    expires_at_ms: int


class ConfirmationStale(VersionConflict):
    """What was confirmed is not what would be sent now, or the confirmation is too old; confirm again."""


class ConfirmationKey:
    def __init__(self, secret: bytes) -> None:
        """`secret` has at least 32 bytes and is the same in all instances of a service."""
        if len(secret) < 32:
            raise ValueError("the key of confirmations must have at least 32 bytes")
        self._secret = secret

    def seal(self, bound: Bound, confirmation_id: str, now_ms: int) -> Token:
        expires = now_ms + LASTS_MS
        body = canonical_json({**_values(bound), "id": confirmation_id, "until": expires}).encode()
        text = base64.urlsafe_b64encode(self._signature(body) + body).rstrip(b"=").decode()
        return Token(text, confirmation_id, expires)

    def open(self, text: str, bound: Bound, now_ms: int) -> str:
        """The confirmation's id. Raises ValidationFailed for what `seal` did not make for this purpose, subject and
        actor, ConfirmationStale where it is too old or names other versions."""
        body = self._body(text)
        same = ("purpose", "workspace", "subject", "actor")
        wanted = _values(bound)
        if any(body.get(name) != wanted[name] for name in same):
            raise _foreign()
        if now_ms >= body["until"]:
            raise ConfirmationStale(
                "the confirmation is older than five minutes; confirm again", head=dict(bound.parts)
            )
        said, stands = body["parts"], wanted["parts"]
        changed = sorted(name for name in {*said, *stands} if said.get(name) != stands.get(name))
        if changed:
            raise ConfirmationStale(
                f"since the confirmation changed: {', '.join(changed)}; look at it and confirm again",
                head={"changed": changed, **bound.parts},
            )
        return str(body["id"])

    def _body(self, text: str) -> dict[str, Any]:
        if len(text) > _LONGEST or not text.isascii():
            raise _foreign()
        try:
            raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            raise _foreign() from None
        signature, body = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
        if not hmac.compare_digest(signature, self._signature(body)):
            raise _foreign()
        opened: dict[str, Any] = json.loads(body)
        return opened

    def _signature(self, body: bytes) -> bytes:
        return hmac.digest(self._secret, b"run-confirmation\0" + body, "sha256")


def _values(bound: Bound) -> dict[str, Any]:
    return {
        "purpose": bound.purpose,
        "workspace": bound.workspace_id,
        "subject": bound.subject_id,
        "actor": bound.actor,
        "parts": json.loads(canonical_json(dict(bound.parts))),
    }


def _foreign() -> ValidationFailed:
    said = "the confirmation token is not one for this; ask for a confirmation and send its token as it is"
    return ValidationFailed.of("confirmationToken", "TOKEN_INVALID", said)
