"""The audience of a job into a snapshot, and what is to be told about it."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from postroad.flows.local_runs.orders import AudienceOrder
from postroad.flows.local_runs.ports import Surroundings
from postroad.flows.local_runs.preparing.checking import Checked, factory_for
from postroad.flows.local_runs.views import AudienceFacts, PreparedSend
from postroad.foundation.whole_files import write_whole
from postroad.jobfile import AudienceRequest, read_audience
from postroad.recipients import (
    AudienceInput,
    FileInput,
    ImportReport,
    ImportRequest,
    QueryInput,
    SyntheticInput,
    export_accepted,
    import_audience,
)
from postroad.vocabulary.errors import AudienceInvalid

_DUPLICATE = "DUPLICATE"
"""A reason why a row was left out, but not one that rejects it."""


def check_audience(order: AudienceOrder, surroundings: Surroundings) -> AudienceFacts:
    """What an import would make of an audience; nothing is kept but the files asked for.

    With a job its provider's recipient schema is checked as well. Rejected rows are in the answer; they raise nothing.
    Raises AudienceInvalid where not one row can be used.
    """
    provider, audience, base = read_audience(order.job, order.overrides)
    schema = None
    if provider and audience.count is None:
        schema = factory_for(surroundings.provider_loader, provider, base).descriptor.recipient_schema
    with tempfile.TemporaryDirectory(prefix="postroad-") as folder:
        request = _request(audience, Path(folder), surroundings, schema)
        try:
            report = import_audience(request, resolve_checked=surroundings.resolve_checked)
        finally:
            kept = keep_copy(Path(folder) / "errors.csv", order.errors_file)
        if order.accepted_file is not None:
            export_accepted(report.snapshot, order.accepted_file)
    return facts_of(report, kept)


def import_for(
    checked: Checked, folder: Path, surroundings: Surroundings, rejected_at: Path | None = None
) -> ImportReport:
    """Raises AudienceInvalid for rejected rows unless the job leaves them out; `rejected_at` is where they can be read
    when it is raised.
    """
    audience = checked.job.audience
    schema = None if audience.count is not None else checked.factory.descriptor.recipient_schema
    report = import_audience(
        _request(audience, folder, surroundings, schema), resolve_checked=surroundings.resolve_checked
    )
    if report.rejected and not audience.skip_invalid:
        tops = [top for top in report.top_reasons if top.code != _DUPLICATE]
        reasons = ", ".join(f"{top.count} × {top.code} in {top.column or 'the row'}" for top in tops[:3])
        look = f"see {rejected_at}" if rejected_at else "have them written out with --errors rejected.csv"
        raise AudienceInvalid(
            f"{report.rejected} of {report.rows} rows cannot be sent to ({reasons}); {look}, and mend them, or leave "
            "them out with --skip-invalid (skipInvalid in the job)",
            field="audience",
        )
    return report


def facts_of(report: ImportReport, errors_file: Path | None) -> AudienceFacts:
    return AudienceFacts(
        rows=report.rows,
        accepted=report.accepted,
        duplicates=report.duplicates,
        rejected=report.rejected,
        sha256=report.sha256,
        columns=report.snapshot.columns,
        encoding=report.encoding,
        delimiter=report.delimiter,
        warnings=report.warnings,
        reasons=tuple(
            (f"{top.code} in {top.column}" if top.column else top.code, top.count) for top in report.top_reasons
        ),
        samples=tuple(sample.fields for sample in report.accepted_samples),
        errors_file=errors_file,
    )


def write_accepted(prepared: PreparedSend, path: Path) -> int:
    """The accepted rows as a CSV that a spreadsheet program can open; their number."""
    return export_accepted(prepared.snapshot, path)


def _request(
    audience: AudienceRequest, folder: Path, surroundings: Surroundings, schema: Mapping[str, Any] | None
) -> ImportRequest:
    return ImportRequest(
        source=_input(audience, surroundings),
        out_dir=folder,
        key=(audience.key,) if audience.key else (),
        mapping=audience.mapping,
        recipient_schema=schema,
    )


def _input(audience: AudienceRequest, surroundings: Surroundings) -> AudienceInput:
    if audience.count is not None:
        return SyntheticInput(audience.count)
    if audience.query is not None:
        name = audience.query.password
        password = surroundings.secrets.resolve(name) if name else None
        return QueryInput(audience.query.database, audience.query.sql, password)
    assert audience.file is not None
    delimiter = {"tab": "\t", "\\t": "\t"}.get(audience.delimiter or "", audience.delimiter)
    return FileInput(
        audience.file,
        encoding=audience.encoding,
        delimiter=delimiter,
        quote=audience.quote,
        sheet=audience.sheet,
        header_row=audience.header_row,
    )


def keep_copy(found: Path, wanted: Path | None) -> Path | None:
    """Where the rejected rows lie for the caller: copied to `wanted`, or None where there are none."""
    if not found.is_file():
        return None
    if wanted is not None:
        write_whole(wanted, found.read_bytes())
    return wanted
