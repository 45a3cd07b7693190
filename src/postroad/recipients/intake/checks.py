"""Checks rows by the provider's recipient schema, a whole column of a block at a time.

Each property becomes a schema for a list of values, so one call checks thousands of cells; only a block with a bad cell
is looked at row by row. Keywords that speak of several fields at once (`dependentRequired`, `if`, `anyOf`, …) are
checked row by row. An empty cell is a missing value: it fails `required` and passes everything else.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, cast

import jsonschema_rs

from postroad.recipients.intake.words import listed
from postroad.recipients.reading.records import Cell
from postroad.recipients.report import RowProblem
from postroad.vocabulary.errors import AudienceInvalid, ConfigInvalid

_PER_FIELD = frozenset({"$schema", "$id", "$defs", "title", "description", "type", "properties", "required"})
_IGNORED = frozenset({"additionalProperties", "unevaluatedProperties", "examples", "default", "$comment"})
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_BEYOND_INTEGER = 10**18
_TRUTH = {"true": True, "false": False, "1": True, "0": False, "是": True, "否": False, "yes": True, "no": False}


def key_of_schema(schema: Mapping[str, Any] | None) -> tuple[str, ...]:
    named = (schema or {}).get("x-postroad-key", ())
    return (named,) if isinstance(named, str) else tuple(named)


def fields_of_schema(schema: Mapping[str, Any] | None) -> tuple[str, ...]:
    return tuple((schema or {}).get("properties", {}))


class Checker:
    """`places` leads a field of the schema to the index of its column."""

    def __init__(self, schema: Mapping[str, Any], places: Mapping[str, int], columns: Sequence[str]) -> None:
        self._columns = columns
        properties: Mapping[str, Any] = schema.get("properties", {})
        self._required = [places[name] for name in schema.get("required", ()) if name in places]
        missing = [name for name in schema.get("required", ()) if name not in places]
        if missing:
            raise AudienceInvalid(
                f"there is no column for {listed(missing)}; "
                f"the columns are {listed(columns)}: rename one or give a mapping",
                field="mapping",
            )
        self._places = dict(places)
        self._kinds = {at: _kind(properties[name]) for name, at in places.items() if name in properties}
        self.file_columns = frozenset(at for at, kind in self._kinds.items() if kind == "file")
        shared = {"$defs": schema["$defs"]} if "$defs" in schema else {}
        self._cells = {
            at: _compiled({**shared, **_without_file_mark(properties[name])})
            for name, at in places.items()
            if name in properties
        }
        self._lists = {
            at: _compiled({**shared, "items": _without_file_mark(properties[name])})
            for name, at in places.items()
            if name in properties
        }
        whole = {k: v for k, v in schema.items() if k not in _IGNORED and not k.startswith("x-")}
        self._row = _compiled(whole) if whole.keys() - _PER_FIELD else None

    def stored_kind(self, at: int) -> str:
        """`integer`, `number`, `boolean` or `text`."""
        kind = self._kinds.get(at, "text")
        return "text" if kind == "file" else kind

    def bad_rows(self, columns: Sequence[Sequence[Cell]]) -> set[int]:
        """Indices of the rows that break the schema. `columns` are trimmed and of one length."""
        suspects: set[int] = set()
        for at in self._required:
            if "" in columns[at] or None in columns[at]:
                suspects.update(index for index, cell in enumerate(columns[at]) if cell in ("", None))
        for at, validator in self._lists.items():
            values = self._values(at, columns[at])
            if values is None or not validator.is_valid(values):
                suspects.update(i for i, cell in enumerate(columns[at]) if self._cell_problem(at, cell) is not None)
        if self._row is not None:
            suspects.update(
                index
                for index, row in enumerate(zip(*columns, strict=True))
                if index not in suspects and not self._row.is_valid(self._object(row))
            )
        return suspects

    def problems(self, number: int, row: Sequence[Cell]) -> list[RowProblem]:
        """What is wrong with one row; every bad cell has its own entry."""
        found: list[RowProblem] = []
        for at in self._required:
            if row[at] in ("", None):
                found.append(RowProblem(number, self._columns[at], "REQUIRED", "the cell must not be empty"))
        for at in self._cells:
            problem = self._cell_problem(at, row[at])
            if problem is not None:
                found.append(RowProblem(number, self._columns[at], *problem, str(row[at])))
        if not found and self._row is not None:
            found.extend(
                RowProblem(number, "", "SCHEMA", _short(error.message))
                for error in self._row.iter_errors(self._object(row))
            )
        return found

    def _values(self, at: int, column: Sequence[Cell]) -> list[Cell] | None:
        """The column as the schema sees it; None where some cell has no value of the kind."""
        values: list[Cell] = list(column)
        if "" in column or None in column:
            values = [cell for cell in column if cell not in ("", None)]
        kind = self._kinds[at]
        if kind == "text":
            return values
        converted = [_converted(kind, value) for value in values]
        return None if None in converted else converted

    def _cell_problem(self, at: int, cell: Cell) -> tuple[str, str] | None:
        if cell in ("", None):
            return None
        kind = self._kinds[at]
        value = cell if kind == "text" else _converted(kind, cell)
        if value is None:
            return (kind.upper(), f"the cell is no {_KIND_WORDS[kind]}")
        error = next(self._cells[at].iter_errors(value), None)
        return None if error is None else _worded(error)

    def _object(self, row: Sequence[Cell]) -> dict[str, Cell]:
        return {
            name: value if self._kinds.get(at, "text") == "text" else _converted(self._kinds[at], value)
            for name, at in self._places.items()
            if (value := row[at]) not in ("", None)
        }


_KIND_WORDS = {
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "file": "path of a file below the job's folder",
}


def _kind(schema: Mapping[str, Any]) -> str:
    if schema.get("x-postroad-file"):
        return "file"
    kind = schema.get("type", "string")
    return kind if kind in ("integer", "number", "boolean") else "text"


def _without_file_mark(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in schema.items() if not name.startswith("x-")}


def _converted(kind: str, cell: Cell) -> Cell:
    """The value of the kind, or None."""
    if not isinstance(cell, str):
        is_number = isinstance(cell, int | float) and not isinstance(cell, bool)
        if kind == "integer" and is_number and abs(cast("float", cell)) >= _BEYOND_INTEGER:
            return None
        return cell if is_number == (kind in ("integer", "number")) and kind != "file" else None
    if kind == "integer":
        return int(cell) if _INTEGER.fullmatch(cell) else None
    if kind == "number":
        return float(cell) if _NUMBER.fullmatch(cell) else None
    if kind == "boolean":
        return _TRUTH.get(cell.lower())
    path = PurePosixPath(cell)
    return None if path.is_absolute() or ".." in path.parts or "\\" in cell or ":" in cell else cell


def stored_text(kind: str, cell: Cell) -> Cell:
    """A checked cell as the canonical table holds it."""
    if kind == "boolean" and isinstance(cell, str) and cell:
        return "true" if _TRUTH[cell.lower()] else "false"
    return cell


def _compiled(schema: Mapping[str, Any]) -> "jsonschema_rs.Draft202012Validator":
    try:
        return jsonschema_rs.Draft202012Validator(dict(schema), validate_formats=True)
    except ValueError as error:
        raise ConfigInvalid(f"the recipient schema cannot be used: {error}", field="recipient_schema") from None


def _worded(error: "jsonschema_rs.ValidationError") -> tuple[str, str]:
    path = list(error.schema_path)
    keyword = str(path[-1]) if path else "schema"
    message = _short(error.message)
    cut = message.find(" does not match ")
    return (_upper(keyword), f"the cell{message[cut:]}" if cut >= 0 else message)


def _upper(keyword: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", keyword).upper()


def _short(message: str) -> str:
    return message if len(message) <= 200 else f"{message[:199]}…"
