"""Hosts, read once and strictly.

The resolver of the operating system turns `2130706433`, `0x7f.1`, `127.1`, `0` and full-width digits into addresses of
this machine, while a parser that looks for "an IP address" takes them for names. So a host here is either a plain
dotted quad, an IPv6 address, or a name whose last label is no number; anything else is refused with the reason. What
passes is compared, resolved, sent as Host and SNI in this one normal form.
"""

import ipaddress
import re
from dataclasses import dataclass

from postroad.vocabulary.errors import InvalidInput

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\Z")
_NUMBER = re.compile(r"(?:[0-9]+|0x[0-9a-f]*)\Z")
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Host:
    """`text` is lower-case ASCII without brackets; `address` is set where the host was written as one."""

    text: str
    address: Address | None = None

    @property
    def bracketed(self) -> str:
        """As it stands in a URL or a Host header."""
        return f"[{self.text}]" if ":" in self.text else self.text


def parse_host(text: str, *, field: str = "host") -> Host:
    """Raises InvalidInput, naming `field`, for every spelling that could mean two things."""
    lowered = text.lower()
    if ":" in lowered or lowered.startswith("["):
        return _parse_v6(lowered, field)
    if not text.isascii():
        lowered = _to_ascii(text, field)
    if len(lowered) > 253:
        raise _refusal(field, text, "is longer than 253 characters")
    labels = lowered.split(".")
    if labels[-1] == "" and len(labels) > 1:
        raise _refusal(field, text, "ends in a dot; write it without")
    if _NUMBER.match(labels[-1]):
        return _parse_v4(lowered, field)
    for label in labels:
        if not _LABEL.match(label):
            raise _refusal(field, text, "is not a host name; write a name such as api.example.org or an IP address")
        if label.startswith("xn--"):
            _check_punycode(label, field)
    return Host(lowered)


def _parse_v4(text: str, field: str) -> Host:
    try:
        address = ipaddress.IPv4Address(text)
    except ValueError:
        raise _refusal(field, text, "ends in a number but is no IPv4 address; write four decimal numbers") from None
    return Host(str(address), address)


def _parse_v6(text: str, field: str) -> Host:
    inner = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    if "%" in inner:
        raise _refusal(field, text, "has a zone; link-local addresses cannot be used")
    try:
        address = ipaddress.IPv6Address(inner)
    except ValueError:
        raise _refusal(field, text, "is no IPv6 address; give the port in its own field") from None
    return Host(str(address), address)


def _to_ascii(text: str, field: str) -> str:
    """IDNA 2008 without mapping: a name that does not come back the same is a name in disguise.

    Lower case alone may disguise: the Kelvin sign becomes a plain k.
    """
    import idna

    lowered = text.lower()
    try:
        encoded = idna.encode(lowered, std3_rules=True).decode("ascii")
        keeps_its_letters = all(char.isascii() or not char.lower().isascii() for char in text)
        if keeps_its_letters and idna.decode(encoded) == lowered:
            return encoded
    except UnicodeError:
        pass
    raise _refusal(field, text, "is not a registered form of an international name; write its xn-- form")


def _check_punycode(label: str, field: str) -> None:
    import idna

    try:
        same = idna.encode(idna.decode(label)).decode("ascii") == label
    except UnicodeError:
        same = False
    if not same:
        raise _refusal(field, label, "is a broken xn-- label")


def _refusal(field: str, text: str, reason: str) -> InvalidInput:
    shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return InvalidInput(f"{field}: {shown!r} {reason}", field=field)
