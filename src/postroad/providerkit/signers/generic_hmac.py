"""A plain HMAC over bytes, for remotes that want a signature and have no scheme of their own."""

import base64
import hashlib
import hmac
from enum import StrEnum

from postroad.vocabulary.secret import Secret


class Digest(StrEnum):
    SHA256 = "SHA256"
    SHA512 = "SHA512"
    SHA1 = "SHA1"


class Encoding(StrEnum):
    HEX = "HEX"
    BASE64 = "BASE64"


_HASHES = {Digest.SHA256: hashlib.sha256, Digest.SHA512: hashlib.sha512, Digest.SHA1: hashlib.sha1}


def sign(message: bytes, secret: Secret, digest: Digest = Digest.SHA256, encoding: Encoding = Encoding.HEX) -> str:
    """Keyed digest of `message`, as lower-case hex or Base64 with padding."""
    made = hmac.digest(secret.reveal().encode(), message, _HASHES[digest])
    return made.hex() if encoding is Encoding.HEX else base64.b64encode(made).decode()
