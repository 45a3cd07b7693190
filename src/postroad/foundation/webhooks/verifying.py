"""Whether a webhook that came in is signed as its scheme wants it. One scheme, never a fallback to another.

Everything is checked on the raw bytes, and the HMAC is computed whatever the headers say, so that who guesses learns
nothing from the time it takes. Headers that come twice, lists of signatures without end and times that are no plain
seconds are refused, not interpreted.

    POSTROAD  X-Postroad-Signature: sha256=<hex>, X-Postroad-Timestamp         {time}.{body}
    STANDARD  webhook-signature: v1,<base64> …, webhook-timestamp, webhook-id  {id}.{time}.{body}
    GITHUB    X-Hub-Signature-256: sha256=<hex>                                {body}
    STRIPE    Stripe-Signature: t=<time>,v1=<hex>…                             {time}.{body}
    SLACK     X-Slack-Signature: v0=<hex>, X-Slack-Request-Timestamp           v0:{time}:{body}

GITHUB signs no time, so an old message of it is good for ever; only its delivery id, which is not signed, tells a
repeat. Source: the documentation of each vendor; Standard Webhooks 1.0.0.
"""

import base64
import hmac
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from postroad.foundation.webhooks.signing import keys_of
from postroad.vocabulary.secret import Secret

MOST_SIGNATURES = 10
_TOLERANCE_S = 300
_LONGEST_HEADER = 4096
_TIME = re.compile(r"[0-9]{1,12}\Z", re.ASCII)
_HEX = re.compile(r"[0-9a-f]{64}\Z", re.ASCII)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{43}=\Z", re.ASCII)
_ID = re.compile(r"[!-~]{1,256}\Z", re.ASCII)


class Scheme(StrEnum):
    POSTROAD = "POSTROAD"
    STANDARD = "STANDARD"
    GITHUB = "GITHUB"
    STRIPE = "STRIPE"
    SLACK = "SLACK"


class Refusal(StrEnum):
    HEADER_MISSING = "HEADER_MISSING"
    HEADER_MALFORMED = "HEADER_MALFORMED"
    """Twice there, too long, too many signatures, or not of its form."""
    SIGNATURE = "SIGNATURE"
    TIME = "TIME"
    """The signature is right; its time is more than five minutes from the clock here."""


@dataclass(frozen=True, slots=True)
class Verdict:
    refusal: Refusal | None
    message_id: str | None = None
    """What tells a repeat, where the scheme has one."""


@dataclass(frozen=True, slots=True)
class _Claim:
    signatures: tuple[str, ...] = ()
    time: str = ""
    message_id: str | None = None
    problem: Refusal | None = None


@dataclass(frozen=True, slots=True)
class _Rule:
    signature: str
    mark: str
    time: str = ""
    message_id: str = ""
    id_field: str = ""
    """Where the id stands in a JSON body, which is signed."""
    separator: str = ""
    """Between several signatures; empty where there is one."""


_RULES: Mapping[Scheme, _Rule] = {
    Scheme.POSTROAD: _Rule("x-postroad-signature", "sha256=", "x-postroad-timestamp", separator=","),
    Scheme.STANDARD: _Rule("webhook-signature", "v1,", "webhook-timestamp", "webhook-id", separator=" "),
    Scheme.GITHUB: _Rule("x-hub-signature-256", "sha256=", message_id="x-github-delivery"),
    Scheme.STRIPE: _Rule("stripe-signature", "v1=", id_field="id", separator=","),
    Scheme.SLACK: _Rule("x-slack-signature", "v0=", "x-slack-request-timestamp", id_field="event_id"),
}


def key_of(scheme: Scheme, secret: Secret) -> bytes:
    """Raises InvalidInput where the scheme wants a `whsec_` secret and this is none."""
    match scheme:
        case Scheme.POSTROAD:
            return keys_of(secret).postroad
        case Scheme.STANDARD:
            return keys_of(secret).standard
        case _:
            return secret.reveal().encode()


def verify(scheme: Scheme, key: bytes, headers: Iterable[tuple[bytes, bytes]], body: bytes, *, now_s: int) -> Verdict:
    """`headers` as they came, names in lower case. Whatever they and the body hold, it raises nothing."""
    rule = _RULES[scheme]
    claim = _claim(scheme, rule, _needed(rule, headers))
    expected = _expected(scheme, key, claim, body)
    matches = [hmac.compare_digest(expected, one.encode()) for one in claim.signatures]
    if claim.problem is not None:
        return Verdict(claim.problem)
    if not any(matches):
        return Verdict(Refusal.SIGNATURE)
    if claim.time and abs(int(claim.time) - now_s) > _TOLERANCE_S:
        return Verdict(Refusal.TIME)
    return Verdict(None, claim.message_id or _id_in(body, rule.id_field))


def _needed(rule: _Rule, headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str | None]:
    """The headers of the rule that are there; None for what comes twice or cannot be one."""
    wanted = {name for name in (rule.signature, rule.time, rule.message_id) if name}
    found: dict[str, str | None] = {}
    for raw_name, raw in headers:
        name = raw_name.decode("latin-1")
        if name in wanted:
            fits = name not in found and len(raw) <= _LONGEST_HEADER and raw.isascii()
            found[name] = raw.decode("ascii") if fits else None
    return found


def _claim(scheme: Scheme, rule: _Rule, given: Mapping[str, str | None]) -> _Claim:
    required = [rule.signature, *([rule.time] if rule.time else [])]
    if rule.message_id:
        required.append(rule.message_id)
    if any(name not in given for name in required):
        return _Claim(problem=Refusal.HEADER_MISSING)
    values = {name: given[name] for name in required}
    signature = values[rule.signature]
    if signature is None or None in values.values():
        return _Claim(problem=Refusal.HEADER_MALFORMED)
    parts = signature.split(rule.separator) if rule.separator else [signature]
    times = (
        [part[2:] for part in parts if part.startswith("t=")] if scheme is Scheme.STRIPE else [values.get(rule.time)]
    )
    time = (times[0] or "") if len(times) == 1 else ""
    message_id = values.get(rule.message_id)
    is_timed = scheme is not Scheme.GITHUB
    signatures = tuple(part[len(rule.mark) :] for part in parts if part.startswith(rule.mark))
    shape = _BASE64 if scheme is Scheme.STANDARD else _HEX
    well_formed = (
        0 < len(signatures) <= MOST_SIGNATURES
        and len(parts) <= 2 * MOST_SIGNATURES
        and all(shape.match(one) for one in signatures)
        and (not is_timed or _TIME.match(time) is not None)
        and (message_id is None or _ID.match(message_id) is not None)
        and not (scheme is Scheme.STANDARD and "." in (message_id or ""))
    )
    problem = None if well_formed else Refusal.HEADER_MALFORMED
    return _Claim(signatures[:MOST_SIGNATURES], time, message_id, problem)


def _expected(scheme: Scheme, key: bytes, claim: _Claim, body: bytes) -> bytes:
    time = claim.time.encode()
    match scheme:
        case Scheme.GITHUB:
            signed = body
        case Scheme.SLACK:
            signed = b"v0:" + time + b":" + body
        case Scheme.STANDARD:
            signed = (claim.message_id or "").encode() + b"." + time + b"." + body
        case _:
            signed = time + b"." + body
    digest = hmac.digest(key, signed, "sha256")
    return base64.b64encode(digest) if scheme is Scheme.STANDARD else digest.hex().encode()


def _id_in(body: bytes, field: str) -> str | None:
    if not field:
        return None
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    found = value.get(field) if isinstance(value, dict) else None
    return found if isinstance(found, str) and _ID.match(found) else None
