"""URLs, parsed once; the rebuilt one is what is used, so no second parser can read the first text differently."""

import re
from dataclasses import dataclass
from urllib.parse import quote

from postroad.egress.names import Host, parse_host
from postroad.vocabulary.errors import InvalidInput

DEFAULT_PORTS = {"https": 443, "http": 80}
_MAX_LENGTH = 8192
_PARTS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?\Z", re.DOTALL)
_AUTHORITY = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(?::([0-9]{1,5}))?\Z")
_UNSEEN = re.compile(r"[\x00-\x20\x7f\\]")
_KEPT = "%/:=&?~+!$,;'@()*-._"


@dataclass(frozen=True, slots=True)
class Url:
    """`path` begins with a slash and carries the query; non-ASCII and unsafe characters in it are percent-encoded."""

    scheme: str
    host: Host
    port: int
    path: str

    @property
    def authority(self) -> str:
        """Host header form: the port only where it is not the scheme's own."""
        if DEFAULT_PORTS.get(self.scheme) == self.port:
            return self.host.bracketed
        return f"{self.host.bracketed}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"


def parse_url(text: str, *, field: str = "url", schemes: tuple[str, ...] = ("https", "http")) -> Url:
    """Raises InvalidInput, naming `field` and never repeating the URL: its path or query may be a secret."""
    if len(text) > _MAX_LENGTH:
        raise _refusal(field, f"is longer than {_MAX_LENGTH} characters")
    if _UNSEEN.search(text):
        raise _refusal(field, "holds a space, a control character or a backslash; percent-encode it")
    parts = _PARTS.match(text)
    if parts is None:
        raise _refusal(field, "is not a URL; write it as https://host/path")
    scheme, authority, path, query, fragment = parts.groups()
    scheme = scheme.lower()
    if scheme not in schemes:
        raise _refusal(field, f"has the scheme {scheme!r}; allowed: {', '.join(schemes)}")
    if fragment is not None:
        raise _refusal(field, "has a fragment (#…), which is never sent; remove it")
    host, port = _parse_authority(authority, scheme, field)
    return Url(scheme, host, port, quote((path or "/") + (query or ""), safe=_KEPT))


def _parse_authority(authority: str, scheme: str, field: str) -> tuple[Host, int]:
    if "@" in authority:
        raise _refusal(field, "carries a user or password before '@'; use the authentication fields")
    parts = _AUTHORITY.match(authority)
    if parts is None:
        raise _refusal(field, "has a port that is no number from 1 to 65535, or a broken host")
    host = parse_host(parts[1], field=field)
    port = int(parts[2]) if parts[2] else DEFAULT_PORTS.get(scheme, 0)
    if not 1 <= port <= 65535:
        raise _refusal(field, "has a port outside 1 to 65535")
    return host, port


def _refusal(field: str, reason: str) -> InvalidInput:
    return InvalidInput(f"{field}: the value {reason}", field=field)
