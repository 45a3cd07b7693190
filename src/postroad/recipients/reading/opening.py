"""Chooses the reader for an input: by what it is, then by the first bytes, then by the name."""

from postroad.recipients.reading.json_lines import JsonLines
from postroad.recipients.reading.made_up import MadeUp
from postroad.recipients.reading.query import QueryRows
from postroad.recipients.reading.records import TableReader
from postroad.recipients.reading.text_table import TextTable
from postroad.recipients.request import FileInput, ImportRequest, QueryInput, SyntheticInput
from postroad.vocabulary.errors import AudienceInvalid

_ZIP = b"PK\x03\x04"
_OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"
_SUFFIXES = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".txt": "txt", ".jsonl": "jsonl", ".ndjson": "jsonl"}


def open_reader(request: ImportRequest, address: str | None) -> TableReader:
    """`address` is the checked address of a PostgreSQL query's host."""
    source = request.source
    if isinstance(source, SyntheticInput):
        return MadeUp(source, request.limits)
    if isinstance(source, QueryInput):
        return QueryRows(source, address)
    table_format = _format_of(source, request.limits.max_file_bytes)
    if table_format == "xlsx":
        from postroad.recipients.reading.workbook import Workbook

        return Workbook(source, request.limits)
    if table_format == "jsonl":
        return JsonLines(source, request.limits)
    return TextTable(source, table_format, request.limits)


def _format_of(source: FileInput, most_bytes: int) -> str:
    if not source.path.is_file():
        raise AudienceInvalid(f"there is no file {source.path}", field="file")
    size = source.path.stat().st_size
    if size == 0:
        raise AudienceInvalid(f"{source.path.name} is empty", field="file")
    if size > most_bytes:
        raise AudienceInvalid(f"{source.path.name} has {size:,} bytes; at most {most_bytes:,} are taken", field="file")
    try:
        with source.path.open("rb") as file:
            start = file.read(4)
    except OSError as error:
        raise AudienceInvalid(f"{source.path} cannot be read: {error.strerror}", field="file") from None
    if start == _OLD_WORKBOOK:
        raise AudienceInvalid("the file is an old or protected workbook; save it as XLSX or CSV", field="file")
    if source.format is None and start == _ZIP:
        return "xlsx"
    if source.format == "xlsx" and start != _ZIP:
        raise AudienceInvalid("the file is no XLSX workbook; is it a CSV with another name?", field="file")
    if source.format is not None:
        return source.format
    return _SUFFIXES.get(source.path.suffix.lower(), "csv")
