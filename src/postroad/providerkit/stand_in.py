"""The stand-in for a vendor: an address that a test account may name in place of the vendor's fixed one.

A vendor's host is not configurable, because a request to it carries the credential. Only an address literal that is
not reachable from the public network (loopback, private, link-local) can stand in for it, or the name `localhost`;
the address policy of the way out still has to allow it.
"""

import ipaddress
import re
from dataclasses import dataclass

from postroad.spi import Proof
from postroad.vocabulary.errors import ConfigInvalid

_FORM = re.compile(r"(https?)://(localhost|[0-9.]+|\[[0-9a-fA-F:.]+\])(?::([0-9]{1,5}))?/?", re.ASCII)


@dataclass(frozen=True, slots=True)
class StandIn:
    scheme: str
    host: str
    """Without brackets."""
    port: int

    @property
    def address(self) -> str:
        """`host:port`, with brackets around an IPv6 address."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def stand_in(text: str, field: str) -> StandIn:
    """Reads `http://127.0.0.1:8080`. Raises ConfigInvalid, naming `field`, for anything that is not inside."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise ConfigInvalid(
            f"{field}: {text!r} is not a stand-in; write scheme, address and port, such as http://127.0.0.1:8080, "
            "or leave the field out to use the vendor's own address",
            field=field,
        )
    scheme, host, port = found[1], found[2].strip("[]"), int(found[3] or (443 if found[1] == "https" else 80))
    if not 0 < port < 65536 or not _is_inside(host):
        raise ConfigInvalid(
            f"{field}: {text!r} is a public or impossible address; only a loopback or private one may stand in for the "
            "vendor, because the credential goes there",
            field=field,
        )
    return StandIn(scheme, host, port)


def proven_by_an_answer(inside: StandIn | None) -> tuple[Proof, ...]:
    """What it shows that the vendor, or what stands in for it, took our credential: it is spoken to by https alone."""
    is_encrypted = inside is None or inside.scheme == "https"
    return (Proof.CONNECTION, *((Proof.ENCRYPTION,) if is_encrypted else ()), Proof.CREDENTIALS)


def _is_inside(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return (address.is_private or address.is_link_local) and not address.is_multicast and not address.is_unspecified
