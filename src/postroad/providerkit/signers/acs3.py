"""Alibaba Cloud signature version 3 (ACS3-HMAC-SHA256).

Source: Alibaba Cloud "V3 request body and signature" page. Everything in `headers` is signed; the safe set is `host`,
all `x-acs-*` and `content-type` where there is a body. Names must be lower case. `x-acs-date` and
`x-acs-signature-nonce` are fresh per attempt.
"""

import hashlib
import hmac
from collections.abc import Mapping

from postroad.providerkit.signers.percent import sorted_query
from postroad.vocabulary.secret import Secret

ALGORITHM = "ACS3-HMAC-SHA256"


def canonical_request(
    method: str, path: str, query: Mapping[str, str], headers: Mapping[str, str], body: bytes = b""
) -> str:
    names = sorted(headers)
    lines = "".join(f"{name}:{headers[name].strip()}\n" for name in names)
    digest = hashlib.sha256(body).hexdigest()
    return f"{method}\n{path}\n{sorted_query(query)}\n{lines}\n{';'.join(names)}\n{digest}"


def authorization(canonical: str, headers: Mapping[str, str], access_key_id: str, secret: Secret) -> str:
    """The `Authorization` header for a canonical request made from the same headers."""
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    signature = hmac.digest(secret.reveal().encode(), f"{ALGORITHM}\n{digest}".encode(), hashlib.sha256).hex()
    return f"{ALGORITHM} Credential={access_key_id},SignedHeaders={';'.join(sorted(headers))},Signature={signature}"
