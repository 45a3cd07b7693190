"""How a request proves who we are: headers made once, or a signature made for each attempt.

The texts that must never appear in a captured answer are kept beside them.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from postroad.egress import encode_headers
from postroad.providerkit.signers import generic_hmac
from postroad.spi import SecretResolver
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.errors import ConfigInvalid
from postroad.vocabulary.secret import MASK, Secret


@dataclass(frozen=True, slots=True)
class HmacSigner:
    """Signs the body as sent, or `seconds.body` where a time header is asked for."""

    key: Secret
    clock: Clock
    header: str
    prefix: str
    timestamp_header: str
    digest: generic_hmac.Digest
    encoding: generic_hmac.Encoding

    def headers(self, body: bytes) -> bytes:
        lines: list[tuple[str, str]] = []
        if self.timestamp_header:
            at = str(self.clock.now_ms() // 1000)
            lines.append((self.timestamp_header, at))
            body = at.encode() + b"." + body
        signature = generic_hmac.sign(body, self.key, self.digest, self.encoding)
        return encode_headers([*lines, (self.header, self.prefix + signature)])


@dataclass(frozen=True, slots=True)
class Auth:
    headers: tuple[tuple[str, str], ...] = ()
    signer: HmacSigner | None = None
    hidden: tuple[bytes, ...] = ()

    def redact(self, answer: bytes, *, is_cut: bool = False) -> bytes:
        """An answer with our own secrets masked, in case the service repeats them.

        Where the answer was cut, the beginning of a secret may stand at its end: it goes too.
        """
        for text in self.hidden:
            answer = answer.replace(text, MASK.encode())
            if is_cut:
                answer = _without_beginning(answer, text)
        return answer


def make_auth(value: Mapping[str, Any], secrets: SecretResolver, clock: Clock) -> Auth:
    """Raises SecretMissing, or ConfigInvalid for a secret that cannot stand in a header; never repeats it."""
    kind = value["type"]
    if kind == "NONE":
        return Auth()
    if kind == "HMAC":
        key = secrets.resolve(value["key"]["$secret"])
        if not key.reveal():
            raise ConfigInvalid(
                f"auth.key: the secret {value['key']['$secret']!r} is empty; store it again", field="auth.key"
            )
        return Auth(signer=_signer(value, key, clock), hidden=_forms(key.reveal()))
    field = {"BASIC": "password", "BEARER": "token", "HEADER": "value"}[kind]
    text = secrets.resolve(value[field]["$secret"]).reveal()
    if not text or not text.isprintable():
        raise ConfigInvalid(
            f"auth.{field}: the secret {value[field]['$secret']!r} is empty or holds a line break; store it again",
            field=f"auth.{field}",
        )
    if kind == "BASIC":
        pair = base64.b64encode(f"{value['username']}:{text}".encode()).decode()
        return Auth((("Authorization", f"Basic {pair}"),), hidden=(*_forms(text), pair.encode()))
    if kind == "BEARER":
        return Auth((("Authorization", f"Bearer {text}"),), hidden=_forms(text))
    return Auth(((value["header"], value.get("prefix", "") + text),), hidden=_forms(text))


def shown_headers(value: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The headers of authentication as a preview shows them."""
    kind = value["type"]
    if kind == "NONE":
        return []
    if kind in ("BASIC", "BEARER"):
        return [("Authorization", f"{kind.capitalize()} {MASK}")]
    shown = [(value["header"], value.get("prefix", "") + MASK)]
    if "timestampHeader" in value:
        shown.append((value["timestampHeader"], "(time of the attempt)"))
    return shown


def _forms(text: str) -> tuple[bytes, ...]:
    """A secret as it may come back: plain, inside a JSON text, inside a URL."""
    forms = (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1], quote(text, safe=""))
    return tuple(dict.fromkeys(form.encode() for form in forms))


def _without_beginning(answer: bytes, text: bytes) -> bytes:
    for size in range(min(len(text), len(answer)), 0, -1):
        if answer.endswith(text[:size]):
            return answer[:-size]
    return answer


def _signer(value: Mapping[str, Any], key: Secret, clock: Clock) -> HmacSigner:
    return HmacSigner(
        key,
        clock,
        value["header"],
        value.get("prefix", ""),
        value.get("timestampHeader", ""),
        generic_hmac.Digest(value.get("digest", "SHA256")),
        generic_hmac.Encoding(value.get("encoding", "HEX")),
    )
