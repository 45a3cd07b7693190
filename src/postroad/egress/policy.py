"""Which addresses may be reached.

Neither `is_private` nor `is_global` of the standard library can be the rule: NAT64 and 6to4 forms of link-local
addresses, multicast and several clouds' metadata services count as global there, and shared address space does not
count as private. So the table is ours, as data: IPv4 is everything minus the blocks below; IPv6 is 2000::/3 minus the
blocks below. An IPv4-mapped IPv6 address is judged as the IPv4 address it is.

Two doors open for an operator. A CIDR on the allow-list opens what it covers. A host written literally in a local job
opens whatever it resolves to, on that port. Neither opens a metadata service: those need their own /32 or /128 on the
allow-list. Source: IANA special-purpose registries; RFC 6890, 6598, 8155, 9637.
"""

import ipaddress
from collections.abc import Iterable

from postroad.egress.names import Address
from postroad.vocabulary.errors import ConfigInvalid

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

METADATA: dict[Address, str] = {
    ipaddress.ip_address(text): name
    for text, name in {
        "169.254.169.254": "metadata service",
        "169.254.170.2": "metadata service of containers",
        "169.254.170.23": "metadata service of pods",
        "100.100.100.200": "metadata service",
        "168.63.129.16": "platform service",
        "192.0.0.192": "metadata service",
        "fd00:ec2::254": "metadata service",
        "fd00:ec2::23": "metadata service of pods",
        "fd20:ce::254": "metadata service",
    }.items()
}

REFUSED_V4: dict[ipaddress.IPv4Network, str] = {
    ipaddress.IPv4Network(block): name
    for block, name in {
        "0.0.0.0/8": "this network",
        "10.0.0.0/8": "private",
        "100.64.0.0/10": "shared address space",
        "127.0.0.0/8": "loopback",
        "169.254.0.0/16": "link-local",
        "172.16.0.0/12": "private",
        "192.0.0.0/24": "protocol assignments",
        "192.0.2.0/24": "documentation",
        "192.31.196.0/24": "AS112",
        "192.52.193.0/24": "AMT",
        "192.88.99.0/24": "6to4 relay",
        "192.168.0.0/16": "private",
        "192.175.48.0/24": "AS112",
        "198.18.0.0/15": "benchmarking",
        "198.51.100.0/24": "documentation",
        "203.0.113.0/24": "documentation",
        "224.0.0.0/4": "multicast",
        "240.0.0.0/4": "reserved",
    }.items()
}

GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")

REFUSED_V6: dict[ipaddress.IPv6Network, str] = {
    ipaddress.IPv6Network(block): name
    for block, name in {
        "2001::/23": "protocol assignments",
        "2001:db8::/32": "documentation",
        "2002::/16": "6to4",
        "2620:4f:8000::/48": "AS112",
        "3fff::/20": "documentation",
    }.items()
}

_NAMED_V6: dict[ipaddress.IPv6Network, str] = {
    ipaddress.IPv6Network(block): name
    for block, name in {
        "::/128": "unspecified",
        "::1/128": "loopback",
        "64:ff9b::/96": "NAT64",
        "64:ff9b:1::/48": "local NAT64",
        "100::/64": "discard",
        "5f00::/16": "segment routing",
        "fc00::/7": "unique local",
        "fe80::/10": "link-local",
        "fec0::/10": "site-local",
        "ff00::/8": "multicast",
    }.items()
}

_NEVER = frozenset({"this network", "multicast", "reserved", "unspecified", "discard"})
_NAT64 = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))
_MAPPED = ipaddress.IPv6Network("::ffff:0:0/96")
_SIIT = ipaddress.IPv6Network("::ffff:0:0:0/96")
_COMPATIBLE = ipaddress.IPv6Network("::/96")


class AddressPolicy:
    """The table plus an operator's exceptions. Immutable; safe to share."""

    def __init__(self, allow: Iterable[str] = ()) -> None:
        """`allow` holds CIDRs such as `10.20.0.0/16`. Raises ConfigInvalid for anything else."""
        self._allow = tuple(_parse_cidr(text) for text in allow)

    def refusal(self, address: Address, *, literal: bool = False) -> str | None:
        """The name of the rule that refuses `address`, or None where it may be reached.

        `literal` says that the operator wrote the host himself: everything but metadata services and blocks that are
        no single host (multicast, reserved, this network) is open then.
        """
        address = unmapped(address)
        if any(network.prefixlen == network.max_prefixlen and address in network for network in self._allow):
            return None
        for form in (address, *_embedded(address)):
            if form in METADATA:
                return METADATA[form]
        rule = _rule(address)
        if rule is None or self._is_allowed(address):
            return None
        if literal and rule not in _NEVER and not _embedded(address):
            return None
        return rule

    def _is_allowed(self, address: Address) -> bool:
        """A translation prefix on the allow-list opens only what is open behind it."""
        if not any(address.version == network.version and address in network for network in self._allow):
            return False
        return all(self.refusal(inner) is None for inner in _embedded(address))


def unmapped(address: Address) -> Address:
    """The IPv4 address inside `::ffff:a.b.c.d`, which is where a socket would go; other addresses unchanged."""
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _rule(address: Address) -> str | None:
    if isinstance(address, ipaddress.IPv4Address):
        return next((name for network, name in REFUSED_V4.items() if address in network), None)
    if address in GLOBAL_V6:
        return next((name for network, name in REFUSED_V6.items() if address in network), None)
    return next((name for network, name in _NAMED_V6.items() if address in network), "not global")


def _embedded(address: Address) -> tuple[ipaddress.IPv4Address, ...]:
    """IPv4 addresses that a translator or tunnel would make of an IPv6 address."""
    if isinstance(address, ipaddress.IPv4Address):
        return ()
    if any(address in network for network in (*_NAT64, _SIIT)):
        return (ipaddress.IPv4Address(int(address) & 0xFFFFFFFF),)
    if address in _COMPATIBLE and int(address) > 1:
        return (ipaddress.IPv4Address(int(address) & 0xFFFFFFFF),)
    if address.sixtofour is not None:
        return (address.sixtofour,)
    return address.teredo or ()


def _parse_cidr(text: str) -> Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        raise ConfigInvalid(
            f"egress allow-list: {text!r} is not a network; write a CIDR without host bits, such as 10.20.0.0/16",
            field="egress.allow",
        ) from None
