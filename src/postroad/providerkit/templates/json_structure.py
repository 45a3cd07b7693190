"""JSON bodies as templates by structure: a value from a row can never break a quote or add a key.

The configured value is parsed once. Its shape, keys, numbers and plain texts are dumped by orjson at compile time into
fixed bytes with holes; a text leaf with a template becomes a hole, filled with the JSON form of what it renders to.
The bytes equal `orjson.dumps` of the same tree with its leaves rendered.

A leaf is always text, also when the field is a number: `"{{ count }}"` gives `"3"`. A leaf that is exactly
`{{ field | native }}` keeps the number, boolean or null the row holds; `{{ field | number }}` reads text as a number;
`{{ field | boolean }}` reads `true/false`, `yes/no`, `1/0`. The mark is explicit, because whether a spreadsheet cell
is a number is an accident of its formatting. Keys are never templates.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import cast

import orjson

from postroad.providerkit.templates.plain import plain, text_of
from postroad.providerkit.templates.source import has_markers, segments
from postroad.providerkit.templates.template import Fields, Template, half_a_character, missing, picker
from postroad.spi import RenderError
from postroad.vocabulary.errors import TemplateInvalid
from postroad.vocabulary.values import RecipientValue

_MARKED = re.compile(
    r"^\{\{-?\s*(?:([^\W\d]\w*)|fields\[\s*(?:\"([^\"]+)\"|'([^']+)')\s*\])\s*\|\s*(native|number|boolean)\s*-?\}\}$"
)
_MARK_IN_PART = re.compile(r"\|\s*(?:native|number|boolean)\b")
_NUMBER = re.compile(r"^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$")
_TRUE, _FALSE = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})
_I64_END = 2**63

Hole = Callable[[Fields], bytes]


class JsonTemplate:
    """A body made by structure. `render` gives UTF-8 bytes without `\\u` escapes and without spaces.

    Where every hole is the text of one field, rows whose values need no escaping (nearly all) are made by one format
    over the whole body; the others go hole by hole.
    """

    __slots__ = ("_first", "_format", "_pick", "_rest", "is_static", "names")

    def __init__(self, literals: list[bytes], holes: list[Hole], names: frozenset[str], in_order: list[str]) -> None:
        self._first = literals[0]
        self._rest = list(zip(holes, literals[1:], strict=True))
        self.names = names
        self.is_static = not holes
        is_all_text = len(in_order) == len(holes) > 0
        self._format = "%s".join(literal.decode().replace("%", "%%") for literal in literals) if is_all_text else ""
        self._pick = cast("Callable[[Fields], tuple[str, ...]]", picker(tuple(in_order)))
        """As if every value were text; `join` raises for one that is not."""

    def render(self, fields: Fields) -> bytes:
        """Raises RenderError with the field that is to blame."""
        if self.is_static:
            return self._first
        if self._format:
            try:
                values = self._pick(fields)
                together = "".join(values)
            except (KeyError, TypeError):
                return self._by_hole(fields)
            if together.isprintable() and '"' not in together and "\\" not in together:
                return (self._format % values).encode()
        return self._by_hole(fields)

    def _by_hole(self, fields: Fields) -> bytes:
        pieces = [self._first]
        for hole, literal in self._rest:
            pieces.append(hole(fields))
            pieces.append(literal)
        return b"".join(pieces)


def json_structure(value: object, where: str) -> JsonTemplate:
    """Compiles a JSON value, or a text that holds one. Raises TemplateInvalid, naming the place below `where`."""
    try:
        if isinstance(value, str):
            value = _parsed(value, where)
        builder = _Builder()
        builder.add(value, where)
    except RecursionError:
        raise TemplateInvalid(f"{where}: lists and objects lie too deep in one another", field=where) from None
    return builder.finish()


def _parsed(source: str, where: str) -> object:
    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        keys = [key for key, _ in pairs]
        twice = next((key for key in keys if keys.count(key) > 1), None)
        if twice is not None:
            raise TemplateInvalid(f"{where}: the key {twice!r} stands twice in one object; remove one", field=where)
        return dict(pairs)

    def no_number(name: str) -> object:
        raise TemplateInvalid(f"{where}: {name} cannot be written in JSON", field=where)

    try:
        return json.loads(source, object_pairs_hook=once, parse_constant=no_number)
    except json.JSONDecodeError as error:
        raise TemplateInvalid(
            f"{where}: this is not JSON ({error.msg}, line {error.lineno}, column {error.colno}); write every template "
            'inside a quoted text, such as {"count": "{{ count | number }}"}',
            field=where,
        ) from None
    except ValueError:
        raise TemplateInvalid(f"{where}: a number has too many digits; write it as text", field=where) from None


class _Builder:
    def __init__(self) -> None:
        self._literals = [bytearray()]
        self._holes: list[Hole] = []
        self._names: set[str] = set()
        self._text_fields: list[str] = []

    def finish(self) -> JsonTemplate:
        literals = [bytes(literal) for literal in self._literals]
        return JsonTemplate(literals, self._holes, frozenset(self._names), self._text_fields)

    def add(self, value: object, where: str) -> None:
        if isinstance(value, Mapping):
            self._object(value, where)
        elif isinstance(value, str):
            self._leaf(value, where)
        elif isinstance(value, Sequence):
            self._array(value, where)
        else:
            self._literals[-1] += _constant(value, where)

    def _object(self, value: Mapping[str, object], where: str) -> None:
        self._literals[-1] += b"{"
        for position, (key, item) in enumerate(value.items()):
            if has_markers(key):
                raise TemplateInvalid(f"{where}: the key {key!r} holds a template; keys are fixed", field=where)
            self._literals[-1] += (b"," if position else b"") + _constant(key, where) + b":"
            self.add(item, f"{where}.{key}")
        self._literals[-1] += b"}"

    def _array(self, value: Sequence[object], where: str) -> None:
        self._literals[-1] += b"["
        for position, item in enumerate(value):
            self._literals[-1] += b"," if position else b""
            self.add(item, f"{where}[{position}]")
        self._literals[-1] += b"]"

    def _leaf(self, source: str, where: str) -> None:
        marked, simple = _MARKED.match(source), segments(source)
        if not has_markers(source):
            self._literals[-1] += _constant(source, where)
        elif marked is not None:
            name = marked[1] or marked[2] or marked[3]
            self._hole(_typed(name, marked[4], where), {name})
        elif simple is not None:
            self._text(simple.literals, simple.names, where)
        else:
            template = _unmarked(source, where)
            self._hole(lambda fields: _dumped(template.render(fields), "", where), template.names)

    def _text(self, literals: tuple[str, ...], names: tuple[str, ...], where: str) -> None:
        self._literals[-1] += b'"' + _inner(literals[0], where)
        for name, literal in zip(names, literals[1:], strict=True):
            self._hole(_inner_of(name, where), {name})
            self._text_fields.append(name)
            self._literals[-1] += _inner(literal, where)
        self._literals[-1] += b'"'

    def _hole(self, hole: Hole, names: frozenset[str] | set[str]) -> None:
        self._holes.append(hole)
        self._names |= names
        self._literals.append(bytearray())


def _unmarked(source: str, where: str) -> Template:
    try:
        return Template(source, where)
    except TemplateInvalid as error:
        if _MARK_IN_PART.search(source) is None:
            raise
        raise TemplateInvalid(
            f"{error.message}; the marks native, number and boolean need the whole text to be one field, "
            'such as "{{ count | number }}"',
            field=where,
        ) from None


def _constant(value: object, where: str) -> bytes:
    if isinstance(value, float) and not math.isfinite(value):
        raise TemplateInvalid(f"{where}: {value} cannot be written in JSON", field=where)
    if _is_long(value):
        return str(value).encode()
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError as error:
        raise TemplateInvalid(f"{where}: this cannot be written in JSON ({error})", field=where) from None


def _is_long(value: object) -> bool:
    """A whole number with more digits than orjson writes; JSON itself has no limit."""
    return isinstance(value, int) and not -_I64_END <= value < 2 * _I64_END


def _inner(literal: str, where: str) -> bytes:
    return _constant(literal, where)[1:-1]


def _inner_of(name: str, where: str) -> Hole:
    """The text of one field as it stands between the quotes of a JSON text."""
    dumps = orjson.dumps

    def hole(fields: Fields) -> bytes:
        try:
            value = fields[name]
        except KeyError:
            raise missing(name, where) from None
        try:
            return dumps(value if value.__class__ is str else text_of(value, name))[1:-1]
        except orjson.JSONEncodeError:
            raise half_a_character(name, where) from None

    return hole


def _typed(name: str, mark: str, where: str) -> Hole:
    convert = {"native": plain, "number": _as_number, "boolean": _as_boolean}[mark]

    def hole(fields: Fields) -> bytes:
        try:
            value = fields[name]
        except KeyError:
            raise missing(name, where) from None
        try:
            converted = convert(value)
        except ValueError:
            raise RenderError(name, f"{where}: field {name!r} cannot be read as a {mark}") from None
        return _dumped(converted, name, where)

    return hole


def _as_number(value: RecipientValue) -> int | float:
    if isinstance(value, bool) or value is None:
        raise ValueError
    if isinstance(value, int | float):
        return value
    shown = text_of(value).strip()
    if not _NUMBER.match(shown):
        raise ValueError
    parsed: int | float = json.loads(shown)
    return parsed


def _as_boolean(value: RecipientValue) -> bool:
    if isinstance(value, bool):
        return value
    shown = text_of(value).strip().lower()
    if shown in _TRUE or shown in _FALSE:
        return shown in _TRUE
    raise ValueError


def _dumped(value: object, name: str, where: str) -> bytes:
    if _is_long(value):
        return str(value).encode()
    if isinstance(value, float) and not math.isfinite(value):
        raise RenderError(name, f"{where}: field {name!r} holds {value}, which JSON cannot write")
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        raise half_a_character(name, where) from None
