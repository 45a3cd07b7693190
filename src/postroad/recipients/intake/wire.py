"""Requests and reports as JSON, for the pipe between parent and child."""

import dataclasses
from pathlib import Path
from typing import Any, Literal

from postroad.recipients.report import AcceptedSample, ColumnReport, ImportReport, RowProblem, TopReason
from postroad.recipients.request import FileInput, ImportLimits, ImportRequest, QueryInput, SyntheticInput
from postroad.recipients.snapshot import Snapshot
from postroad.vocabulary.secret import Secret
from postroad.vocabulary.values import FileRef

_KINDS: dict[type, Literal["file", "query", "synthetic"]] = {
    FileInput: "file",
    QueryInput: "query",
    SyntheticInput: "synthetic",
}


def request_to_wire(request: ImportRequest, address: str | None) -> dict[str, Any]:
    """Holds the password of a query in clear: for a pipe, never for a file or a log."""
    source = {field.name: getattr(request.source, field.name) for field in dataclasses.fields(request.source)}
    if isinstance(source.get("password"), Secret):
        source["password"] = source["password"].reveal()
    if "path" in source:
        source["path"] = str(source["path"])
    return {
        "kind": _KINDS[type(request.source)],
        "source": source,
        "out_dir": str(request.out_dir),
        "key": list(request.key),
        "mapping": dict(request.mapping),
        "recipient_schema": request.recipient_schema,
        "limits": dataclasses.asdict(request.limits),
        "write_accepted": request.write_accepted,
        "address": address,
    }


def request_from_wire(wire: dict[str, Any]) -> tuple[ImportRequest, str | None]:
    source = wire["source"]
    found: FileInput | QueryInput | SyntheticInput
    if wire["kind"] == "file":
        found = FileInput(**{**source, "path": Path(source["path"])})
    elif wire["kind"] == "query":
        password = Secret(source["password"]) if source["password"] is not None else None
        found = QueryInput(**{**source, "password": password})
    else:
        found = SyntheticInput(**source)
    request = ImportRequest(
        source=found,
        out_dir=Path(wire["out_dir"]),
        key=tuple(wire["key"]),
        mapping=wire["mapping"],
        recipient_schema=wire["recipient_schema"],
        limits=ImportLimits(**wire["limits"]),
        write_accepted=wire["write_accepted"],
    )
    return request, wire["address"]


def report_to_wire(report: ImportReport) -> dict[str, Any]:
    wire = {field.name: getattr(report, field.name) for field in dataclasses.fields(report)}
    wire["snapshot"] = {**dataclasses.asdict(report.snapshot), "path": str(report.snapshot.path)}
    for name in "columns", "top_reasons", "problem_samples":
        wire[name] = [dataclasses.asdict(entry) for entry in wire[name]]
    wire["accepted_samples"] = [
        {"row": sample.row, "fields": {name: _value_to_wire(value) for name, value in sample.fields.items()}}
        for sample in report.accepted_samples
    ]
    for name in "errors_path", "accepted_path":
        wire[name] = str(wire[name]) if wire[name] is not None else None
    return wire


def report_from_wire(wire: dict[str, Any]) -> ImportReport:
    snapshot = wire["snapshot"]
    return ImportReport(
        **{
            **wire,
            "snapshot": Snapshot(
                Path(snapshot["path"]),
                snapshot["count"],
                snapshot["sha256"],
                tuple(snapshot["columns"]),
                tuple((name, column) for name, column in snapshot["aliases"]),
            ),
            "columns": tuple(ColumnReport(**{**entry, "also": tuple(entry["also"])}) for entry in wire["columns"]),
            "key": tuple(wire["key"]),
            "warnings": tuple(wire["warnings"]),
            "top_reasons": tuple(TopReason(**entry) for entry in wire["top_reasons"]),
            "problem_samples": tuple(RowProblem(**entry) for entry in wire["problem_samples"]),
            "accepted_samples": tuple(
                AcceptedSample(entry["row"], {name: _value_from_wire(value) for name, value in entry["fields"].items()})
                for entry in wire["accepted_samples"]
            ),
            "errors_path": Path(wire["errors_path"]) if wire["errors_path"] else None,
            "accepted_path": Path(wire["accepted_path"]) if wire["accepted_path"] else None,
        }
    )


def _value_to_wire(value: object) -> object:
    return {"file": value.path} if isinstance(value, FileRef) else value


def _value_from_wire(value: Any) -> Any:
    return FileRef(value["file"]) if isinstance(value, dict) else value
