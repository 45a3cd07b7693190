"""Recipients on their way into an audience of the service: sent, read there, looked at, committed.

What the service has already is not sent again: the same bytes, read in the same way, are the same people. An import
that cannot be used is discarded, so that nothing half done stays behind; a break in the middle leaves an import that
the service removes by itself after a day.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

from postroad.entrypoints.cli.remote.access.kinds import AUDIENCES
from postroad.entrypoints.cli.remote.access.naming import find_named
from postroad.entrypoints.cli.remote.access.refusals import ServiceRefused
from postroad.entrypoints.cli.remote.access.service import Service, Wire, path_of
from postroad.entrypoints.cli.remote.pushing.reading import read_import
from postroad.entrypoints.cli.remote.show import audiences
from postroad.entrypoints.cli.remote.transfers import Wanted, passing, save
from postroad.entrypoints.cli.texts import say
from postroad.jobfile import AudienceRequest
from postroad.vocabulary.errors import AudienceInvalid

IMPORTS = "audience-imports"
CREATED, CHANGED, UNCHANGED = "CREATED", "CHANGED", "UNCHANGED"
_COMMON_REASONS = 3


@dataclass(frozen=True, slots=True)
class PeopleOrder:
    name: str
    """Of the audience; one of this name gets new recipients."""
    request: AudienceRequest
    provider_id: str | None = None
    """Rows that this channel could not send to are left out."""
    errors_file: Path | None = None

    @property
    def layout(self) -> dict[str, Any]:
        key = [self.request.key] if self.request.key else []
        return {"key": key, "mapping": dict(self.request.mapping), "providerId": self.provider_id}

    @property
    def reading(self) -> dict[str, Any]:
        """How a file is read; what is None is guessed by the service."""
        asked = self.request
        return {
            "encoding": asked.encoding,
            "delimiter": asked.delimiter,
            "quote": asked.quote,
            "sheet": asked.sheet,
            "headerRow": asked.header_row,
        }


@dataclass(frozen=True, slots=True)
class PeopleKept:
    audience: Wire
    outcome: str
    """CREATED, CHANGED or UNCHANGED."""
    report: Wire | None = None
    """What was in the file; None where it was not read again."""


def keep_people(service: Service, order: PeopleOrder) -> PeopleKept:
    """Blocks until the recipients are kept. Raises AudienceInvalid for what cannot be read or has rows that cannot be
    sent to, and what the service refuses."""
    found = find_named(service, AUDIENCES, order.name)
    before = None if found is None or found["status"] == "ARCHIVED" else found
    if before is not None and _is_same(service, order, before):
        return PeopleKept(before, UNCHANGED)
    begun = _begin(service, order, None if before is None else str(before["id"]))
    try:
        imported = read_import(service, begun)
        _refuse_unfit(service, order, imported)
    except BaseException:
        discard(service, str(begun["id"]))
        raise
    words: dict[str, object] = {"name": order.name} if before is None else {"audienceVersion": before["version"]}
    path = f"{path_of(IMPORTS, imported['id'])}/commit"
    audience = service.post(path, words, version=imported["version"])
    return PeopleKept(audience, CREATED if before is None else CHANGED, imported["report"])


def discard(service: Service, import_id: str) -> None:
    """Drops an import that is not wanted, as far as it is still there."""
    path = path_of(IMPORTS, import_id)
    try:
        service.change("DELETE", path, service.get(path)["version"])
    except ServiceRefused as refused:
        if refused.status not in (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.PRECONDITION_FAILED):
            raise


def _begin(service: Service, order: PeopleOrder, audience_id: str | None) -> Wire:
    asked = order.request
    if asked.file is None:
        body: dict[str, object] = {**order.layout, "audienceId": audience_id}
        if asked.query is not None:
            password = {"$secret": asked.query.password} if asked.query.password else None
            body["query"] = {"database": asked.query.database, "query": asked.query.sql, "password": password}
        else:
            body["count"] = asked.count
        return service.post(IMPORTS, body)
    mapping = [f"{field}={column}" for field, column in asked.mapping.items()]
    query = {
        **order.layout,
        **order.reading,
        "mapping": mapping,
        "audienceId": audience_id,
        "fileName": asked.file.name,
    }
    size = _size_of(asked.file)
    with asked.file.open("rb") as file, passing(asked.file.name, size) as passed:
        return service.upload(f"{IMPORTS}/files", query, file, size, passed)


def _size_of(file: Path) -> int:
    try:
        if file.is_file():
            return file.stat().st_size
    except OSError as error:
        raise AudienceInvalid(f"{file}: {error.strerror}", field="audience.file") from error
    raise AudienceInvalid(say("there is no file {file}", file=file), field="audience.file")


def _refuse_unfit(service: Service, order: PeopleOrder, imported: Wire) -> None:
    report = imported["report"]
    if report["rejected"] and order.errors_file is not None:
        wanted = Wanted(f"{path_of(IMPORTS, imported['id'])}/errors.csv")
        save(service, wanted, order.errors_file, force=True)
    if report["rejected"] and not order.request.skip_invalid:
        reasons = [one for one in report["topReasons"] if one["code"] != audiences.DUPLICATE]
        common = [f"{one['count']} × {one['code']}" for one in reasons[:_COMMON_REASONS]]
        raise AudienceInvalid(
            say(
                "{rejected} of {rows} rows cannot be sent to ({reasons}); have them written out with --errors"
                " rejected.csv and mend them, or leave them out with --skip-invalid",
                rejected=report["rejected"],
                rows=report["rows"],
                reasons=", ".join(common),
            ),
            field="audience",
        )
    if not report["accepted"]:
        raise AudienceInvalid(say("nobody is left to send to; nothing was kept"), field="audience")


def _is_same(service: Service, order: PeopleOrder, audience: Wire) -> bool:
    """Whether the audience has these people already, as far as that can be known without reading them again."""
    source = audience["source"]
    if any(audience[name] != value for name, value in order.layout.items()):
        return False
    if order.request.count is not None:
        return bool(source["type"] == "SYNTHETIC" and source["count"] == order.request.count)
    if order.request.file is None or source["type"] != "FILE":
        return False
    if any(source[name] != value for name, value in order.reading.items()):
        return False
    _size_of(order.request.file)
    return _received(service, audience) == _digest(order.request.file)


def _received(service: Service, audience: Wire) -> str:
    """SHA-256 of the file that the present recipients came in; empty where that is not known any more."""
    revision = str(audience["snapshotRevision"])
    try:
        snapshot = service.get(path_of("audiences", audience["id"], "snapshots", revision))
        imported: Mapping[str, Any] = service.get(path_of(IMPORTS, snapshot["importId"]))
    except ServiceRefused as refused:
        if refused.status != HTTPStatus.NOT_FOUND:
            raise
        return ""
    if snapshot["state"] != "READY" or imported["upload"] is None:
        return ""
    return str(imported["upload"]["sha256"])


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
