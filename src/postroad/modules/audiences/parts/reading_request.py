"""What an import asks the reading of recipients to do."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from postroad.modules.audiences.model import FileSource, Import, InlineSource, QuerySource, SyntheticSource
from postroad.modules.audiences.parts.reading_rules import ReadingRules
from postroad.modules.audiences.ports import Surroundings
from postroad.recipients import AudienceInput, FileInput, ImportRequest, QueryInput, SyntheticInput
from postroad.recipients.request import TableFormat

_FORMATS: Mapping[str, TableFormat] = {"csv": "csv", "tsv": "tsv", "txt": "txt", "xlsx": "xlsx", "jsonl": "jsonl"}
_SUFFIXES = frozenset({".csv", ".tsv", ".tab", ".txt", ".xlsx", ".jsonl", ".ndjson"})


def reading_request(
    found: Import, upload: Path | None, folder: Path, *, rules: ReadingRules, surroundings: Surroundings
) -> ImportRequest:
    """Looks secrets and schemas up. `upload` is what was received; the results go to `folder / "out"`.

    Raises SecretMissing, ProviderNotAvailable, ValidationFailed where the operator's rules have changed.
    """
    rules.check(found.source, found.layout)
    limits = rules.limits
    if isinstance(found.source, QuerySource) and found.source.max_rows is not None:
        limits = replace(limits, max_rows=min(limits.max_rows, found.source.max_rows))
    return ImportRequest(
        source=_input(found, upload, folder, surroundings),
        out_dir=folder / "out",
        key=found.layout.key,
        mapping=found.layout.mapping,
        recipient_schema=_schema(found, surroundings),
        limits=limits,
    )


def longest_reading_s(found: Import, rules: ReadingRules) -> float:
    """After this many seconds reading is ended from outside."""
    if isinstance(found.source, QuerySource):
        return min(rules.longest_s, found.source.timeout_s + 5.0)
    return rules.longest_s


def _input(found: Import, upload: Path | None, folder: Path, surroundings: Surroundings) -> AudienceInput:
    match found.source:
        case FileSource() as file:
            return FileInput(
                _named(upload, folder, PurePath(file.file_name).suffix.lower()),
                format=_FORMATS.get(file.format or ""),
                encoding=file.encoding,
                delimiter=file.delimiter,
                quote=file.quote,
                sheet=file.sheet,
                header_row=file.header_row,
            )
        case InlineSource():
            return FileInput(_named(upload, folder, ".jsonl"), format="jsonl", encoding="utf-8")
        case QuerySource() as query:
            password = surroundings.secret(found.workspace_id, query.password) if query.password else None
            return QueryInput(_settled(query.database), query.query, password, float(query.timeout_s))
        case SyntheticSource(count):
            return SyntheticInput(count)


def _named(upload: Path | None, folder: Path, suffix: str) -> Path:
    """A link to what was received under a name that tells its format: readers look at the first bytes, then at it."""
    assert upload is not None, "a file or rows come with what was received"
    link = folder / f"upload{suffix if suffix in _SUFFIXES else '.csv'}"
    link.symlink_to(upload.resolve())
    return link


def _settled(database: str) -> str:
    """A database file by its real place, so that what was judged is what is opened."""
    parts = urlsplit(database)
    if parts.scheme not in {"sqlite", "duckdb"}:
        return database
    return f"{parts.scheme}://{quote(str(Path(unquote(parts.path)).resolve()))}"


def _schema(found: Import, surroundings: Surroundings) -> Mapping[str, Any] | None:
    provider_id = found.layout.provider_id
    return surroundings.recipient_schema(provider_id) if provider_id else None
