"""Codes valid once: 256 random bits, handed to a person, kept as a digest."""

import base64
import hmac
from collections.abc import Iterable

from postroad.kernel.uow import UnitOfWork
from postroad.modules.identity.model import CodePurpose, OneTimeCode
from postroad.modules.identity.parts.doorway import Entropy
from postroad.modules.identity.parts.token_text import digest_of
from postroad.modules.identity.store import codes
from postroad.vocabulary.refusals import ValidationFailed
from postroad.vocabulary.secret import Secret

LONGEST_CODE = 128


def new_secret(entropy: Entropy) -> str:
    """256 random bits as base64url."""
    return base64.urlsafe_b64encode(entropy(32)).rstrip(b"=").decode()


def issue_code(
    uow: UnitOfWork, purpose: CodePurpose, lifetime_ms: int, entropy: Entropy, user_id: str | None = None
) -> OneTimeCode:
    secret = new_secret(entropy)
    expires_at_ms = uow.now_ms + lifetime_ms
    codes.add(
        uow.connection,
        codes.NewCode(uow.new_id(), purpose, user_id, digest_of(secret), expires_at_ms, uow.now_ms),
    )
    return OneTimeCode(Secret(secret), expires_at_ms)


def matching(code: Secret, among: Iterable[codes.OpenCode]) -> codes.OpenCode:
    """The open code that this is. Takes the same time wherever it stands. Raises ValidationFailed."""
    text = code.reveal()
    digest = digest_of(text) if len(text) <= LONGEST_CODE else ""
    found = None
    for one in among:
        if hmac.compare_digest(one.secret_digest, digest):
            found = one
    if found is None:
        raise wrong_code()
    return found


def wrong_code() -> ValidationFailed:
    return ValidationFailed.of("code", "CODE_INVALID", "the code is not valid, was used or is over; ask for a new one")
