"""DingTalk custom robots: the secret is the key, `timestamp\\nsecret` the message. Milliseconds. Valid for one hour.

Source: DingTalk custom robot guide, "signature".
"""

import base64
import hashlib
import hmac
from urllib.parse import quote

from postroad.vocabulary.secret import Secret


def sign(timestamp_ms: int | str, secret: Secret) -> str:
    """The signature as Base64, not yet percent-encoded."""
    key = secret.reveal()
    return base64.b64encode(hmac.digest(key.encode(), f"{timestamp_ms}\n{key}".encode(), hashlib.sha256)).decode()


def query(timestamp_ms: int | str, secret: Secret) -> str:
    """What is appended to the webhook address after `access_token`: `&timestamp=…&sign=…`."""
    return f"&timestamp={timestamp_ms}&sign={quote(sign(timestamp_ms, secret), safe='')}"
