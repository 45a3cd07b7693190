"""An import from end to end, in this process: read, find the header, check, stage, settle the files.

Everything is written into a folder of its own beside the result and moved into place at the end: `errors.csv` first,
the snapshot last. A folder left by a process that died is removed by the next import.
"""

import itertools
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from postroad.recipients.durable_files import settle, sha256_of, storage_errors
from postroad.recipients.intake.canonical import CanonicalTable, LongNumber
from postroad.recipients.intake.checks import Checker, fields_of_schema, key_of_schema
from postroad.recipients.intake.header import SEARCHED_ROWS, Header, find_header, given, headerless, looks_like_data
from postroad.recipients.intake.problems import SAMPLES, ProblemLog
from postroad.recipients.intake.refusals import no_columns, nothing_accepted
from postroad.recipients.intake.staging import Canonical, Column, Staging
from postroad.recipients.intake.words import lead_to_columns, listed
from postroad.recipients.reading.blanks import header_name
from postroad.recipients.reading.opening import open_reader
from postroad.recipients.reading.records import Block, BrokenRecord, TableReader
from postroad.recipients.report import ColumnReport, ImportReport, RowProblem
from postroad.recipients.request import FileInput, ImportRequest
from postroad.recipients.snapshot import Snapshot, export_accepted, read_recipients
from postroad.vocabulary.errors import AudienceInvalid

SNAPSHOT_NAME, ERRORS_NAME, ACCEPTED_NAME = "audience.parquet", "errors.csv", "accepted.csv"
_FOLDER = ".import-"


@dataclass(slots=True)
class _Plan:
    header: Header
    leads: dict[str, str]
    guessed: set[str]
    key: tuple[str, ...]
    checker: Checker | None


def run_import(request: ImportRequest, address: str | None, on_progress: Callable[[int], None]) -> ImportReport:
    """In this process; makes the folder."""
    request.out_dir.mkdir(parents=True, exist_ok=True)
    return import_into(request, address, on_progress)


def import_into(request: ImportRequest, address: str | None, on_progress: Callable[[int], None]) -> ImportReport:
    """Into a folder that is there. A child whose parent died must not make it again after somebody removed it."""
    folder = _own_folder(request.out_dir)
    try:
        with storage_errors(request.out_dir), closing(_Import(request, address, folder)) as work:
            return work.run(on_progress)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _own_folder(out_dir: Path) -> Path:
    for left in out_dir.glob(f"{_FOLDER}*"):
        if not Path("/proc", left.name.removeprefix(_FOLDER)).exists():
            shutil.rmtree(left, ignore_errors=True)
    folder = out_dir / f"{_FOLDER}{os.getpid()}"
    folder.mkdir()
    return folder


