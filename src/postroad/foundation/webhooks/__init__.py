"""Signatures of webhooks: made for what goes out, checked for what comes in, explained where they do not match.

Both conventions are over the same bytes at the same time. One secret gives two different keys: Standard Webhooks uses
the bytes that the base64 stands for, ours the text of the whole secret, which is what `openssl dgst -hmac "$SECRET"`
does. With one key a signature of one convention could be presented as one of the other, because the text
`{id}.{time}.{body}` of the one is a `{time}.{body}` of the other. Source: the Standard Webhooks specification.
"""

from postroad.foundation.webhooks.explaining import TOLERANCE_S, Code, Explanation, Finding, explain
from postroad.foundation.webhooks.signing import (
    Convention,
    Keys,
    WebhookMessage,
    fingerprint,
    keys_of,
    new_secret,
    postroad_signature,
    signed_headers,
    standard_signature,
)
from postroad.foundation.webhooks.verifying import Refusal, Scheme, Verdict, key_of, verify

__all__ = [
    "TOLERANCE_S",
    "Code",
    "Convention",
    "Explanation",
    "Finding",
    "Keys",
    "Refusal",
    "Scheme",
    "Verdict",
    "WebhookMessage",
    "explain",
    "fingerprint",
    "key_of",
    "keys_of",
    "new_secret",
    "postroad_signature",
    "signed_headers",
    "standard_signature",
    "verify",
]
