"""Twilio's signature on its callbacks: HMAC-SHA1 over the full address and the sorted form, keyed by the auth token.

Source: Twilio "Webhooks security" page.
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping

from postroad.vocabulary.secret import Secret


def callback_signature(url: str, form: Mapping[str, str], auth_token: Secret) -> str:
    """What `X-Twilio-Signature` must hold. Compare with `hmac.compare_digest`."""
    signed = url + "".join(f"{name}{form[name]}" for name in sorted(form))
    return base64.b64encode(hmac.digest(auth_token.reveal().encode(), signed.encode(), hashlib.sha1)).decode()
