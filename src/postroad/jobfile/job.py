"""One job: what is sent, through whom, to whom and how."""

import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from postroad.jobfile.policies import Policies, read_policies
from postroad.jobfile.problems import NOT_IN_THE_FILE, Findings, join, shape_of
from postroad.jobfile.yaml_text import Document, read_document

_KNOWN = ("name", "provider", "account", "message", "audience", "policies")
_AUDIENCE = (
    "file",
    "query",
    "count",
    "sheet",
    "encoding",
    "delimiter",
    "quote",
    "headerRow",
    "key",
    "mapping",
    "skipInvalid",
)
_NAME = re.compile(r"[^/\\\x00-\x1f]{1,80}\Z")


@dataclass(frozen=True, slots=True)
class AudienceQuery:
    """A reading query; `password` names a secret."""

    database: str
    sql: str
    password: str | None = None


@dataclass(frozen=True, slots=True)
class AudienceRequest:
    """Where the recipients come from: exactly one of `file`, `query` and `count`."""

    file: Path | None = None
    query: AudienceQuery | None = None
    count: int | None = None
    sheet: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    """An empty text: quotes are plain text."""
    header_row: int | None = None
    """As the spreadsheet counts, from 1; 0 says there is none."""
    key: str | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)
    skip_invalid: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    name: str
    provider: str
    account: dict[str, Any]
    message: dict[str, Any]
    audience: AudienceRequest
    policies: Policies
    base: Path
    """The folder that relative paths in the job file start from."""
    raw: dict[str, Any]
    """The job as given, overrides laid over; kept in the send's folder for people."""
    lines: dict[str, int] = field(default_factory=dict)
    """The line of each dotted field in the file."""


def read_job(file: Path | None, overrides: Mapping[str, object] | None = None, *, audience_needed: bool = True) -> Job:
    """Raises ConfigInvalid for a file that cannot be read, JobInvalid with all that is wrong in it."""
    raw, base, lines = _raw(file, overrides or {})
    return _job(raw, file.stem if file is not None else "send", base, lines, audience_needed=audience_needed)


def job_of(value: Mapping[str, Any]) -> Job:
    """A job that came as a value, without its audience: a path means nothing where it came to. Raises JobInvalid."""
    raw = {key: deepcopy(part) for key, part in value.items() if key != "audience"}
    return _job(raw, "", Path(), {}, audience_needed=False)


def _job(raw: dict[str, Any], fallback: str, base: Path, lines: dict[str, int], *, audience_needed: bool) -> Job:
    """`fallback` is the name of a job that gives none; empty where it must."""
    findings = Findings()
    findings.refuse_unknown(raw, _KNOWN, "")
    name = _name(raw.get("name"), fallback, findings)
    provider = raw.get("provider")
    if not isinstance(provider, str) or not provider:
        findings.add("provider", "is missing; name a provider such as http, smtp or feishu")
    account = _mapping_of(raw, "account", findings, needed=False)
    message = _mapping_of(raw, "message", findings, needed=True)
    audience = _audience(raw.get("audience"), base, findings, needed=audience_needed)
    policies = read_policies(raw.get("policies"), findings)
    findings.raise_if_any(lines)
    return Job(name, str(provider), account, message, audience, policies, base, raw, lines)


def read_audience(file: Path | None, overrides: Mapping[str, object]) -> tuple[str, AudienceRequest, Path]:
    """Provider (or an empty text), audience and folder of what may be less than a whole job."""
    raw, base, lines = _raw(file, overrides)
    findings = Findings()
    audience = _audience(raw.get("audience"), base, findings, needed=True)
    findings.raise_if_any(lines)
    provider = raw.get("provider")
    return provider if isinstance(provider, str) else "", audience, base


def _raw(file: Path | None, overrides: Mapping[str, object]) -> tuple[dict[str, Any], Path, dict[str, int]]:
    document = read_document(file) if file is not None else Document({}, {})
    raw = deepcopy(document.value)
    base = file.resolve().parent if file is not None else Path.cwd()
    overridden = {path: value for path, value in overrides.items() if value is not None}
    for path, value in overridden.items():
        _lay_over(raw, path, value)
    if "audience.file" in overridden:
        raw["audience"]["file"] = str(Path(str(overridden["audience.file"])).expanduser().resolve())
    return raw, base, document.lines | dict.fromkeys(overridden, NOT_IN_THE_FILE)


def _lay_over(raw: dict[str, Any], path: str, value: object) -> None:
    """Sets a dotted field; what is below `policies.rate` is one key, since a domain has dots of its own."""
    keys = path.split(".")
    if keys[:2] == ["policies", "rate"] and len(keys) > 2:
        keys = ["policies", "rate", ".".join(keys[2:])]
    if keys[0] == "audience" and keys[-1] in ("file", "query", "count") and isinstance(raw.get("audience"), dict):
        for other in ("file", "query", "count"):
            raw["audience"].pop(other, None)
    place = raw
    for key in keys[:-1]:
        below = place.get(key)
        if not isinstance(below, dict):
            below = {} if key != "rate" or below is None else {"run": below}
            place[key] = below
        place = below
    place[keys[-1]] = value


def _name(value: object, fallback: str, findings: Findings) -> str:
    if value is None and fallback:
        return fallback
    if not isinstance(value, str) or not _NAME.match(value.strip()):
        findings.add("name", f"must be a text of 1 to 80 characters without slashes, not {shape_of(value)}")
        return "send"
    return value.strip()


