"""What a source and a layout may say before anything is read.

A query runs with the rights of the service, so it may go to fewer places than one at a terminal: PostgreSQL only under
the address policy and with no option that reads files here; SQLite and DuckDB files only below folders that the
operator named, so that nobody reads the service's own database, or a neighbour's.
"""

import dataclasses
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from postroad.modules.audiences.model import FileSource, Layout, QuerySource, Source, SyntheticSource
from postroad.spi.secret_references import SecretReference
from postroad.vocabulary.refusals import FieldProblem, ValidationFailed

MOST_SYNTHETIC = 10_000_000
LONGEST_QUERY = 100_000
LONGEST_TIMEOUT_S = 3_600
_MOST_KEYS, _MOST_MAPPED, _LONGEST_NAME = 16, 500, 500
_FORMATS = ("csv", "tsv", "txt", "xlsx", "jsonl")
_NETWORK = frozenset({"postgresql", "postgres"})
_FILES = frozenset({"sqlite", "duckdb"})
_URL_OPTIONS = frozenset({"sslmode", "application_name"})
_READING_WORDS = ("SELECT", "WITH", "VALUES", "TABLE", "FROM")


def check_source(source: Source, folders: tuple[Path, ...]) -> None:
    """`folders` are where database files may lie. Raises ValidationFailed with every problem."""
    problems = [
        _nul(path) for path, text in dataclasses.asdict(source).items() if isinstance(text, str) and "\0" in text
    ]
    if isinstance(source, SyntheticSource) and not 1 <= source.count <= MOST_SYNTHETIC:
        problems.append(_problem("count", "OUT_OF_RANGE", f"count must be from 1 to {MOST_SYNTHETIC:,}"))
    if isinstance(source, FileSource):
        problems += _of_file(source)
    if isinstance(source, QuerySource):
        problems += _of_query(source, folders)
    _raise(problems)


def check_layout(layout: Layout) -> None:
    """Raises ValidationFailed."""
    problems = []
    if len(layout.key) > _MOST_KEYS or any(not 0 < len(name) <= _LONGEST_NAME for name in layout.key):
        problems.append(_problem("key", "OUT_OF_RANGE", f"key names at most {_MOST_KEYS} columns"))
    names = [*layout.mapping, *layout.mapping.values()]
    if any("\0" in name for name in (*layout.key, *names)):
        problems.append(_nul("key" if any("\0" in name for name in layout.key) else "mapping"))
    if len(layout.mapping) > _MOST_MAPPED or any(not 0 < len(name) <= _LONGEST_NAME for name in names):
        said = f"mapping has at most {_MOST_MAPPED} entries of non-empty names"
        problems.append(_problem("mapping", "OUT_OF_RANGE", said))
    _raise(problems)


def _of_file(source: FileSource) -> list[FieldProblem]:
    problems = []
    if source.format is not None and source.format not in _FORMATS:
        problems.append(_problem("format", "UNKNOWN", f"format must be one of {', '.join(_FORMATS)}"))
    if source.delimiter is not None and len(source.delimiter) != 1:
        problems.append(_problem("delimiter", "LENGTH", "delimiter must be one character"))
    if source.quote is not None and len(source.quote) > 1:
        problems.append(_problem("quote", "LENGTH", "quote must be one character, or empty for none"))
    if source.header_row is not None and not 0 <= source.header_row <= 1_000_000:
        problems.append(_problem("headerRow", "OUT_OF_RANGE", "headerRow is a row of the table, or 0 for no header"))
    return problems


def _of_query(source: QuerySource, folders: tuple[Path, ...]) -> list[FieldProblem]:
    problems = _of_database(source.database, folders)
    first = _first_word(source.query)
    if not 0 < len(source.query) <= LONGEST_QUERY or first not in _READING_WORDS:
        said = f"query must be one reading statement that begins with SELECT or WITH, not {first[:20] or 'nothing'!r}"
        problems.append(_problem("query", "NOT_A_SELECT", said))
    if not 1 <= source.timeout_s <= LONGEST_TIMEOUT_S:
        said = f"timeoutSeconds must be from 1 to {LONGEST_TIMEOUT_S}"
        problems.append(_problem("timeoutSeconds", "OUT_OF_RANGE", said))
    if source.max_rows is not None and source.max_rows < 1:
        problems.append(_problem("maxRows", "OUT_OF_RANGE", "maxRows must be at least 1"))
    if source.password is not None:
        try:
            SecretReference.parse(source.password)
        except ValueError as error:
            problems.append(_problem("password", "SECRET_REFERENCE", f"password refers to a secret: {error}"))
    return problems


def _of_database(database: str, folders: tuple[Path, ...]) -> list[FieldProblem]:
    try:
        parts = urlsplit(database)
        has_password = parts.password is not None
    except ValueError:
        return [_problem("database", "UNREADABLE", "database cannot be read as a URL")]
    if parts.scheme in _FILES:
        return _of_database_file(unquote(parts.path), folders)
    if parts.scheme not in _NETWORK:
        said = "database must begin with postgresql://, or sqlite:/// or duckdb:/// where the operator allows files"
        return [_problem("database", "UNKNOWN", said)]
    problems = []
    if has_password:
        said = "the password does not belong into database; keep it as a secret and name it in password"
        problems.append(_problem("database", "PASSWORD", said))
    options = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    if parts.fragment or not options <= _URL_OPTIONS:
        unknown = ", ".join(sorted(options - _URL_OPTIONS))[:100] or "#"
        said = f"database may have the options {' and '.join(sorted(_URL_OPTIONS))} only, not {unknown}"
        problems.append(_problem("database", "OPTION", said))
    return problems


def _of_database_file(path: str, folders: tuple[Path, ...]) -> list[FieldProblem]:
    """Links are followed before the place is judged, so that none leads out of the allowed folders."""
    if not folders:
        said = "database files of this machine may not be read: audiences.databaseFolders names no folder"
        return [_problem("database", "FILES_REFUSED", said)]
    if "\0" in path:
        return [_nul("database")]
    resolved = Path(path).resolve()
    if not any(resolved.is_relative_to(folder.resolve()) for folder in folders):
        return [_problem("database", "FOLDER_REFUSED", "the file does not lie in a folder that audiences may read")]
    return []


def _first_word(query: str) -> str:
    """The first word behind comments and opening brackets, in capitals."""
    text = query
    while True:
        text = text.lstrip(" \t\r\n(\ufeff")
        if text.startswith("--"):
            text = text.partition("\n")[2]
        elif text.startswith("/*"):
            text = text.partition("*/")[2]
        else:
            return text.split(None, 1)[0].rstrip("(*'\"").upper() if text.strip() else ""


def _nul(path: str) -> FieldProblem:
    return _problem(path, "UNREADABLE", f"{path} holds a NUL character, which no text may")


def _problem(path: str, code: str, message: str) -> FieldProblem:
    return FieldProblem(path, code, message)


def _raise(problems: list[FieldProblem]) -> None:
    if problems:
        raise ValidationFailed(problems[0].message, problems=problems)
