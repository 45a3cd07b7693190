"""Feishu and Lark custom bots: the string to sign is the HMAC *key* and the message is empty.

Source: Feishu custom bot guide, "signature verification". Valid for one hour.
"""

import base64
import hashlib
import hmac

from postroad.vocabulary.secret import Secret


def sign(timestamp_s: int | str, secret: Secret) -> str:
    """The `sign` field of the body; the same seconds go into `timestamp` as a text."""
    key = f"{timestamp_s}\n{secret.reveal()}".encode()
    return base64.b64encode(hmac.digest(key, b"", hashlib.sha256)).decode()