def _mapping_of(raw: Mapping[str, Any], key: str, findings: Findings, *, needed: bool) -> dict[str, Any]:
    value = raw.get(key)
    if value is None and not needed:
        return {}
    if not isinstance(value, dict):
        findings.add(key, "is missing" if value is None else f"must be a mapping, not {shape_of(value)}")
        return {}
    _check_references(value, key, findings)
    return value


def _check_references(value: object, path: str, findings: Findings) -> None:
    if isinstance(value, dict):
        if "$secret" in value and (len(value) != 1 or not isinstance(value["$secret"], str) or not value["$secret"]):
            findings.add(path, 'a secret is named by {"$secret": NAME} alone')
            return
        for key, child in value.items():
            _check_references(child, join(path, str(key)), findings)
    elif isinstance(value, list):
        for index, child in enumerate(value):
            _check_references(child, join(path, str(index)), findings)


def _audience(value: object, base: Path, findings: Findings, *, needed: bool) -> AudienceRequest:
    if value is None and not needed:
        return AudienceRequest()
    if not isinstance(value, dict):
        findings.add("audience", "is missing; name a file, a query or a count")
        return AudienceRequest()
    findings.refuse_unknown(value, _AUDIENCE, "audience")
    sources = [name for name in ("file", "query", "count") if value.get(name) is not None]
    if len(sources) != 1 and (needed or sources):
        findings.add("audience", f"needs exactly one of file, query and count, not {' and '.join(sources) or 'none'}")
    file = _text(value, "file", findings)
    count = value.get("count")
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
        findings.add("audience.count", f"must be a whole number from 1 on, not {shape_of(count)}")
    sheet = value.get("sheet")
    quote, header = value.get("quote"), value.get("headerRow")
    if quote is not None and (not isinstance(quote, str) or len(quote) > 1):
        findings.add("audience.quote", f"must be one character, or empty for none, not {shape_of(quote)}")
    if header is not None and (isinstance(header, bool) or not isinstance(header, int) or header < 0):
        findings.add("audience.headerRow", f"must be a row number, or 0 for none, not {shape_of(header)}")
    skip = value.get("skipInvalid", False)
    if not isinstance(skip, bool):
        findings.add("audience.skipInvalid", f"must be true or false, not {shape_of(skip)}")
    return AudienceRequest(
        file=base / Path(file).expanduser() if file else None,
        query=_query(value.get("query"), base, findings),
        count=count if isinstance(count, int) else None,
        sheet=str(sheet) if isinstance(sheet, str | int) else None,
        encoding=_text(value, "encoding", findings),
        delimiter=_text(value, "delimiter", findings),
        quote=quote if isinstance(quote, str) else None,
        header_row=header if isinstance(header, int) else None,
        key=_text(value, "key", findings),
        mapping=_column_names(value.get("mapping"), findings),
        skip_invalid=bool(skip),
    )


def _query(value: object, base: Path, findings: Findings) -> AudienceQuery | None:
    if value is None:
        return None
    path = "audience.query"
    if not isinstance(value, dict):
        findings.add(path, f"must be a mapping of database, sql and password, not {shape_of(value)}")
        return None
    findings.refuse_unknown(value, ("database", "sql", "password"), path)
    database, sql, password = (value.get(key) for key in ("database", "sql", "password"))
    if not isinstance(database, str) or "://" not in database:
        findings.add(f"{path}.database", "must be sqlite:///file, duckdb:///file or postgresql://user@host:port/name")
        database = "://"
    elif _holds_password(database):
        findings.add(f"{path}.database", 'holds a password; take it out and name it by password: {"$secret": NAME}')
    if not isinstance(sql, str) or not sql.strip():
        findings.add(f"{path}.sql", f"must be a SELECT as text, not {shape_of(sql)}")
    if password is not None and not (isinstance(password, dict) and isinstance(password.get("$secret"), str)):
        findings.add(f"{path}.password", 'is a secret: name it by {"$secret": NAME}')
        password = None
    scheme, _, place = database.partition(":///")
    if scheme in ("sqlite", "duckdb") and place:
        database = f"{scheme}:///{base / place}"
    return AudienceQuery(database, str(sql), password["$secret"] if password else None)


def _holds_password(database: str) -> bool:
    """What stands in a job file is kept in the folder of its send, so a password may not."""
    authority, _, parameters = database.partition("://")[2].partition("?")
    user, at, _ = authority.partition("/")[0].rpartition("@")
    keys = [unquote(pair.partition("=")[0]).strip().lower() for pair in parameters.split("&")]
    return bool(at and ":" in user) or not {"password", "passfile", "sslpassword"}.isdisjoint(keys)


def _text(value: Mapping[str, Any], key: str, findings: Findings) -> str | None:
    found = value.get(key)
    if found is not None and (not isinstance(found, str) or not found):
        findings.add(f"audience.{key}", f"must be a text, not {shape_of(found)}; put it in quotes")
        return None
    return found


def _column_names(value: object, findings: Findings) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        findings.add("audience.mapping", f"must be a mapping of field: column, not {shape_of(value)}")
        return {}
    for key, column in value.items():
        if not isinstance(column, str) or not column:
            findings.add(f"audience.mapping.{key}", f"must name a column, not be {shape_of(column)}")
    return {str(key): str(column) for key, column in value.items()}
