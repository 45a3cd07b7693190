"""Mail addresses: read from one text, checked, with the domain in the form that travels.

A text is `local@domain` or `Any name <local@domain>`. The name is whatever stands before the last `<`, so a comma, a
quote or another `<…>` in a recipient's name stays a name and can never become a second recipient. Domains are made
ASCII (IDNA 2008 after UTS 46 mapping) and lower case. A local part keeps its letters and its case; outside ASCII it
needs a server with SMTPUTF8. Sources: RFC 5321 §4.1.2 and §4.5.3.1, RFC 5322 §3.4, RFC 6531.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

import idna

_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\U0010ffff-]+"
_LOCAL = re.compile(rf"{_ATOM}(?:\.{_ATOM})*")
_QUOTED_LOCAL = re.compile(r'"(?:[^"\\\x00-\x1f\x7f]|\\[\x20-\x7e])*"')
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_DOMAIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\u0085\u2028\u2029]")
_LOCAL_OCTETS, _ADDRESS_OCTETS = 64, 254
_TEXT_LENGTH = 1000


class AddressInvalid(ValueError):
    """Says what is wrong with the text, without repeating it."""


@dataclass(frozen=True, slots=True)
class Mailbox:
    name: str
    local: str
    domain: str
    """ASCII, lower case."""

    @property
    def address(self) -> str:
        return f"{self.local}@{self.domain}"

    @property
    def needs_utf8(self) -> bool:
        return not self.local.isascii()


def mailbox(text: str) -> Mailbox:
    """Raises AddressInvalid."""
    if len(text) > _TEXT_LENGTH:
        raise AddressInvalid(f"it has {len(text)} characters; name and address together may have {_TEXT_LENGTH}")
    if _UNSAFE.search(text):
        raise AddressInvalid("it holds a line break or a control character")
    text = text.strip()
    name = ""
    if text.endswith(">"):
        name, opened, address = text[:-1].rpartition("<")
        if not opened:
            raise AddressInvalid("it ends in '>' without a '<'; write 'Name <local@domain>'")
        name, text = _unquoted(name.strip()), address.strip()
    local, at, domain = text.rpartition("@")
    if not at or not local or not domain:
        raise AddressInvalid("it is no address; write local@domain")
    if not _LOCAL.fullmatch(local) and not _QUOTED_LOCAL.fullmatch(local):
        raise AddressInvalid(
            "the part before the @ holds a space, a comma, a doubled dot or another sign it cannot have"
        )
    if any(ord(letter) >= 0x80 and not letter.isprintable() for letter in local):
        raise AddressInvalid("the part before the @ holds an invisible character")
    domain = ascii_domain(domain)
    octets = len(local.encode())
    if octets > _LOCAL_OCTETS:
        raise AddressInvalid(f"the part before the @ has {octets} octets; {_LOCAL_OCTETS} are allowed")
    if octets + 1 + len(domain) > _ADDRESS_OCTETS:
        raise AddressInvalid(f"it has {octets + 1 + len(domain)} octets; {_ADDRESS_OCTETS} are allowed")
    return Mailbox(name, local, domain)


@lru_cache(maxsize=4096)
def ascii_domain(domain: str) -> str:
    """`domain` as it is looked up: A-labels, lower case. Raises AddressInvalid."""
    if not domain.isascii():
        try:
            domain = idna.encode(domain, uts46=True).decode()
        except (idna.IDNAError, UnicodeError):
            raise AddressInvalid("the domain is no internationalised name (IDNA)") from None
    if not _DOMAIN.fullmatch(domain) or len(domain) > 253:
        raise AddressInvalid("the domain is no host name; address literals like user@[192.0.2.1] are not sent to")
    return domain.lower()


def _unquoted(name: str) -> str:
    if len(name) >= 2 and name.startswith('"') and name.endswith('"'):
        return re.sub(r"\\(.)", r"\1", name[1:-1])
    return name
