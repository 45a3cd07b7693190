"""Huawei Cloud: AK/SK request signing (SDK-HMAC-SHA256) and the WSSE header of its SMS application access.

Source: Huawei Cloud "AK/SK signing" and "SMS API authentication" pages.
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping

from postroad.providerkit.signers.percent import encode, sorted_query
from postroad.vocabulary.secret import Secret

ALGORITHM = "SDK-HMAC-SHA256"


def canonical_request(method: str, path: str, query: Mapping[str, str], headers: Mapping[str, str], body: bytes) -> str:
    """`headers` are all that is signed, `host` and `x-sdk-date` among them; names may have any case."""
    lowered = {name.lower(): value.strip() for name, value in headers.items()}
    names = sorted(lowered)
    address = "/".join(encode(part) for part in path.split("/"))
    if not address.endswith("/"):
        address += "/"
    lines = "".join(f"{name}:{lowered[name]}\n" for name in names)
    digest = hashlib.sha256(body).hexdigest()
    return f"{method}\n{address}\n{sorted_query(query)}\n{lines}\n{';'.join(names)}\n{digest}"


def authorization(canonical: str, headers: Mapping[str, str], access_key: str, secret: Secret) -> str:
    """The `Authorization` header for a canonical request made from the same headers."""
    lowered = {name.lower(): value for name, value in headers.items()}
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    to_sign = f"{ALGORITHM}\n{lowered['x-sdk-date']}\n{digest}"
    signature = hmac.digest(secret.reveal().encode(), to_sign.encode(), hashlib.sha256).hex()
    return f"{ALGORITHM} Access={access_key}, SignedHeaders={';'.join(sorted(lowered))}, Signature={signature}"


def wsse(app_key: str, secret: Secret, nonce: str, created: str) -> str:
    """The `X-WSSE` header. `created` is UTC, `YYYY-MM-DDThh:mm:ssZ`; the digest is Base64 over lower-case hex text."""
    digest = hashlib.sha256(f"{nonce}{created}{secret.reveal()}".encode()).hexdigest()
    password = base64.b64encode(digest.encode()).decode()
    return f'UsernameToken Username="{app_key}",PasswordDigest="{password}",Nonce="{nonce}",Created="{created}"'