class _Import:
    def __init__(self, request: ImportRequest, address: str | None, folder: Path) -> None:
        self._request = request
        self._folder = folder
        self._reader: TableReader = open_reader(request, address)
        self._problems = ProblemLog(folder / ERRORS_NAME)

    def close(self) -> None:
        self._problems.close()

    def run(self, on_progress: Callable[[int], None]) -> ImportReport:
        blocks = self._reader.blocks()
        first = _first_with_rows(blocks)
        plan = self._plan(first)
        canonical = self._canonical(plan)
        with closing(canonical):
            for block in itertools.chain([_after_header(first, plan.header)], blocks):
                canonical.add(block)
                if canonical.rows > self._request.limits.max_rows:
                    most = self._request.limits.max_rows
                    raise AudienceInvalid(f"the table has more than {most:,} rows; split it", field="file")
                on_progress(canonical.rows)
        if canonical.written == 0:
            self._problems.close()
            self._keep_errors()
            raise nothing_accepted(self._reader.origin, plan.header.row, canonical.rows, self._problems)
        return self._stage(plan, canonical)

    def _plan(self, first: Block) -> _Plan:
        request, schema = self._request, self._request.recipient_schema
        wanted_key = request.key or key_of_schema(schema)
        wanted = [*fields_of_schema(schema), *request.mapping.values(), *request.mapping, *wanted_key]
        header = self._header(first, wanted)
        if len(header.names) > request.limits.max_columns:
            raise AudienceInvalid(
                f"the table has {len(header.names):,} named columns; at most {request.limits.max_columns:,} are taken",
                field="file",
            )
        leads, guessed = lead_to_columns(header.names, request.mapping, [*fields_of_schema(schema), *wanted_key])
        places = {name: header.names.index(leads.get(name, name)) for name in [*header.names, *leads]}
        missing = [name for name in wanted_key if name not in places]
        if missing:
            raise AudienceInvalid(
                f"there is no column {listed(missing)} for the key; the columns are {listed(header.names)}", field="key"
            )
        key = tuple(header.names[places[name]] for name in wanted_key)
        checker = Checker(schema, places, header.names) if schema else None
        return _Plan(header, leads, guessed, key, checker)

    def _header(self, first: Block, wanted: list[str]) -> Header:
        reader, request = self._reader, self._request
        if reader.columns is not None:
            if not reader.columns:
                raise no_columns(first)
            return given(reader.columns)
        asked = request.source.header_row if isinstance(request.source, FileInput) else None
        numbers, rows = first.numbers[:SEARCHED_ROWS], first.rows[:SEARCHED_ROWS]
        if asked == 0 or (asked is None and reader.origin.format == "txt" and _is_bare_list(first)):
            width = max((len(row) for row in rows), default=1)
            header = headerless(width, self._names_for_bare_columns())
            reader.origin.warnings.append(f"the file has no header; its columns became {listed(header.names)}")
            return header
        return find_header(numbers, rows, wanted, asked)

    def _names_for_bare_columns(self) -> list[str]:
        schema = self._request.recipient_schema or {}
        return list(self._request.key or schema.get("required", ()) or fields_of_schema(schema)[:1] or ("value",))

    def _canonical(self, plan: _Plan) -> CanonicalTable:
        origin = self._reader.origin
        return CanonicalTable(
            self._folder / "canonical.csv",
            plan.header,
            plan.checker,
            self._problems,
            delimiter=origin.delimiter or ",",
            typed=origin.format in ("jsonl", "query"),
            ragged=self._reader.ragged,
            max_cell_chars=self._request.limits.max_cell_chars,
        )

    def _stage(self, plan: _Plan, canonical: CanonicalTable) -> ImportReport:
        columns = _stored_columns(plan, canonical)
        table = Canonical(
            self._folder / "canonical.csv",
            canonical.delimiter,
            canonical.typed,
            columns,
            canonical.longest_line_chars,
        )
        target = self._folder / SNAPSHOT_NAME
        with closing(Staging(table, self._folder)) as staging:
            places = [plan.header.names.index(name) for name in plan.key]
            duplicates = staging.find_duplicates(places) if places else 0
            names = ", ".join(plan.key)
            for row, first_row, value in staging.duplicates() if duplicates else ():
                reason = f"the same {names} as in row {first_row}"
                self._problems.note(RowProblem(row, names, "DUPLICATE", reason, value))
            note = staging.write(target, tuple(plan.leads.items()))
        self._problems.close()
        errors = self._keep_errors()
        digest = sha256_of(target)
        final = self._request.out_dir / SNAPSHOT_NAME
        settle(target, final)
        count = canonical.written - duplicates
        snapshot = Snapshot(final, count, digest, tuple(plan.header.names), note.aliases)
        return self._report(plan, canonical, snapshot, duplicates, errors)

    def _keep_errors(self) -> Path | None:
        final = self._request.out_dir / ERRORS_NAME
        if not self._problems.written:
            final.unlink(missing_ok=True)
            return None
        settle(self._folder / ERRORS_NAME, final)
        return final

    def _report(
        self, plan: _Plan, canonical: CanonicalTable, snapshot: Snapshot, duplicates: int, errors: Path | None
    ) -> ImportReport:
        origin = self._reader.origin
        accepted_path = None
        if self._request.write_accepted:
            accepted_path = self._request.out_dir / ACCEPTED_NAME
            export_accepted(snapshot, accepted_path)
        return ImportReport(
            snapshot=snapshot,
            rows=canonical.rows,
            accepted=snapshot.count,
            duplicates=duplicates,
            rejected=self._problems.rejected,
            columns=tuple(_column_report(name, plan) for name in plan.header.names),
            key=plan.key,
            format=origin.format,
            encoding=origin.encoding,
            encoding_guessed=origin.encoding_guessed,
            delimiter=origin.delimiter if self._reader.ragged else "",
            quote=origin.quote if self._reader.ragged else "",
            sheet=origin.sheet,
            header_row=plan.header.row,
            warnings=tuple(origin.warnings + plan.header.warnings + canonical.warnings),
            top_reasons=self._problems.top_reasons(),
            accepted_samples=tuple(read_recipients(snapshot, 0, SAMPLES)),
            problem_samples=tuple(self._problems.samples),
            errors_path=errors,
            accepted_path=accepted_path,
        )


def _first_with_rows(blocks: Iterator[Block]) -> Block:
    """The first block that has rows, with what was broken before it."""
    broken: list[BrokenRecord] = []
    for block in blocks:
        broken += block.broken
        if block.rows:
            block.broken = broken
            return block
    return Block([], [], broken=broken)


def _after_header(block: Block, header: Header) -> Block:
    skip = header.skipped
    if not skip:
        return block
    return Block(
        block.numbers[skip:],
        block.rows[skip:],
        block.lines[skip:] if block.lines is not None else None,
        [broken for broken in block.broken if broken.row > header.row],
        block.suspicious,
        block.invisible,
    )


def _is_bare_list(block: Block) -> bool:
    filled = [row for row in block.rows if any(row)]
    return bool(filled) and looks_like_data([header_name(str(cell)) for cell in filled[0]])


def _stored_columns(plan: _Plan, canonical: CanonicalTable) -> list[Column]:
    columns = []
    for at, name in enumerate(plan.header.names):
        kind = plan.checker.stored_kind(at) if plan.checker is not None else "text"
        if kind == "text" and canonical.typed:
            kind = _seen_kind(canonical.kinds_seen[at])
        columns.append(Column(name, kind, plan.checker is not None and at in plan.checker.file_columns))
    return columns


def _seen_kind(seen: set[type]) -> str:
    kinds = seen - {type(None)}
    if kinds == {bool}:
        return "boolean"
    if kinds and kinds <= {int, LongNumber}:
        return "integer"
    return "number" if kinds and kinds <= {int, float} else "text"


def _column_report(name: str, plan: _Plan) -> ColumnReport:
    also = tuple(other for other, column in plan.leads.items() if column == name)
    return ColumnReport(name, also, any(other in plan.guessed for other in also))
