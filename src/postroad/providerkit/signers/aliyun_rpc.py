"""Alibaba Cloud RPC signature, version 1.0 (HMAC-SHA1).

Source: Alibaba Cloud "RPC signature" page. The caller gives all parameters but `Signature`, with a fresh
`SignatureNonce` and `Timestamp` per attempt, and sends the result as the parameter `Signature`.
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping

from postroad.providerkit.signers.percent import encode, sorted_query
from postroad.vocabulary.secret import Secret


def string_to_sign(method: str, parameters: Mapping[str, str]) -> str:
    return f"{method}&%2F&{encode(sorted_query(parameters))}"


def sign(method: str, parameters: Mapping[str, str], secret: Secret) -> str:
    """The signature as Base64, not yet percent-encoded."""
    key = f"{secret.reveal()}&".encode()
    return base64.b64encode(hmac.digest(key, string_to_sign(method, parameters).encode(), hashlib.sha1)).decode()
