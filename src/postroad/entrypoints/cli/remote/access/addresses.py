"""Addresses of services and the links they print, as people paste them."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from postroad.egress import Url, parse_url
from postroad.entrypoints.cli.texts import say
from postroad.vocabulary.errors import InvalidInput
from postroad.vocabulary.secret import Secret

DEFAULT_URL = "http://127.0.0.1:18990"
_PAGES = ("setup", "password")


@dataclass(frozen=True, slots=True)
class OneTimeLink:
    url: str
    page: str
    """`setup` makes the first administrator, `password` lets a user choose a password."""
    code: Secret


def service_url(
    text: str, *, insecure_http: bool = False, field: str = "--url", accept: str = "--insecure-http"
) -> str:
    """The address without a slash at its end. Raises InvalidInput, also where passwords and tokens would cross a
    network readably; `accept` is the word by which somebody takes that."""
    url = parse_url(text, field=field)
    if url.scheme == "http" and not (_is_loopback(url) or insecure_http):
        raise InvalidInput(
            say(
                "what signs you in would cross the network readably to {host}; give the https:// address of the"
                " service, or accept it by {accept}",
                host=url.host.text,
                accept=accept,
            ),
            field=field,
        )
    return str(url).rstrip("/")


def one_time_link(text: str) -> OneTimeLink:
    """Raises InvalidInput for what no service printed."""
    parts = urlsplit(text.strip())
    before, _, page = parts.path.rpartition("/")
    codes = parse_qs(parts.fragment).get("code", [])
    if page not in _PAGES or len(codes) != 1 or not parts.netloc:
        raise InvalidInput(
            say("--link must be a whole link as the service printed it, such as {example}", example=_EXAMPLE),
            field="--link",
        )
    return OneTimeLink(f"{parts.scheme}://{parts.netloc}{before}", page, Secret(codes[0]))


_EXAMPLE = f"'{DEFAULT_URL}/setup#code=…'"


def _is_loopback(url: Url) -> bool:
    host = url.host
    return host.text == "localhost" or (isinstance(host.address, _ADDRESSES) and host.address.is_loopback)


_ADDRESSES = (ipaddress.IPv4Address, ipaddress.IPv6Address)
