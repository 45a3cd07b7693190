"""Why a received webhook does or does not verify: which convention, which part, what to change.

A signature proves nothing about where it went wrong, so the usual mistakes are made one by one until one of them gives
the signature that came: the key of the other convention, a body that was parsed and written again, a time in
milliseconds. Comparisons take the same time wherever they differ.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from postroad.foundation.webhooks.signing import (
    Convention,
    Keys,
    keys_of,
    postroad_signature,
    standard_signature,
)
from postroad.vocabulary.secret import Secret

TOLERANCE_S = 300
_HEX = re.compile(r"[0-9a-fA-F]{64}\Z")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{43}=\Z")
_TIME = re.compile(r"[0-9]{1,15}\Z")
_FIRST_MILLISECONDS = 100_000_000_000
Sign = Callable[[Keys, str, bytes], str]
"""(keys, time, body) → the signature as it stands in the header."""


class Code(StrEnum):
    VALID = "VALID"
    HEADER_MISSING = "HEADER_MISSING"
    HEADER_MALFORMED = "HEADER_MALFORMED"
    TWICE_ENCODED = "TWICE_ENCODED"
    """The signature was encoded once more, or signed itself."""
    TIME_IN_MILLISECONDS = "TIME_IN_MILLISECONDS"
    CLOCK_SKEW = "CLOCK_SKEW"
    """The signature is right; the time lies too far from the clock here."""
    WRONG_KEY_RULE = "WRONG_KEY_RULE"
    """The secret is right, its key was made by the rule of the other convention."""
    WRONG_CONTENT = "WRONG_CONTENT"
    """The secret is right; what was signed was put together by the rule of the other convention."""
    BODY_REENCODED = "BODY_REENCODED"
    NO_MATCH = "NO_MATCH"
    """Another secret, or a body that was changed in a way that cannot be guessed."""


@dataclass(frozen=True, slots=True)
class Finding:
    convention: Convention
    code: Code
    said: str
    signatures: int = 0
    """How many the header carries: two or more during a rotation."""

    @property
    def is_valid(self) -> bool:
        return self.code is Code.VALID


@dataclass(frozen=True, slots=True)
class Explanation:
    findings: tuple[Finding, ...]
    """One of each convention whose headers are there; both are missing: one finding that says so."""

    @property
    def is_valid(self) -> bool:
        """At least one convention verifies, and none that is there fails."""
        return all(one.is_valid for one in self.findings)


@dataclass(frozen=True, slots=True)
class _Clock:
    now_s: int
    tolerance_s: int


@dataclass(frozen=True, slots=True)
class _Case:
    convention: Convention
    signatures: tuple[str, ...]
    time: str
    sign: Sign
    keys: Keys
    body: bytes
    message_id: str


def explain(
    secret: Secret, headers: Mapping[str, str], body: bytes, now_s: int, tolerance_s: int = TOLERANCE_S
) -> Explanation:
    """Names of headers in any case. Raises InvalidInput for what is no secret of webhooks."""
    keys = keys_of(secret)
    given = {name.lower(): value.strip() for name, value in headers.items()}
    found = [
        _of(convention, keys, given, body, _Clock(now_s, tolerance_s))
        for convention, mark in (
            (Convention.POSTROAD, "x-postroad-signature"),
            (Convention.STANDARD, "webhook-signature"),
        )
        if mark in given
    ]
    if not found:
        said = "neither X-Postroad-Signature nor webhook-signature is there; a proxy may have dropped them"
        found = [Finding(Convention.STANDARD, Code.HEADER_MISSING, said)]
    return Explanation(tuple(found))


def _of(convention: Convention, keys: Keys, given: Mapping[str, str], body: bytes, clock: _Clock) -> Finding:
    is_ours = convention is Convention.POSTROAD
    needed = ("x-postroad-timestamp",) if is_ours else ("webhook-id", "webhook-timestamp")
    missing = [name for name in needed if not given.get(name)]
    if missing:
        return Finding(convention, Code.HEADER_MISSING, f"the header {missing[0]} is missing")
    time = given[needed[-1]]
    if not _TIME.match(time):
        return Finding(convention, Code.HEADER_MALFORMED, f"{needed[-1]} is no number of seconds")
    signatures, problem = _signatures(convention, given["x-postroad-signature" if is_ours else "webhook-signature"])
    if problem is not None:
        return problem
    message_id = given.get("webhook-id", "")
    case = _Case(convention, signatures, time, _sign(convention, message_id), keys, body, message_id)
    return _judge(case, clock)


def _signatures(convention: Convention, header: str) -> tuple[tuple[str, ...], Finding | None]:
    ours = convention is Convention.POSTROAD
    mark, shape, parts = ("sha256=", _HEX, header.split(",")) if ours else ("v1,", _BASE64, header.split())
    found = [part.strip()[len(mark) :] for part in parts if part.strip().startswith(mark)]
    if not found:
        form = "sha256=<64 hexadecimal digits>" if ours else "v1,<base64>"
        return (), Finding(convention, Code.HEADER_MALFORMED, f"the signature is not of the form {form}")
    good = [one for one in found if shape.match(one)]
    if not good:
        said = "the signature has the wrong length: it was cut, or encoded a second time"
        return (), Finding(convention, Code.HEADER_MALFORMED, said, len(found))
    return tuple(one.lower() if ours else one for one in good), None


def _sign(convention: Convention, message_id: str) -> Sign:
    if convention is Convention.POSTROAD:
        return postroad_signature
    return lambda keys, time, body: standard_signature(keys, message_id, time, body)


def _judge(case: _Case, clock: _Clock) -> Finding:
    number = len(case.signatures)
    if _matches(case, case.keys, case.time, case.body):
        skew = int(case.time) - clock.now_s
        if abs(skew) <= clock.tolerance_s:
            several = f"; one of the {number} signatures of a rotation matches" if number > 1 else ""
            return Finding(case.convention, Code.VALID, f"the signature matches{several}", number)
        where = "ahead of" if skew > 0 else "behind"
        said = f"the signature matches, but its time is {abs(skew)} s {where} the clock here"
        return Finding(case.convention, Code.CLOCK_SKEW, f"{said}; allowed: {clock.tolerance_s} s", number)
    code, said = _mistake(case)
    return Finding(case.convention, code, said, number)


def _mistake(case: _Case) -> tuple[Code, str]:
    swapped = Keys(case.keys.standard, case.keys.postroad)
    if _matches(case, swapped, case.time, case.body):
        right = (
            "the bytes of the whole secret text, whsec_ included"
            if case.convention is Convention.POSTROAD
            else "what the base64 after whsec_ stands for, decoded"
        )
        return Code.WRONG_KEY_RULE, f"it was signed with the key of the other convention; here the key is {right}"
    for code, said, mistaken in _mistakes(case):
        if any(hmac.compare_digest(mistaken, one) for one in case.signatures):
            return code, said
    for said, body in reencoded(case.body):
        if _matches(case, case.keys, case.time, body):
            return Code.BODY_REENCODED, f"the body is not the one that was signed: {said}; sign and check raw bytes"
    return Code.NO_MATCH, "no signature matches: another secret, or a body that was changed on the way"


def _mistakes(case: _Case) -> Iterator[tuple[Code, str, str]]:
    if len(case.time) > 11 and int(case.time) >= _FIRST_MILLISECONDS:
        seconds = str(int(case.time) // 1000)
        said = "the time in the header is in milliseconds; it must be in seconds"
        yield Code.TIME_IN_MILLISECONDS, said, case.sign(case.keys, seconds, case.body)
    right = case.sign(case.keys, case.time, case.body)
    again = case.sign(case.keys, case.time, right.encode())
    yield Code.TWICE_ENCODED, "the signature was signed once more, in place of the body", again
    digest = hashlib.sha256(case.body).hexdigest().encode()
    said = "a digest of the body was signed in place of the body"
    yield Code.WRONG_CONTENT, said, case.sign(case.keys, case.time, digest)
    if case.convention is Convention.POSTROAD:
        said = "only the body was signed; {timestamp}.{body} must be"
        yield Code.WRONG_CONTENT, said, hmac.digest(case.keys.postroad, case.body, "sha256").hex()
        said = "{id}.{timestamp}.{body} was signed; in this convention it is {timestamp}.{body}"
        yield Code.WRONG_CONTENT, said, postroad_signature(case.keys, f"{case.message_id}.{case.time}", case.body)


def _matches(case: _Case, keys: Keys, time: str, body: bytes) -> bool:
    expected = case.sign(keys, time, body)
    return any(hmac.compare_digest(expected, one) for one in case.signatures)


def reencoded(body: bytes) -> Iterator[tuple[str, bytes]]:
    """What a body may have been before a framework or an editor had it in hand."""
    yield "a line break at its end was added", body.removesuffix(b"\n").removesuffix(b"\r")
    yield "the line break at its end was taken away", body + b"\n"
    yield "its line breaks were changed", body.replace(b"\r\n", b"\n")
    yield "its line breaks were changed", body.replace(b"\n", b"\r\n")
    yield "a byte order mark was added", body.removeprefix(b"\xef\xbb\xbf")
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return
    for separators in ((",", ":"), (", ", ": ")):
        for ascii_only in (False, True):
            for sort_keys in (False, True):
                text = json.dumps(value, separators=separators, ensure_ascii=ascii_only, sort_keys=sort_keys)
                yield "it was parsed as JSON and written again", text.encode("utf-8", "surrogatepass")
