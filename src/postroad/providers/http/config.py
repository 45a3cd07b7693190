"""The account and the message as this channel reads them, after the schemas had their say.

Parsing raises ConfigInvalid (or the InvalidInput of the way out) for what a schema cannot see: a base URL that is not
plain, a header that the transport owns, one header given twice, a duration, a path that is not ASCII.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from postroad.egress import Target, TlsOptions, Url, encode_headers, parse_url
from postroad.providerkit import jsonpath
from postroad.providerkit.templates.source import has_markers
from postroad.vocabulary.errors import ConfigInvalid, InvalidInput

DEFAULT_CONNECT_S = 5.0
DEFAULT_SAVED_BYTES = 65_536
CONDITION_BYTES = 1_048_576
"""How much of an answer is read to find the value of a success condition."""

Headers = tuple[tuple[str, str], ...]

_DURATION = re.compile(r"^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$")
_UNIT_S = (86_400, 3_600, 60, 1)
_TAG = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_CREDENTIALS = frozenset({"authorization", "proxy-authorization"})
"""Fixed ones are secrets; one made from a row (`Bearer {{ token }}`) belongs to its recipient."""
_PATH_TEXT = re.compile(r"^[!-~]*$")


@dataclass(frozen=True, slots=True)
class Account:
    base: Url
    auth: Mapping[str, Any]
    default_headers: Headers
    connect_timeout_s: float
    tls: TlsOptions | None
    idempotency_header: str
    idempotency_kept_for_s: float
    request_id_header: str

    @property
    def target(self) -> Target:
        return Target.of(self.base)

    @property
    def base_path(self) -> str:
        """Without a slash at its end."""
        return self.base.path.rstrip("/")


@dataclass(frozen=True, slots=True)
class Condition:
    """`statuses` None means 200 to 299; `path` None means that the status alone decides."""

    statuses: frozenset[int] | None
    path: jsonpath.JsonPath | None
    equals: str | int | float | bool | None

    def takes(self, status: int) -> bool:
        return 200 <= status < 300 if self.statuses is None else status in self.statuses


@dataclass(frozen=True, slots=True)
class Message:
    method: str
    path: str
    query: Mapping[str, str]
    headers: Headers
    body_type: str
    body: object
    condition: Condition
    saved_bytes: int
    """0 where the answer is not kept."""
    max_body_bytes: int
    """0 where there is no limit."""

    @property
    def answer_bytes(self) -> int:
        """How much of an answer the transport reads. A longer one costs its connection, so it is never small."""
        return max(self.saved_bytes, DEFAULT_SAVED_BYTES if self.condition.path is None else CONDITION_BYTES)


def parse_account(value: Mapping[str, Any]) -> Account:
    """Reads a value that the schema has accepted."""
    base = parse_url(value["baseUrl"], field="baseUrl")
    if "?" in base.path:
        raise ConfigInvalid("baseUrl: holds a query; write it as the message's query parameters", field="baseUrl")
    headers = tuple(value.get("defaultHeaders", {}).items())
    idempotency, tls = value.get("idempotency"), value.get("tls")
    account = Account(
        base=base,
        auth=value.get("auth", {"type": "NONE"}),
        default_headers=headers,
        connect_timeout_s=seconds(value["connectTimeout"], "connectTimeout")
        if "connectTimeout" in value
        else DEFAULT_CONNECT_S,
        tls=_tls(tls) if tls else None,
        idempotency_header=idempotency["header"] if idempotency else "",
        idempotency_kept_for_s=seconds(idempotency["keptFor"], "idempotency.keptFor") if idempotency else 0.0,
        request_id_header=value.get("requestIdHeader", ""),
    )
    for name, content in headers:
        if has_markers(content):
            raise ConfigInvalid(
                f"defaultHeaders.{name}: holds a template; only a message's own headers can",
                field=f"defaultHeaders.{name}",
            )
    _check_headers(headers, "defaultHeaders", account)
    return account


def parse_message(account: Account, value: Mapping[str, Any]) -> Message:
    """Reads a value that the schema has accepted, beside the account it is for."""
    if not _PATH_TEXT.match(_TAG.sub("", value["path"])) or "#" in _TAG.sub("", value["path"]):
        raise ConfigInvalid("path: holds a space, a '#' or a sign outside ASCII; percent-encode it", field="path")
    headers = tuple(value.get("headers", {}).items())
    _check_headers(headers, "headers", account)
    method = value.get("method", "POST")
    body_type = value.get("bodyType", "JSON" if "bodyTemplate" in value else "NONE")
    return Message(
        method=method,
        path=value["path"],
        query=value.get("query", {}),
        headers=headers,
        body_type=body_type,
        body=_body(body_type, value),
        condition=_condition(value.get("successCondition", {})),
        saved_bytes=value.get("maxResponseBytes", DEFAULT_SAVED_BYTES) if value.get("saveResponseBody") else 0,
        max_body_bytes=value.get("maxBodyBytes", 0),
    )


def owned_headers(account: Account) -> list[str]:
    """Names that authentication and idempotency set; nobody else may."""
    auth = account.auth
    names = ["Authorization"] if auth["type"] in ("BASIC", "BEARER") else []
    names += [auth[key] for key in ("header", "timestampHeader") if key in auth]
    return [*names, account.idempotency_header] if account.idempotency_header else names


def seconds(text: str, where: str) -> float:
    """An ISO 8601 duration of days, hours, minutes and seconds."""
    found = _DURATION.match(text)
    total = sum(float(part or 0) * unit for part, unit in zip(found.groups(), _UNIT_S, strict=True)) if found else 0.0
    if total <= 0:
        raise ConfigInvalid(f"{where}: {text!r} is not a duration above zero; write PT5S, PT1M30S or P1D", field=where)
    return total


def _body(body_type: str, value: Mapping[str, Any]) -> object:
    body = value.get("bodyTemplate")
    if body_type == "NONE" and body is not None:
        raise ConfigInvalid(
            "bodyTemplate: there is one, but bodyType is NONE; remove one of them", field="bodyTemplate"
        )
    if body_type != "NONE" and body is None:
        raise ConfigInvalid(f"bodyTemplate: is missing, and bodyType is {body_type}", field="bodyTemplate")
    if body_type == "TEXT" and not isinstance(body, str):
        raise ConfigInvalid("bodyTemplate: must be a text where bodyType is TEXT", field="bodyTemplate")
    is_form = isinstance(body, dict) and all(isinstance(item, str) for item in body.values())
    if body_type == "FORM" and not is_form:
        raise ConfigInvalid("bodyTemplate: must be an object of texts where bodyType is FORM", field="bodyTemplate")
    return body


def _condition(value: Mapping[str, Any]) -> Condition:
    path = value.get("jsonPath")
    return Condition(
        frozenset(value["status"]) if "status" in value else None,
        jsonpath.parse(path, "successCondition.jsonPath") if path is not None else None,
        value.get("equals"),
    )


def _check_headers(headers: Headers, where: str, account: Account) -> None:
    owned = {name.lower() for name in owned_headers(account)}
    seen: set[str] = set()
    for name, value in headers:
        field = f"{where}.{name}"
        if name.lower() in owned:
            raise ConfigInvalid(f"{field}: auth or idempotency sets this header; remove one of them", field=field)
        if name.lower() in seen:
            raise ConfigInvalid(f"{field}: is given twice", field=field)
        seen.add(name.lower())
        if name.lower() in _CREDENTIALS and not has_markers(value):
            raise ConfigInvalid(
                f"{field}: a credential is never written here, since the folder of a send keeps it; use auth, such as "
                '{type: BEARER, token: {"$secret": NAME}}',
                field=field,
            )
        try:
            encode_headers([(name, "" if has_markers(value) else value)])
        except InvalidInput as error:
            raise ConfigInvalid(f"{where}: {error.message}", field=field) from None


def _tls(value: Mapping[str, str]) -> TlsOptions:
    return TlsOptions(
        ca_file=value.get("caFile", ""),
        server_name=value.get("serverName", ""),
        client_certificate=value.get("clientCertificate", ""),
        client_key=value.get("clientKey", ""),
    )
